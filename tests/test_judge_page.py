"""The page of a sheet in a real browser: keys, notes, what stays and what is handed in, and text that stays text."""

import json
from dataclasses import replace

import pytest

from eval.failures import CLASSES
from eval.sheet import read_judgements, sample, write
from react.trajectory import Step, Task, Trajectory
from tests import chromium
from tests.test_metrics import RUN

pytestmark = chromium.MARKS
EVIL = chromium.EVIL + "\u2028<!--"


@pytest.fixture
def opened(browser, tmp_path):
    """A page of a sheet, with all that the browser complained of and asked the network for."""
    task = Task("evil", EVIL, EVIL, {"type": EVIL})
    evil = Trajectory(task, "react", "m", (Step(EVIL, EVIL, EVIL), Step("", f"Finish[{EVIL}]")), EVIL)
    sheet = sample([replace(RUN, tried=(*RUN.tried[:5], evil))], 50, 0)
    write(tmp_path, sheet)
    context = browser.new_context(accept_downloads=True)
    page = chromium.watched(context)
    page.goto((tmp_path / "index.html").as_uri())
    yield page, sheet, tmp_path
    assert page.complaints == []
    assert all(url.startswith(("file:", "blob:")) for url in page.asked)
    context.close()


def pressed(page):
    """The classes that are chosen, as the page shows them."""
    return page.locator("#classes button[aria-pressed=true]").all_inner_texts()


def test_all_is_done_by_keys_and_the_download_is_read_back(opened):
    page, sheet, folder = opened
    place = page.locator("#place")
    assert place.inner_text() == "1 of 6, 0 judged"
    wanted = {}
    for i, item in enumerate(sheet.items):
        digit = i % len(CLASSES[item.outcome]) + 1
        wanted[item.id] = CLASSES[item.outcome][digit - 1]
        page.keyboard.press(str(digit))
        assert pressed(page) == [f"{digit} {wanted[item.id]}"]
        page.keyboard.press("j")
    assert place.inner_text() == "6 of 6, 6 judged"
    page.keyboard.press("k")
    assert place.inner_text().startswith("5 of 6")
    page.keyboard.press("n")
    page.keyboard.type("j1 hard")  # a letter in a note is no command
    page.keyboard.press("Escape")
    page.locator("#download").click()
    assert "Say your name" in page.locator("#warning").inner_text()
    page.keyboard.type("Ann B.")
    with page.expect_download() as coming:
        page.locator("#download").click()
    assert coming.value.suggested_filename == "judge-Ann_B_.json"
    coming.value.save_as(folder / "judge.json")
    assert read_judgements(folder / "judge.json", sheet) == ("Ann B.", wanted)
    said = json.loads((folder / "judge.json").read_text())["judgements"]
    assert said[sheet.items[4].id]["note"] == "j1 hard"


def test_a_class_is_taken_back_and_what_is_judged_stays(opened):
    page, sheet, _ = opened
    page.keyboard.press("1")
    page.keyboard.press("1")
    assert pressed(page) == []
    page.keyboard.press("9")  # there is no such class
    page.keyboard.press("2")
    page.keyboard.press("u")
    assert page.locator("#place").inner_text() == "2 of 6, 1 judged"
    page.locator("#judge").fill("Ben")
    page.reload()
    assert page.locator("#place").inner_text() == "2 of 6, 1 judged"
    assert page.locator("#judge").input_value() == "Ben"
    page.keyboard.press("k")
    assert pressed(page) == [f"2 {CLASSES[sheet.items[0].outcome][1]}"]


def test_what_models_wrote_is_text(opened):
    page, sheet, _ = opened
    for _ in range([item.question for item in sheet.items].index(EVIL)):
        page.keyboard.press("j")
    assert page.title() == "Judge trajectories"
    assert page.locator("dd").first.text_content() == EVIL
    assert page.locator(".observation").first.text_content() == EVIL
    assert page.locator("main img, main a, main script").count() == 0


def test_the_policy_runs_no_other_script(opened):
    page, _, _ = opened
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.own = 1'}))"
    )
    assert page.evaluate("window.own") is None
    assert any("Content Security Policy" in one for one in page.complaints)
    page.complaints.clear()
