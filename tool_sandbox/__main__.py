"""``python -m tool_sandbox``, which works wherever the package can be imported."""

import sys

from tool_sandbox.cli import main

if __name__ == "__main__":
    sys.exit(main())
