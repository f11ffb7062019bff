"""What trials of one scenario say: how likely success is, once or every time in k trials, and whether that moved."""

import math


def pass_at_k(trials: int, successes: int, k: int) -> float:
    """Estimates the probability that at least one of ``k`` trials succeeds.

    ``1 - C(n - c, k) / C(n, k)``: the share of the subsets of ``k`` of the ``n`` trials with a success among them
    (Chen et al. 2021, "Evaluating Large Language Models Trained on Code", arXiv 2107.03374, equation 1).
    """
    _check(trials, successes, k)
    subsets = math.comb(trials, k)
    return (subsets - math.comb(trials - successes, k)) / subsets


def pass_hat_k(trials: int, successes: int, k: int) -> float:
    """Estimates the probability that all of ``k`` trials succeed, written pass^k.

    ``C(c, k) / C(n, k)``: the share of the subsets of ``k`` of the ``n`` trials that are all successes (Yao et al.
    2024, "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains", arXiv 2406.12045).
    """
    _check(trials, successes, k)
    return math.comb(successes, k) / math.comb(trials, k)


def fisher_p_value(before: tuple[int, int], after: tuple[int, int]) -> float:
    """How surprising it were that two sets of trials differ so much, if success was as likely in both; two-sided.

    The exact test of Fisher 1935 (The Design of Experiments, section 21.1): the probability, given how many of all
    trials succeeded, of this split between the two sets and of all that are no likelier.
    """
    (won, trials), (won_now, trials_now) = before, after
    total = won + won_now
    ways = [math.comb(trials, each) * math.comb(trials_now, total - each) for each in range(min(total, trials) + 1)]
    return sum(way for way in ways if way <= ways[won]) / sum(ways)


def _check(trials: int, successes: int, k: int) -> None:
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials are impossible")
    if not 1 <= k <= trials:
        raise ValueError(f"k is from 1 to the number of trials ({trials}), not {k}")
