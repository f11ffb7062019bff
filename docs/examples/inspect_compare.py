"""Two models in Inspect on the same samples: which one is better, and in which scenarios.

python docs/examples/inspect_compare.py openai/MODEL anthropic/MODEL --scenarios 'wifi*' --epochs 3
"""

import argparse
import sys
from pathlib import Path

import tool_sandbox as ts

try:
    from inspect_ai import eval
    from inspect_ai._util.error import PrerequisiteError

    from tool_sandbox.integrations.inspect.reading import import_log
    from tool_sandbox.integrations.inspect.tasks import core, hard
except ModuleNotFoundError:
    sys.exit("inspect_compare.py needs the extra: pip install 'tool_sandbox[inspect]'")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("models", nargs=2, metavar="MODEL", help="as Inspect names it")
parser.add_argument("--tier", choices=("core", "hard"), default="core", help="default: %(default)s")
parser.add_argument("--scenarios", nargs="+", required=True)
parser.add_argument("--epochs", type=int, default=1, help="trials of each scenario, default: %(default)s")
parser.add_argument("--folder", type=Path, default=Path("compared"), help="for logs and runs, default: %(default)s")
given = parser.parse_args()

try:
    task = {"core": core, "hard": hard}[given.tier](scenarios=given.scenarios)
except PrerequisiteError as error:
    sys.exit(f"inspect_compare.py: {error}")
logs = eval(task, model=given.models, epochs=given.epochs, log_dir=str(given.folder / "logs"))
if broken := [log.eval.model for log in logs if log.status != "success"]:
    sys.exit(f"inspect_compare.py: not finished: {', '.join(broken)}; see {given.folder / 'logs'}")
runs = [import_log(log.location, given.folder / "runs") for log in logs]
print(ts.compare(*(run.path for run in runs)))
