"""What is where in the directory of a run, or of a sweep."""

RUN_FILE = "run.json"
SUMMARY_FILE = "result_summary.json"
PARQUET_FILE = "scenario_results_polars.parquet"
REPLACED = "replaced"
TRAJECTORIES = "trajectories"
SWEEP_FILE = "sweep.json"
