"""The report as one page: what stands in it without a browser, and that no text in it is markup."""

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given

from eval import web
from eval.figure import COLOURS
from eval.record import report_of
from eval.sections import sections
from eval.web import bars, learning
from eval.web.items import COUNTED, LABELS, OUTCOMES
from eval.web.markup import shown, tag
from react import trajectory
from react.methods import METHODS
from react.trajectory import ENDS, Step
from tests.hostile import HOSTILE, PAGES
from tests.test_report import edit, made

EVIL = "</script><script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"><!--{DATA}"


class Seen(HTMLParser):
    """The elements of a page with their attributes, and all text by the element that it stands in."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self._open = [], [], []
        self.feed(page)

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        self._open.append(name)

    def handle_startendtag(self, name, attributes):
        self.elements.append((name, dict(attributes)))

    def handle_endtag(self, name):
        while self._open and self._open.pop() != name:
            pass

    def handle_data(self, data):
        self.texts.append((self._open[-1] if self._open else "", data))

    def of(self, name):
        return [attributes for element, attributes in self.elements if element == name]


def unpacked(page):
    """The data of a page."""
    packed = re.search(r'id="data">([^<]*)<', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """ReAct and Act, prompted and finetuned, with some that failed."""
    root = tmp_path_factory.mktemp("runs")
    folders = []
    for method, solved in (("act", 8), ("react", 14)):
        folders.append(made(root, f"prompted_{method}", method, solved=solved, failed=2))
        folders.append(made(root, f"tuned_{method}", method, shots=0, solved=2 * solved))
    return report_of(folders)


@pytest.fixture(scope="module")
def page(report):
    return web.page(report)


def test_every_table_is_there_with_its_headings_and_its_cells(report, page):
    seen = Seen(page)
    cells = [data for name, data in seen.texts if name in ("td", "th")]
    for section in sections(report):
        assert section.title in [data for name, data in seen.texts if name == "h2"]
        assert set(section.rows[0]) <= set(cells)
        assert {value.partition(" [")[0] for row in section.rows for value in row.values()} <= {
            cell.strip() for cell in cells
        } | {""}
    assert {one.get("scope") for one in seen.of("th")} == {"col", "row"}
    assert "Why they succeeded and failed" in page


def test_what_is_named_by_its_id_is_there_once(page):
    seen = Seen(page)
    ids = [attributes["id"] for _, attributes in seen.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = [
        name
        for _, one in seen.elements
        for key in ("aria-labelledby", "aria-describedby")
        for name in one.get(key, "").split()
    ]
    wanted += [one["href"][1:] for one in seen.of("a")]
    wanted += re.findall(r"url\(#([^)]+)\)", page)
    assert wanted and set(wanted) <= set(ids)


def test_the_page_loads_nothing_and_its_policy_allows_its_own_script_and_style_alone(page):
    seen = Seen(page)
    policy = next(one["content"] for one in seen.of("meta") if one.get("http-equiv"))
    (script,), (style,) = (
        ["".join(re.findall(f"<{name}>(.*?)</{name}>", page, re.DOTALL))] for name in ("script", "style")
    )
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    assert policy == (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'"
    )
    assert not any("src" in one or "style" in one for _, one in seen.elements)
    assert {name for name, _ in seen.elements}.isdisjoint({"link", "img", "iframe", "object", "base"})


def test_the_data_are_the_trajectories(report, page):
    data = unpacked(page)
    texts = data["texts"]
    assert len(texts) == len(set(texts)) and len(data["tries"]) == 4 * 40 and len(data["items"]) == 40
    assert [run["name"] for run in data["runs"]] == [run.name for run in report.runs]
    wanted = [one for run in report.runs for one in trajectory.read(report.folders[run.name] / "trajectories.jsonl")]
    for row, tried in zip(data["tries"], wanted, strict=True):
        run, item, outcome, end, label, step, reason, reward, answer, error, *rest = row
        counts, parts = rest[: len(COUNTED)], rest[len(COUNTED) :]
        assert data["items"][item][0] == tried.task.id and texts[data["items"][item][1]] == tried.task.question
        assert data["runs"][run]["method"] == METHODS[tried.method].title
        assert OUTCOMES[outcome] == ("failed" if tried.end == "failed" else "success" if tried.solved else "failure"), (
            tried
        )
        assert (ENDS[end], texts[answer], texts[error], reward) == (tried.end, tried.answer, tried.error, tried.reward)
        assert bool(LABELS[label]) == bool(texts[reason]) == (tried.end != "failed") and 0 <= step <= len(tried.steps)
        assert counts == [tried.provenance.get(name, -1) for name in COUNTED]
        steps = [Step(*(texts[part] for part in parts[at : at + 3])) for at in range(0, len(parts), 3)]
        assert tuple(steps) == tried.steps


def test_every_method_has_its_pattern_its_short_name_and_its_bar(tmp_path):
    assert set(bars.SHORT) == set(bars.PATTERNS) == set(COLOURS) == set(METHODS)
    assert len(set(bars.SHORT.values())) == len(METHODS)
    drawn = bars.figures(report_of([made(tmp_path, method, method) for method in METHODS]).runs)
    for method in METHODS:
        assert f'fill="url(#pattern-{method})"' in drawn and f">{bars.SHORT[method]}</text>" in drawn
    assert drawn.count('class="whisker"') == len(METHODS)


@pytest.mark.parametrize(
    "names, wanted",
    [
        (["Llama-3.2-3B", "Llama-3.1-70B", "SmolLM2-135M"], ["SmolLM2-135M", "Llama-3.2-3B", "Llama-3.1-70B"]),
        (["b", "a-8B"], None),
    ],
)
def test_models_stand_by_size_where_all_names_say_one(tmp_path, names, wanted):
    report = report_of([made(tmp_path, f"run{n}", model=name) for n, name in enumerate(names)])
    told = re.findall(r'class="strong">prompted</text><text[^>]*>([^<]+)<', bars.figures(report.runs))
    assert told == (wanted or sorted(names))


@pytest.mark.parametrize("name, wanted", [("x-1.5b-chat", 1500), ("m135M", None), ("q-0.5B", 500), ("a/7b_v2", 7000)])
def test_sizes_are_read_from_names(name, wanted):
    assert bars.size(name) == wanted


def hostile(folder):
    """A run of hostile names, questions and steps."""
    edit(folder, lambda summary: summary.update(name=EVIL, model=EVIL))
    tried = list(trajectory.read(folder / "trajectories.jsonl"))
    (folder / "trajectories.jsonl").write_text(
        "".join(trajectory.to_json(one).replace("I know.", json.dumps(EVIL)[1:-1]) + "\n" for one in tried)
    )


def test_hostile_names_are_text(tmp_path):
    hostile(made(tmp_path, "run"))
    plain, evil = web.page(report_of([made(tmp_path / "other", "run")])), web.page(report_of([tmp_path / "run"]))
    without = [
        [name for name, _ in Seen(page).elements if name != "text"] for page in (evil, plain)
    ]  # it has more lines
    assert without[0] == without[1]
    assert EVIL in [data for name, data in Seen(evil).texts if name in ("td", "th")]
    assert EVIL in unpacked(evil)["texts"]


@given(HOSTILE)
def test_any_text_is_text(text):
    seen = Seen(tag("p", text, title=text))
    assert seen.elements == [("p", {"title": shown(text)})]
    assert "".join(data for _, data in seen.texts) == shown(text)


def test_what_is_not_seen_is_spelled_out():
    assert shown(PAGES["direction"]) == r"a\u202eb\u2066c\u200fd\ufeffe\u200bf"
    assert (
        shown(PAGES["control"]).isprintable()
        and shown("a\tb\nc \u00e9\u4e2d\U0001f600") == "a\tb\nc \u00e9\u4e2d\U0001f600"
    )


def test_a_student_that_was_trained_here_has_its_curves(tmp_path):
    trained = tmp_path / "runs" / "train" / "student"
    trained.mkdir(parents=True)
    (trained / "losses.jsonl").write_text(
        '{"step": 5, "loss": 1.5}\n{"step": 10, "loss": 0.75}\n{"step": 15, "loss": null}\n'
    )
    panels = [{"step": 5, "success": 0.25, "n": 8}, {"step": 10, "success": None, "n": 8, "error": "the worker died"}]
    (trained / "curve.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [*panels, {"step": "x"}, 3]))
    eval_runs = tmp_path / "runs" / "eval"
    folders = [made(eval_runs, "tuned", shots=0, model="runs/train/student/checkpoint"), made(eval_runs, "prompted")]
    report = report_of(folders)
    (found,) = learning.learning(report.runs, report.folders)
    assert (found.name, found.losses) == ("student", {5: 1.5, 10: 0.75})
    assert {step: one.value for step, one in found.success.items()} == {5: 0.25} and found.success[5].low > 0
    page = web.page(report)
    seen = Seen(page)
    assert [data for name, data in seen.texts if name == "h2"].count("How the students learned") == 1
    assert {"0.250", "1.500"} <= {data.strip() for name, data in seen.texts if name == "td"}
    assert "training loss, by training step" in page and "success while it was trained, by training step" in page
    (trained / "losses.jsonl").write_text("[")
    (trained / "curve.jsonl").unlink()
    assert "How the students learned" not in web.page(report)
