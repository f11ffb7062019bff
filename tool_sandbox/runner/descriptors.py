"""Open files: every conversation holds connections, and some agents pipes and processes besides."""

EACH = 16
"""Descriptors that one conversation may need."""

SPARE = 256
"""Those of the program itself."""


def allow_descriptors(conversations: int) -> None:
    """Asks for as many open files as conversations at once may need, where the system limits them and allows more."""
    try:
        import resource
    except ImportError:
        # Windows has no such limit.
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = SPARE + EACH * conversations
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft not in (resource.RLIM_INFINITY, wanted) and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
