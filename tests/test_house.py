"""The rules of the house that no type checker knows."""

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("react", "bootstrap", "train", "eval", "data", "benchmarks", "tests")
# Without a YAML file.
PLAIN = (
    "bootstrap.export",
    "bootstrap.imports",
    "eval.judge",
    "eval.metrics",
    "eval.noise",
    "eval.report",
    "eval.rounds",
    "eval.sweep",
    "train.push",
)
MODULES = (
    "bootstrap",
    "bootstrap.rounds",
    "bootstrap.select",
    "eval",
    "eval.grid",
    "train.dpo",
    "train.inspect",
    *PLAIN,
)
HEAVY = ("torch", "transformers", "datasets", "peft", "accelerate", "httpx", "httpx2", "matplotlib", "scipy", "numpy")


@pytest.mark.parametrize("command", [["-m", name] for name in MODULES] + [["train.py"]])
def test_help_answers_without_the_heavy_libraries(command):
    code = (
        "import runpy, sys, json, atexit\n"
        "atexit.register(lambda: print('LOADED', json.dumps(sorted(m for m in sys.modules if '.' not in m))))\n"
        f"sys.argv = [{command[-1]!r}, '--help']\n"
        + (
            f"runpy.run_path({command[0]!r}, run_name='__main__')"
            if len(command) == 1
            else f"runpy.run_module({command[1]!r}, run_name='__main__', alter_sys=True)"
        )
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "usage:" in run.stdout and ("--config" in run.stdout or command[-1] in PLAIN)
    loaded = set(json.loads(run.stdout.split("LOADED ")[1]))
    assert not loaded & set(HEAVY)


def test_no_stage_imports_another():
    linter = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def sources():
    return [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]


def test_there_are_sources_to_look_at():
    assert len(sources()) > 30


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_source_says_what_it_is_and_trusts_nobody(path):
    text = path.read_text(encoding="utf-8")
    assert text.lstrip().startswith('"""'), "a module opens with what it is about"
    if path != Path(__file__):
        assert not re.search(r"trust_remote_code=True|\bpickle\.loads?\(|(?<!\.)\b(eval|exec)\(", text)
        assert not re.search(
            r"https?://(?!127\.0\.0\.1|localhost|en\.wikipedia)[\w.]*(pypi|huggingface\.co|pytorch\.org)", text
        )


# Where the clock on the wall is read: a date that a server sent, a stamp for people, the age of what was left behind.
WALL_CLOCK = {
    "react/_http.py",
    "react/environments/wikipedia/recording.py",
    "react/environments/_build.py",
}


def test_time_is_measured_by_clocks_that_nobody_sets():
    wall = re.compile(r"\btime\.time\(|from time import .*\btime\b|\bdatetime\b|\blocaltime\(|\bgmtime\(")
    stages = [path for path in sources() if path.relative_to(ROOT).parts[0] in ("react", "bootstrap", "train", "eval")]
    assert {str(path.relative_to(ROOT)) for path in stages if wall.search(path.read_text())} <= WALL_CLOCK


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_a_benchmark_says_how_it_is_called_and_what_its_figures_are(path):
    said = ast.get_docstring(ast.parse(path.read_text())) or ""
    assert f"    python -m benchmarks.{path.stem} [--quick]" in said and "Last, one line of JSON" in said
    assert "\n* " in said and "RawDescriptionHelpFormatter" in path.read_text()


@cache
def imported(path):
    """The modules that a module imports as it is imported itself."""
    body = ast.parse(path.read_text()).body
    plain = {name.name for node in body if isinstance(node, ast.Import) for name in node.names}
    whole = [node for node in body if isinstance(node, ast.ImportFrom)]
    return (
        plain | {node.module for node in whole} | {f"{node.module}.{one.name}" for node in whole for one in node.names}
    )


def loaded_by(path):
    """All that is imported then, over modules of ours."""
    found, new = set(), imported(path)
    while new:
        found |= new
        places = [ROOT / name.replace(".", "/") for name in new if name.partition(".")[0] in PACKAGES]
        files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
        new = {name for file in files if file.exists() for name in imported(file)} - found
    return {name.partition(".")[0] for name in found}


def test_who_looks_for_tests_does_not_wait_for_torch():
    slow = {"torch", "transformers", "trl", "peft", "scipy", "statsmodels"}
    tests = sorted((ROOT / "tests").glob("test_*.py"))
    assert {path.name: found for path in tests if (found := loaded_by(path) & slow)} == {}
