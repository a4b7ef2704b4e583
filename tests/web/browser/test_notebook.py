"""The page in a notebook of JupyterLab, and the questions that all places of the page answer."""

from __future__ import annotations

import re

import psutil
import pytest

import infoset
from tests.web.browser.visitor import expect

pytestmark = pytest.mark.browser
EXPLORE = """import infoset, os
page = infoset.explore("kuhn_poker", ["uniform", "lp"])
page"""


def output(visitor, code):
    """Run code in the last cell; return what it printed."""
    page = visitor.page
    cells = page.locator(".jp-CodeCell")
    cells.last.locator(".cm-content").click()
    prompt = cells.last.locator(".jp-InputPrompt")
    before = prompt.inner_text()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    expect(prompt).not_to_have_text(before)
    expect(prompt).to_have_text(re.compile(r"\[\d+\]"), timeout=30_000)
    printed = cells.last.locator(".jp-OutputArea-output")
    return printed.last.inner_text().strip() if printed.count() else ""


@pytest.mark.parametrize("place", ["server", "file", "notebook"])
def test_a_game_is_explored_in_every_place(visit, kuhn, saved, request, place):
    if place == "notebook":
        visitor = request.getfixturevalue("notebook")(EXPLORE)
    else:
        visitor = visit(kuhn.url if place == "server" else saved)
    root = visitor.root
    visitor.choose("policy", "lp")
    visitor.explore("∅", "pass", "bet")
    for player in (0, 1):
        table = root.get_by_role("region", name=f"infostates of player {player}")
        at = {"policy": 1, "state": state_of(kuhn, "pass", "bet"), "player": player}
        entries = kuhn.explorer.ask({"ask": "infostates", **at})["infostates"]
        expect(table.get_by_role("row")).to_have_count(1 + len(entries))
        for entry in entries:
            row = table.get_by_role("row").filter(
                has=visitor.page.get_by_role("rowheader", name=entry["label"], exact=True)
            )
            expect(row).to_contain_text(f"{entry['own_reach']:.3f}".replace("0.000", "0"))
    expect(visitor.open_beliefs()).to_contain_text("K")
    visitor.show("compare")
    found = kuhn.explorer.ask({"ask": "differences", "first": 0, "second": 1})
    rows = root.get_by_role("region", name="differences").get_by_role("row")
    expect(rows).to_have_count(1 + found["total"])


def hold_first(page, **question):
    """Hold back the first answer to a question; return a function that lets it go and waits."""
    held = []

    def handle(route):
        asked = route.request.post_data_json
        if not held and question.items() <= asked.items():
            held.append(route)
        else:
            route.continue_()

    def release():
        with page.expect_response(lambda answer: answer.request == held[0].request):
            held[0].continue_()
        page.evaluate("() => new Promise(done => setTimeout(done, 200))")

    page.route("**/ask", handle)
    return release


def test_a_late_answer_closes_nothing(visit, kuhn):
    visitor = visit(kuhn.url)
    visitor.explore("∅")
    release = hold_first(visitor.page, ask="children", state=state_of(kuhn))
    visitor.choose("policy", "lp")
    below = visitor.root.get_by_role("treeitem", name="pass").first
    visitor.root.get_by_role("treeitem", name="∅").click()
    below.click()
    expect(below).to_have_attribute("aria-expanded", "true")
    release()
    expect(below).to_have_attribute("aria-expanded", "true")


def test_a_late_answer_about_another_policy_changes_nothing(visit):
    # Frequencies, which stand beside the pages of a table, are shown for hands only.
    form = infoset.build_public_form("nolimit_endgame(board=Ks9d8h4s2c,ranges=['AA,KK', 'QQ'])")
    with infoset.explore(form, ["uniform", "dcfr"], open_browser=False) as shown:
        visitor = visit(shown.url)
        frequencies = visitor.page.locator(".player-part .facts").first
        expect(frequencies).to_contain_text("check 25.0%")
        asked = {"ask": "infostates", "policy": 1, "state": 0, "player": 0, "start": 0}
        share = shown.explorer.ask(asked)["frequencies"][0]
        assert share > 0.3
        visitor.choose("policy", "dcfr")
        expect(frequencies).to_contain_text(f"check {100 * share:.1f}%")
        release = hold_first(visitor.page, ask="infostates", policy=0, player=0)
        visitor.choose("policy", "uniform")
        with visitor.page.expect_response(lambda answer: answer.request.post_data_json == asked):
            visitor.choose("policy", "dcfr")
        release()
        expect(frequencies).to_contain_text(f"check {100 * share:.1f}%")


def test_a_late_solution_is_not_shown_at_another_state(visit):
    with infoset.explore("kuhn_poker", ["uniform"], open_browser=False) as shown:
        visitor = visit(shown.url)
        page = visitor.page
        found = page.get_by_text("→")
        visitor.explore("∅", "bet")
        release = hold_first(page, ask="mend")
        visitor.press(page.get_by_role("button", name="solve again from here on"))
        visitor.explore("∅", "pass")
        release()
        expect(page.get_by_role("button", name="solve again from here on")).to_be_visible()
        expect(found).to_have_count(0)
        visitor.explore("∅", "bet")
        expect(found).to_be_visible()


def state_of(page, *labels):
    """The public state below the deal that labels lead to."""
    state = 1
    for label in labels:
        found = page.explorer.ask({"ask": "children", "policy": 0, "state": state})["children"]
        state = next(child["state"] for child in found if child["label"] == label)
    return state


def test_a_notebook_by_keyboard_keeps_its_cells(notebook):
    visitor = notebook(EXPLORE, hand="keyboard")
    page = visitor.page
    cells = page.locator(".jp-CodeCell")
    before = cells.count()
    visitor.root.get_by_role("tab", selected=True).focus()
    visitor.explore("∅", "bet")
    for key in ("b", "a", "x", "d", "d", "m", "0", "0", "j"):
        page.keyboard.press(key)
    visitor.show("play")
    visitor.press(visitor.root.get_by_role("button", name="begin"))
    expect(visitor.root.get_by_role("group", name="your actions")).to_be_visible()
    page.keyboard.press("p")
    expect(visitor.root.get_by_text("you: pass")).to_be_visible()
    assert cells.count() == before
    assert page.locator(".jp-MarkdownCell").count() == 0
    expect(page).not_to_have_title("kuhn_poker · infoset")
    # Outside the page the same key makes a new cell.
    cells.first.locator(".cm-content").click()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    expect(cells).to_have_count(before + 1)


def test_runs_of_a_notebook_are_watched_and_end_with_the_page_and_its_kernel(notebook, lab):
    visitor = notebook(EXPLORE, "1")
    root = visitor.root
    visitor.show("watch")
    visitor.choose("method", "cfr+")
    start = root.get_by_role("button", name="start", exact=True)
    visitor.press(start)
    running = root.get_by_text(re.compile(r"cfr\+ [1-9]\d* iterations"))
    expect(running).to_be_visible(timeout=60_000)
    runs = "[run.is_over for run in page.explorer._runs]"
    assert output(visitor, runs) == "[False]"
    # A cell that computes does not stop the run.
    visitor.page.keyboard.press("Escape")
    text = running.inner_text()
    output(visitor, "import time; time.sleep(1)")
    expect(running).not_to_have_text(text)
    visitor.press(root.get_by_role("button", name="stop cfr+"))
    expect(root.get_by_text("(interrupted)")).to_be_visible()
    visitor.show("explore")
    root.get_by_role("combobox", name="policy").select_option(index=2)
    expect(root.get_by_role("tabpanel")).to_contain_text(re.compile("exploitability"))

    # The page leaves the notebook, and its run ends.
    visitor.show("watch")
    visitor.press(start)
    expect(root.get_by_role("button", name="stop cfr+")).to_be_visible()
    visitor.page.locator(".jp-CodeCell").first.locator(".jp-InputPrompt").click()
    visitor.page.get_by_role("menuitem", name="Edit", exact=True).click()
    visitor.page.get_by_role("menuitem", name=re.compile("^Clear Cell Output")).click()
    expect(root).to_have_count(0)
    assert output(visitor, f"for run in page.explorer._runs: run.wait(20)\n{runs}") == "[True]"

    # The kernel ends although a run goes on.
    method = "[one.name for one in page.explorer.methods].index('cfr+')"
    start_run = f"run = page.explorer.start_run({method}, 0)\nrun.is_over"
    assert output(visitor, start_run) == "False"
    process = psutil.Process(int(output(visitor, "os.getpid()")))
    kernel = next(
        entry["kernel"]["id"]
        for entry in lab.ask("GET", "sessions")
        if entry["kernel"] and entry["path"] in visitor.url
    )
    lab.ask("DELETE", f"kernels/{kernel}")
    process.wait(20)


def test_a_kernel_that_has_ended_is_reported(notebook, lab):
    visitor = notebook(EXPLORE, "1")
    expect(visitor.root.get_by_role("heading", name="It believes that")).to_be_visible()
    visitor.show("watch")
    visitor.choose("method", "cfr+")
    visitor.press(visitor.root.get_by_role("button", name="start", exact=True))
    expect(visitor.root.get_by_role("button", name="stop cfr+")).to_be_visible()
    visitor.page.get_by_role("menuitem", name="Kernel", exact=True).click()
    visitor.page.get_by_role("menuitem", name=re.compile("^Restart Kernel…")).click()
    visitor.page.get_by_role("button", name="Confirm Kernel Restart").click()
    expect(visitor.root.get_by_role("alert")).to_contain_text("the kernel has ended")


def test_colors_follow_the_notebook_and_there_are_no_barriers(notebook, axe):
    visitor = notebook(EXPLORE)
    expect(visitor.root.get_by_role("heading", name="It believes that")).to_be_visible()
    found = {}
    for scheme, paper in (("light", "white"), ("dark", "black")):
        visitor.page.locator(".jp-Notebook").first.evaluate(
            """(it, paper) => {
                for (let at = it; at; at = at.parentElement) at.style.background = paper;
            }""",
            paper,
        )
        visitor.page.evaluate(f"document.body.dataset.jpThemeName = '{scheme}'")
        expect(visitor.root).to_have_attribute("data-scheme", scheme)
        found[scheme] = visitor.barriers(axe)
    assert found == {"light": [], "dark": []}


def test_two_pages_fit_in_a_notebook(notebook):
    visitor = notebook(EXPLORE)
    output(visitor, "page.widget()")
    expect(visitor.root).to_have_count(2)
    second = visitor.root.nth(1)
    second.get_by_role("tab", name="compare").click()
    expect(second.get_by_role("tab", name="compare")).to_have_attribute("aria-selected", "true")
    expect(visitor.root.first.get_by_role("tab", name="explore")).to_have_attribute(
        "aria-selected", "true"
    )
    ids = visitor.page.evaluate(
        "() => [...document.querySelectorAll('.infoset [id]')].map(it => it.id)"
    )
    assert len(ids) == len(set(ids)) > 0
    output(visitor, "page.close()")
    expect(visitor.root).to_have_count(0)
