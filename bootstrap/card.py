"""The data card: what a set of trajectories is, who wrote it, how it was made, what stands in its columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bootstrap.formats import COMMON, FORMATS
from bootstrap.tally import Tally
from react.mistakes import Mistake
from react.notation import one_line

MARK = "made with StarAct"
_SHOWN = 4000  # characters of a sample
_LISTED = 8  # values that are named; more are counted
# Of a run's settings those that say how it was made. Others name places and addresses of one machine.
_SETTINGS = (
    *("backend", "split", "method", "shots", "exemplars_by", "prompt_set"),
    *("attempts", "hints", "temperature", "max_tokens", "order", "quota_by", "seed", "rules", "target", "limit"),
)
_COUNTS = ("kept", "kept_hinted", "target", "tasks_tried", "attempts", "attempts_hinted", "yield", "n_failed")

CARD = """\
# {name}

{rows} in {environments}, written by {models}. {solved}
They are of an agent that reasons and acts (ReAct, [arXiv 2210.03629](https://arxiv.org/abs/2210.03629)); {MARK}.

{facts}

## Loading

```python
from datasets import load_dataset

data = load_dataset("{place}", "{format}", split="{split}")
```

`python -m bootstrap.imports {source} --out trajectories.jsonl` of StarAct gives the trajectories back as they
were, from any of the configurations.

## Columns

{columns}

The verdict is in `reward` and `end`, and in no text. `extra`, `provenance`, tool calls and `tools` are JSON (`datasets`
4.8 or later reads them as such).

## How it was made

{made}

## One trajectory

{sample}

## Licence

{license}
"""


@dataclass(frozen=True)
class Made:
    """What a run of bootstrap says of itself: its resolved settings and its counts."""

    folder: Path
    settings: Mapping[str, Any]
    summary: Mapping[str, Any]

    @property
    def environment(self) -> str:
        return str(self.settings.get("environment") or "")


def made(folder: Path) -> Made:
    """Reads a run's `config.yaml` and `summary.json`. Mistake where the folder is no finished run of bootstrap."""
    try:
        settings = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Mistake(f"{folder}: no finished run of bootstrap: {Path(error.filename).name} is missing") from None
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise Mistake(f"{folder}: no run of bootstrap: {one_line(str(error))[:300]}") from None
    if not isinstance(settings, dict) or not isinstance(summary, dict):
        raise Mistake(f"{folder}: no run of bootstrap: config.yaml and summary.json must hold `key: value`")
    return Made(folder, settings, summary)


def info(features: Any, split: str, rows: int, held: int, stored: int) -> dict[str, Any]:
    """What the hub's header says of one configuration."""
    from datasets import DatasetInfo
    from datasets.info import DatasetInfosDict
    from datasets.splits import SplitDict, SplitInfo
    from huggingface_hub import DatasetCardData

    splits = SplitDict({split: SplitInfo(split, num_bytes=held, num_examples=rows)})
    header = DatasetCardData()
    about = DatasetInfo(features=features, splits=splits, download_size=stored, dataset_size=held)
    DatasetInfosDict({"default": about}).to_dataset_card_data(header)
    return dict(header["dataset_info"])


def text(
    name: str,
    split: str,
    infos: Mapping[str, Mapping[str, Any]],
    tally: Tally,
    runs: Sequence[Made],
    license: str,
    repository: str = "",
) -> str:
    """The card, with the header that the hub reads. What models and data say stands in it as code.

    `repository` is where it will be on the hub; without it the folder `name` is loaded.
    """
    body = CARD.format(
        MARK=MARK,
        name=one_line(name),
        rows=f"{tally.rows:,} trajector{'y' if tally.rows == 1 else 'ies'}",
        environments=_some(tally.values["environment"]),
        models=_some(tally.values["model"]),
        solved=f"{tally.solved:,} have the full reward.",
        facts=_table(_facts(tally)),
        format=next(iter(infos)),
        place=repository or name,
        source=f"hf://{repository}" if repository else name,
        split=split,
        columns=_columns(list(infos), tally),
        made="\n\n".join([_run(run) for run in runs]) or "From files of trajectories, of which no run is known.",
        sample=_fenced(tally.sample),
        license=_LICENSED if license else _UNLICENSED,
    )
    header = yaml.safe_dump(_header(split, infos, tally.rows, license), sort_keys=False, allow_unicode=True)
    return f"---\n{header}---\n\n{body}"


_LICENSED = "As the header says. Observations are texts of the environment's data, whose own licence goes on."
_UNLICENSED = (
    "Not chosen yet: `license` of the header (`--license` when it is exported). Observations are texts of the "
    "environment's data, and thoughts and actions the output of a model; both may have terms of their own."
)


def _header(split: str, infos: Mapping[str, Mapping[str, Any]], rows: int, license: str) -> dict[str, Any]:
    first = next(iter(infos))
    return {
        **({"license": license} if license else {}),
        "tags": ["react", "agents", "trajectories", "staract"],
        "task_categories": ["text-generation"],
        "size_categories": [_size(rows)],
        "configs": [
            {
                "config_name": format,
                **({"default": True} if format == first else {}),
                "data_files": [{"split": split, "path": f"{format}/{split}-*.parquet"}],
            }
            for format in infos
        ],
        "dataset_info": [{"config_name": format, **said} for format, said in infos.items()],
    }


def _size(rows: int) -> str:
    """The hub's name for so many."""
    bounds = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M", 10_000_000: "1M<n<10M"}
    return next((name for bound, name in bounds.items() if rows < bound), "10M<n<100M")


def _facts(tally: Tally) -> dict[str, str]:
    labels = {
        "method": "method",
        "kind": "kind of task",
        "hinted": "with the answer as a hint",
        "judged_by": "judged by",
    }
    facts = {label: _some(tally.values[key]) for key, label in labels.items() if any(tally.values.get(key, ()))}
    facts["steps"] = f"{tally.steps / tally.rows:.1f} on average"
    prints = {key: counts for key, counts in sorted(tally.values.items()) if key.endswith("fingerprint")}
    facts |= {key.replace("_", " "): _some(counts) for key, counts in prints.items()}
    return facts | ({"imported from": _some(tally.values["source"])} if "source" in tally.values else {})


def _columns(formats: Sequence[str], tally: Tally) -> str:
    tables = []
    for format in formats:
        own = FORMATS[format].columns
        beside = tally.beside[format]
        note = f"`steps` is filled in {beside:,} of {tally.rows:,} rows." if beside else "`steps` is null in every row."
        tables.append(f"`{format}` ({note})\n\n{_table({f'`{name}`': said for name, said in own.items()})}")
    return "\n\n".join([*tables, f"All of them\n\n{_table({f'`{name}`': said for name, said in COMMON.items()})}"])


def _run(run: Made) -> str:
    """The settings, the rules and the yield of a run."""
    settings = {key: _code(run.settings[key]) for key in _SETTINGS if key in run.settings}
    counts = {key.replace("_", " "): _number(run.summary[key]) for key in _COUNTS if key in run.summary}
    for key, label in {"left_out": "left out", "spare": "worth keeping too"}.items():
        if isinstance(reasons := run.summary.get(key), dict):
            counts |= {f"{label}: {one_line(str(reason))}": _number(count) for reason, count in reasons.items()}
    said = "came of it; attempts were left out for the first rule that they broke"
    return f"Run {_code(run.folder.name)} had these settings:\n\n{_table(settings)}\n\nThis {said}.\n\n{_table(counts)}"


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else _code(value)


def _table(rows: Mapping[str, str]) -> str:
    lines = [f"| {one_line(key)} | {value} |" for key, value in rows.items()]
    return "\n".join(["| | |", "|---|---|", *lines])


def _some(counts: Counter[str]) -> str:
    """The most frequent values, each with its number where there are several."""
    named = counts.most_common(_LISTED)
    if len(counts) == 1:
        return _code(named[0][0] or "none")
    more = f", and {len(counts) - _LISTED:,} more" if len(counts) > _LISTED else ""
    return ", ".join(f"{_code(value or 'none')} ({count:,})" for value, count in named) + more


def _code(value: object) -> str:
    """A value from outside, as code in a table: it cannot end its cell."""
    said = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    line = one_line(said).replace("`", "'").replace("|", "\\|")
    return f"`{line[:200]}`" if line else "none"


def _fenced(sample: str) -> str:
    """A text as it stands, in a fence that it cannot close."""
    shown = sample[:_SHOWN]
    ticks = max((len(run) for run in _runs(shown)), default=0)
    fence = "`" * max(3, ticks + 1)
    cut = f"\n\n(Its first {_SHOWN:,} of {len(sample):,} characters.)" if len(sample) > _SHOWN else ""
    return f"{fence}text\n{shown}\n{fence}{cut}"


def _runs(shown: str) -> list[str]:
    return "".join(letter if letter == "`" else " " for letter in shown).split()
