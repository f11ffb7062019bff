"""The scenarios as a task of Inspect AI: ``inspect eval tool_sandbox/core``, and its logs as run directories.

Inspect finds `_registry` by the entry point of this package. Modules that import ``inspect_ai`` are ``messages``,
``solver``, ``scorer``, ``tasks``, ``reference`` and ``_registry``; the others know nothing of it.
"""
