"""The page of a report in a real browser: found by filters and keys, read side by side, and text that stays text."""

import json
import re
from dataclasses import replace

import pytest

from eval import web
from eval.record import report_of
from react import trajectory
from react.trajectory import Step
from tests import chromium
from tests.hostile import PAGES
from tests.test_report import made

pytestmark = chromium.MARKS
EVIL = chromium.EVIL + "<!--" + PAGES["direction"] + PAGES["control"]


def change(folder, steps):
    """Other steps for some of the tasks of a run."""
    path = folder / "trajectories.jsonl"
    tried = [replace(one, steps=steps.get(one.task.id, one.steps)) for one in trajectory.read(path)]
    trajectory.write(path, tried)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A page of three runs. Of q00 two of them part at step 2, by what they do; q39 is hostile; two of q failed."""
    root = tmp_path_factory.mktemp("runs")
    act, prompted = made(root, "act", "act", solved=5), made(root, "prompted", solved=10, failed=2)
    tuned = made(root, "tuned", shots=0, solved=30)
    same = Step("I look.", "Search[Zebra]", "A zebra is striped.")
    change(prompted, {"q00": (same, Step("So.", "Finish[0]"))})
    change(tuned, {"q00": (same, Step("So?", "Lookup[stripe]", "No more."), Step("", "Finish[0]"))})
    change(act, {"q39": (Step(EVIL, EVIL, EVIL),)})
    path = root / "report.html"
    path.write_text(web.page(report_of([act, prompted, tuned])))
    return path


@pytest.fixture
def page(browser, file):
    """The page, with all that the browser complained of and asked the network for."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = chromium.watched(context)
    page.goto(file.as_uri())
    page.wait_for_selector(".row")
    yield page
    assert page.complaints == []
    assert page.asked == [page.asked[0]] * len(page.asked) and page.asked[0].startswith("file:")
    context.close()


def choice(page, label):
    """The filter of a name; the key that goes there may follow it."""
    return page.get_by_role("combobox", name=re.compile(f"^{label}( .)?$"))


def chosen(page, label, value):
    """Chooses what begins with `value` of a filter."""
    options = choice(page, label).locator("option").all_inner_texts()
    choice(page, label).select_option(index=next(i for i, one in enumerate(options) if one.startswith(value)))


def count(page):
    return page.locator("#count").inner_text()


def test_filters_narrow_what_is_found_and_count_what_else_there_is(page):
    assert count(page) == "120 of 120 trajectories"
    chosen(page, "Outcome", "solved")
    assert count(page) == "45 of 120 trajectories"
    options = choice(page, "Run").locator("option").all_inner_texts()
    assert options == ["all", "act (5)", "prompted (10)", "tuned (30)"]
    chosen(page, "Run", "prompted")
    assert count(page) == "10 of 120 trajectories"
    chosen(page, "Outcome", "infrastructure failed")
    assert count(page) == "2 of 120 trajectories"
    page.locator("#list").focus()
    page.keyboard.press("j")
    assert "ModelError: down" in page.locator("#episode").inner_text()
    page.keyboard.press("c")
    assert count(page) == "120 of 120 trajectories"


def test_search_wants_all_words_in_any_case_and_quotes_make_a_phrase(page):
    for query, found in (
        ("zebra", 2),
        ("ZEBRA stripe", 2),
        ("zebra lookup", 1),
        ('"is striped"', 2),
        ('"striped is"', 0),
    ):
        page.keyboard.press("/")
        page.locator("#search").fill(query)
        page.keyboard.press("Enter")
        assert count(page) == f"{found} of 120 trajectories", query
    page.keyboard.press("c")
    assert page.locator("#search").input_value() == "" and count(page) == "120 of 120 trajectories"


def test_all_is_done_by_keys(page):
    page.keyboard.press("/")
    page.keyboard.type("zebra j")  # a letter in the search is no command
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "list" and count(page) == "0 of 120 trajectories"
    page.keyboard.press("c")
    for key, place in (
        ("ArrowDown", 1),
        ("j", 2),
        ("k", 1),
        ("End", 120),
        ("ArrowDown", 120),
        ("PageUp", None),
        ("Home", 1),
    ):
        page.keyboard.press(key)
        row = page.locator(f"#{page.locator('#list').get_attribute('aria-activedescendant')}")
        assert row.get_attribute("aria-selected") == "true" and row.get_attribute("aria-setsize") == "120"
        assert place is None or row.get_attribute("aria-posinset") == str(place), key
        assert row.is_visible()
    assert page.locator(".row").count() < 50
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "episode"
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()
    page.get_by_label("Single letters are keys").press("Space")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert not page.get_by_role("dialog", name="Keys").is_visible()


def test_two_runs_stand_side_by_side_and_where_they_part_is_marked(page, file):
    chosen(page, "Run", "prompted")
    page.locator(".row").first.click()
    assert page.url.endswith("#/prompted/q00")
    page.keyboard.press("b")
    chosen(page, "Beside it", "tuned")
    assert page.url.endswith("#/prompted/q00/tuned")
    steps = page.locator(".step").all_inner_texts()
    assert len(steps) == 3 and "part" not in steps[0] and "Here they part: they act differently" in steps[1]
    assert page.locator(".step").first.get_by_role("group", name="both").count() == 1
    assert page.locator(".step").last.get_by_role("group", name="prompted").inner_text().endswith("(it had ended)")
    page.locator("#list").focus()
    page.keyboard.press("p")
    assert page.evaluate("document.activeElement.className") == "parting"
    chosen(page, "Of these pairs", "one solved it")
    assert count(page) == "20 of 120 trajectories"
    chosen(page, "Of these pairs", "solved, not by")
    assert count(page) == "0 of 120 trajectories"


def test_an_address_opens_what_it_names(page, file):
    page.goto("about:blank")
    page.asked.pop()
    page.goto(f"{file.as_uri()}#/tuned/q07/act")
    page.wait_for_selector(".two .step")
    assert page.locator(".question").inner_text() == "Which number is 7?"
    assert page.locator("#episode").inner_text().count("Handed in") == 2
    page.evaluate("location.hash = '#/tuned/q08'")
    page.locator(".question", has_text="number is 8?").wait_for()
    page.evaluate("location.hash = '#/nobody/q%08'")
    page.get_by_role("alert").filter(has_text="no such trajectory").wait_for()


def test_what_models_wrote_is_text(page):
    page.evaluate("location.hash = '#/act/q39'")
    page.locator(".unseen").first.wait_for()
    assert page.title().startswith("Prompted against finetuned")
    for part in ("thought", "action", "observation"):
        said = page.locator(f".{part} p").text_content()
        assert said.startswith(EVIL.partition("<!--")[0]) and r"a\u202eb\u2066c" in said and r"\u0000" in said
    assert page.locator("#browse :is(img, script, a, iframe)").count() == 0


def test_the_policy_runs_no_other_script(page):
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.own = 1'}))"
    )
    assert page.evaluate("window.own") is None
    assert any("Content Security Policy" in one for one in page.complaints)
    page.complaints.clear()


def test_the_theme_is_chosen_and_stays(page):
    def paper():
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.emulate_media(color_scheme="dark")
    dark = paper()
    page.keyboard.press("t")
    light = paper()
    assert dark != light and page.locator("#theme").inner_text() == "Theme: light"
    page.reload()
    page.asked.pop()
    assert paper() == light
    page.keyboard.press("t")
    assert paper() == dark


def test_on_paper_the_tables_and_the_chosen_trajectory_are_there_without_what_is_pressed(page):
    page.keyboard.press("j")
    page.emulate_media(media="print")
    for seen in ("section table", "figure svg[role=img]", "#episode"):
        assert page.locator(seen).first.is_visible(), seen
    for unseen in ("#filters", "#list", "#theme", "nav"):
        assert not page.locator(unseen).is_visible(), unseen


def test_without_scripts_the_figures_and_tables_are_there(browser, file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("figure svg[role=img]").is_visible() and page.locator("table").count() > 3
    said = page.locator("noscript")
    assert "needs JavaScript" in said.text_content() and said.bounding_box()["height"] > 10
    assert not page.locator("#filters").is_visible()
    context.close()


def test_nothing_but_what_scrolls_is_wider_than_a_telephone(page):
    page.set_viewport_size({"width": 360, "height": 740})
    page.keyboard.press("j")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_roles_and_names_are_those_that_a_screen_reader_tells(page):
    page.keyboard.press("j")
    told = json.dumps(page.locator("body").aria_snapshot())
    for wanted in ("banner", "main", "search", "listbox", "option", "status", "article", "figure", "img", "navigation"):
        assert re.search(f"- '?{wanted}\\b", told), wanted
