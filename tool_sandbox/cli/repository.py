"""The state of the working directory's repository, for the record of a run."""

import subprocess


def get_git_sha() -> str | None:
    """Returns the commit that is checked out in the working directory."""
    answer = _git("rev-parse", "HEAD")
    return answer.stdout.strip() if answer is not None and answer.returncode == 0 else None


def has_local_changes() -> bool:
    """Says whether tracked files differ from the index; untracked files do not count, nor does a missing git."""
    answer = _git("diff", "--exit-code", "--quiet")
    return answer is not None and answer.returncode == 1


def describe_commit() -> str | None:
    """Returns the commit, followed by ``+ local changes`` where there are some; ``None`` without one."""
    sha = get_git_sha()
    return f"{sha} + local changes" if sha is not None and has_local_changes() else sha


def _git(*arguments: str) -> "subprocess.CompletedProcess[str] | None":
    try:
        return subprocess.run(  # noqa: S603
            ["git", *arguments],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
