"""python -m eval --config configs/eval/demo_prompted.yaml: one model, one method, one environment, over one panel.

Writes into `runs/eval/<name>/`: `trajectories.jsonl` (one episode a task, in the panel's order), `completions.sqlite`
(every model call), `config.yaml` and `summary.json`. The same command continues a stopped run, and tries again what the
infrastructure failed. `python -m eval.report runs/eval/*` puts runs side by side.
"""

from eval.evaluate import main

if __name__ == "__main__":
    main()
