"""Numbers of things in words."""


def counted(number: int, noun: str) -> str:
    """A number and what it counts: ``1 family``, ``2 families``, ``1,200 scenarios``."""
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"
