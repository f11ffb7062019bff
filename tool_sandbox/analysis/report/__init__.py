"""Results to look at: one self-contained page for any number of runs, and the same served while runs go on."""

from tool_sandbox.analysis.report.writing import Written, write_report

__all__ = ["Written", "write_report"]
