"""python -m bootstrap --config configs/bootstrap/demo_own.yaml: collects correct trajectories of a prompted teacher.

Writes into `runs/bootstrap/<name>/`: `attempts.jsonl` (every try), `trajectories.jsonl` (the kept ones, for training),
`left_out.jsonl` (why every other try is not), `completions.sqlite` (every model call), `config.yaml`, `summary.json`.
The same command continues a stopped run.
"""

from bootstrap.run import main

if __name__ == "__main__":
    main()
