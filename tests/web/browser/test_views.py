"""Every view of the page, by mouse and by keyboard."""

from __future__ import annotations

import re
import time

import pytest

import infoset
from tests.support.market import Market
from tests.web.browser.visitor import expect, number_text, parsed

pytestmark = pytest.mark.browser
HANDS = pytest.mark.parametrize("hand", ["mouse", "keyboard"])


def wait_until(condition, seconds=20.0):
    """Wait for something that happens outside the page."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def percents(text):
    """Return the percentages in a text of the page."""
    return [float(number) for number in re.findall(r"([\d.]+)%", text)]


@HANDS
def test_public_states_and_policies_are_explored(visit, leduc, hand):
    visitor = visit(leduc.url, hand)
    page = visitor.page
    expect(page).to_have_title("leduc_poker · infoset")
    visitor.explore("∅", "raise")
    state = page.get_by_role("region", name="public state", exact=True)
    expect(page.get_by_role("navigation", name="path")).to_contain_text("raise")
    table = page.get_by_role("region", name="infostates of player 1")
    row = table.get_by_role("row").filter(has_text="Js")
    expect(row).to_contain_text("33.3%")
    visitor.choose("policy", "lp")
    # The numbers are those of the library.
    policy = infoset.solve("leduc_poker", "lp").policy
    probability = policy["[Js] / raise", 1]["fold"]
    expect(row).to_contain_text(f"{100 * probability:.1f}%")
    expect(state).to_contain_text(re.compile(r"reached in \d+\.\d% of plays"))

    details = state.get_by_role("group").filter(has_text="histories")
    visitor.press(details.locator("summary"))
    histories = page.get_by_role("region", name="histories", exact=True)
    expect(histories.get_by_role("row")).to_have_count(31)
    visitor.press(page.get_by_role("navigation", name="path").get_by_role("button", name="start"))
    expect(page.get_by_role("treeitem").first).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("place", ["server", "file"])
def test_an_address_leads_back_to_a_view_a_policy_and_a_state(visit, kuhn, saved, place):
    visitor = visit(kuhn.url if place == "server" else saved)
    page = visitor.page
    here = page.get_by_role("navigation", name="path").locator("[aria-current]")
    expect(here).to_have_text("∅")
    visitor.choose("policy", "lp")
    visitor.explore("∅", "pass", "bet")
    expect(here).to_have_text("bet")
    address = page.url
    visitor.show("compare")
    assert page.url != address
    page.go_back()
    expect(here).to_have_text("bet")
    page.go_back()
    expect(here).to_have_text("pass")
    page.go_forward()
    expect(here).to_have_text("bet")
    page.reload()
    expect(here).to_have_text("bet")
    chosen = visitor.root.get_by_role("combobox", name="policy", exact=True)
    expect(chosen.locator("option:checked")).to_have_text("lp")
    # The address opens the same place in another window, and wrong numbers open the first one.
    other = visit(address)
    expect(other.page.get_by_role("treeitem", selected=True)).to_contain_text("bet")
    wrong = visit("/".join([address.split("/explore/")[0], "nowhere", "99", "x"]))
    expect(wrong.page.get_by_role("treeitem", selected=True)).to_contain_text("∅")


def test_a_place_that_does_not_exist_leads_to_the_start(visit, kuhn):
    visitor = visit(f"{kuhn.url}/explore/0/12345")
    expect(visitor.page.get_by_role("alert").first).to_contain_text("from 0 to")
    visitor.press(visitor.page.get_by_role("button", name="go to the start"))
    expect(visitor.page.get_by_role("treeitem", selected=True)).to_contain_text("start")
    visitor.errors.clear()  # the browser logs refused questions


def test_a_file_without_the_first_decision_opens_at_the_start(visit, kuhn, tmp_path):
    kuhn.save(tmp_path / "start.html", depth=0)
    visitor = visit((tmp_path / "start.html").as_uri())
    here = visitor.page.get_by_role("navigation", name="path").locator("[aria-current]")
    expect(here).to_have_text("start")


@HANDS
def test_public_forms_show_ends_and_equity(visit, hand):
    game = infoset.load("leduc_poker(num_raises=1)")
    with infoset.explore(infoset.build_public_form(game), ["uniform"], open_browser=False) as shown:
        visitor = visit(shown.url, hand)
        page = visitor.page
        visitor.explore("raise", "fold")
        expect(page.get_by_role("navigation", name="path")).to_contain_text("fold")
        table = page.get_by_role("region", name="infostates of player 0")
        expect(table.get_by_role("columnheader", name="equity")).to_have_count(0)
        visitor.press(
            page.get_by_role("navigation", name="path").get_by_role("button", name="start")
        )
        expect(table.get_by_role("columnheader", name="equity")).to_be_visible()
        expect(table.get_by_role("row").filter(has_text="Ks")).to_contain_text("70.0%")
        expect(page.get_by_role("group").filter(has_text="histories")).to_have_count(0)


def test_players_have_the_names_of_the_game(visit):
    with infoset.explore(Market(), ["uniform"], against=["uniform"], open_browser=False) as shown:
        visitor = visit(shown.url)
        page = visitor.page
        visitor.explore("∅", "2")
        expect(page.get_by_role("region", name="infostates of buyer")).to_be_visible()
        expect(page.get_by_role("treeitem", selected=True)).to_have_attribute(
            "title", re.compile("buyer acts$")
        )
        visitor.show("play")
        visitor.choose("you are", "buyer")
        visitor.press(page.get_by_role("button", name="begin"))
        expect(page.get_by_role("listitem").filter(has_text="seller: ")).to_be_visible()
        expect(page.get_by_text(re.compile("player [01]"))).to_have_count(0)


@HANDS
def test_a_state_that_is_never_reached_says_so(visit, leduc, hand):
    visitor = visit(leduc.url, hand)
    visitor.choose("policy", "lp")
    note = visitor.page.get_by_role("note").filter(has_text="never reaches")
    visitor.open_beliefs()
    states = leduc.explorer
    never = next(
        answer
        for state in range(len(states.tree.public_tree.parent))
        if (answer := states.ask({"ask": "state", "policy": 1, "state": state}))["values"] is None
    )
    visitor.explore(*(link["label"] for link in never["path"][1:]))
    expect(note).to_be_visible()
    expect(visitor.page.get_by_text("belief of an onlooker")).to_have_count(0)


@HANDS
def test_words_explain_themselves(visit, kuhn, hand):
    visitor = visit(kuhn.url, hand)
    word = visitor.page.get_by_role("button", name="exploitability")
    meaning = visitor.page.get_by_role("tooltip")
    expect(word).to_be_visible()
    expect(meaning).to_have_count(0)
    if hand == "mouse":
        word.hover()
        expect(meaning).to_contain_text("NashConv")
        visitor.page.mouse.move(0, 0)
    else:
        visitor.press(word)
        expect(meaning).to_contain_text("NashConv")
        visitor.page.keyboard.press("Escape")
    expect(meaning).to_have_count(0)


@HANDS
def test_leaks_are_ranked_and_lead_to_their_state(visit, leduc, hand):
    visitor = visit(leduc.url, hand)
    page = visitor.page
    visitor.show("leaks")
    visitor.choose("policy", "uniform")
    uniform = leduc.explorer.policy_names.index("uniform")
    states = page.get_by_role("region", name="public states with leaks")
    first = leduc.explorer.ask({"ask": "state_leaks", "policy": uniform})["states"][0]
    leaks = page.get_by_role("region", name="suboptimal decisions")
    found = leduc.explorer.ask({"ask": "leaks", "policy": uniform})
    assert found["total"] == 936
    expect(page.get_by_text("936 suboptimal decisions, those shown")).to_be_visible()
    expect(leaks.get_by_role("row").nth(1)).to_contain_text(found["leaks"][0]["label"])
    expect(states.get_by_role("row")).to_have_count(11)
    expect(states.get_by_role("row").nth(1)).to_contain_text(first["label"])
    expect(leaks.get_by_role("row")).to_have_count(51)
    visitor.press(page.get_by_role("button", name="show more").nth(1))
    expect(leaks.get_by_role("row")).to_have_count(101)
    entry = found["leaks"][4]
    visitor.press(leaks.get_by_role("button", name=entry["label"], exact=True))
    expect(page.get_by_role("tab", name="explore")).to_have_attribute("aria-selected", "true")
    path = leduc.explorer.ask({"ask": "state", "policy": uniform, "state": entry["state"]})["path"]
    here = page.get_by_role("navigation", name="path").locator("[aria-current]")
    expect(here).to_have_text(path[-1]["label"])


@HANDS
def test_a_part_is_solved_again_and_its_policy_is_shown(visit, hand):
    with infoset.explore("leduc_poker", ["uniform"], open_browser=False) as shown:
        visitor = visit(shown.url, hand)
        page = visitor.page
        visitor.explore("∅", "raise")
        visitor.press(page.get_by_role("button", name="solve again from here on"))
        name = "uniform, mended at raise"
        show = page.get_by_role("button", name=f"show {name}")
        expect(show).to_be_visible(timeout=30_000)  # methods compile
        before, after = (
            policy["exploitability"] for policy in shown.explorer.ask({"ask": "game"})["policies"]
        )
        assert after < before - 0.5
        expect(page.get_by_text(f"{before:.5f} → {after:.5f}")).to_be_visible()
        visitor.press(show)
        chosen = visitor.root.get_by_role("combobox", name="policy", exact=True)
        expect(chosen.locator("option:checked")).to_have_text(name)
        expect(page.get_by_role("tabpanel")).to_contain_text(f"exploitability {after:.5f}")


@HANDS
def test_a_class_of_hands_lists_its_hands_and_an_infostate_its_losses(visit, hand):
    river = "nolimit_endgame(board=Ks9d8h4s2c,ranges=['AA,KK,QJs', 'AK,QQ'],bets=[1])"
    form = infoset.build_public_form(river)
    with infoset.explore(form, ["dcfr"], open_browser=False) as shown:
        visitor = visit(shown.url, hand)
        page = visitor.page
        grid = page.get_by_role("region", name="hands of player 0")
        table = page.get_by_role("region", name="infostates of player 0")
        about = page.get_by_role("complementary", name="chosen infostate")
        visitor.press(grid.get_by_role("button", name="QJs", exact=True))
        expect(table.get_by_role("row")).to_have_count(1 + 4)
        visitor.press(grid.get_by_role("button", name="KK", exact=True))
        expect(table.get_by_role("row")).to_have_count(1 + 3)
        expect(about.get_by_role("heading").first).to_contain_text("KhKd")
        visitor.press(table.get_by_role("button", name="KdKc"))
        expect(about.get_by_role("heading").first).to_contain_text("KdKc")
        answer = shown.explorer.ask({"ask": "infostates", "policy": 0, "state": 0, "player": 0})
        held = next(row for row in answer["infostates"] if row["label"] == "KdKc")
        best = max(action["value"] for action in held["actions"])
        for action in held["actions"]:
            row = about.get_by_role("row").filter(has_text=re.compile(f"^ ?{action['label']}"))
            cells = [number_text(action["value"]), number_text(best - action["value"])]
            expect(row.get_by_role("cell").nth(1)).to_have_text(cells[0])
            expect(row.get_by_role("cell").nth(2)).to_have_text(cells[1])
        # With two kings of a player and one on the board, the other has one king at most.
        asked = {"player": 0, "infostate": held["infostate"], "other": 1}
        belief = shown.explorer.ask({"ask": "player_belief", "policy": 0, "state": 0, **asked})
        entries = about.get_by_role("listitem")
        expect(entries).to_have_count(len(belief["entries"]))
        for entry in belief["entries"]:
            text = f"{entry['label']}{100 * entry['probability']:.1f}%"
            expect(entries.filter(has_text=text)).to_have_count(1)


@HANDS
def test_two_policies_are_compared_and_a_difference_leads_to_its_state(visit, leduc, hand):
    visitor = visit(leduc.url, hand)
    page = visitor.page
    visitor.show("compare")
    differences = page.get_by_role("region", name="differences")
    found = leduc.explorer.ask({"ask": "differences", "first": 0, "second": 1})
    expect(page.get_by_text(f"{found['total']} infostates; sorted by")).to_be_visible()
    expect(differences.get_by_role("row")).to_have_count(51)
    visitor.press(page.get_by_role("button", name="show more"))
    expect(differences.get_by_role("row")).to_have_count(101)
    entry = found["differences"][2]
    visitor.press(differences.get_by_role("button", name=entry["label"], exact=True))
    expect(page.get_by_role("tab", name="explore")).to_have_attribute("aria-selected", "true")
    path = leduc.explorer.ask({"ask": "state", "policy": 0, "state": entry["state"]})["path"]
    here = page.get_by_role("navigation", name="path").locator("[aria-current]")
    expect(here).to_have_text(path[-1]["label"])
    expect(page.get_by_role("treeitem", selected=True)).to_contain_text(path[-1]["label"])
    visitor.show("compare")
    visitor.choose("second", "uniform")
    expect(page.get_by_role("note")).to_contain_text("two different policies")


@HANDS
def test_a_run_is_watched_stopped_and_its_policy_shown(visit, leduc, hand):
    visitor = visit(leduc.url, hand)
    page = visitor.page
    visitor.explore("∅", "raise")
    visitor.show("watch")
    visitor.choose("method", "cfr+")
    visitor.press(page.get_by_role("button", name="start", exact=True))
    moving = page.get_by_role("group").filter(has_text="cfr+ at the chosen public state")
    expect(moving).to_contain_text("fold", timeout=60_000)  # the first run compiles
    before = moving.inner_text()
    expect(moving).not_to_have_text(before, use_inner_text=True)
    expect(page.get_by_text(re.compile(r"cfr\+ [3-9]\d iterations"))).to_be_visible(timeout=20_000)
    expect(page.get_by_role("img", name="NashConv by iterations")).to_be_visible()
    visitor.press(page.get_by_role("button", name="stop cfr+"))
    expect(page.get_by_text("(interrupted)")).to_be_visible()
    points = [message for message in parsed(visitor.frames) if "iteration" in message]
    assert points[-1]["nash_conv"] < 0.5 * points[0]["nash_conv"]
    assert points[0]["probabilities"].keys() == points[-1]["probabilities"].keys()
    # Ten points a second, and the first and the last one.
    assert len(points) <= 10 * points[-1]["seconds"] + 2
    visitor.show("explore")
    visitor.choose("policy", leduc.explorer.policy_names[-1])
    expect(page.get_by_role("tabpanel")).to_contain_text(re.compile(r"exploitability \d"))


@HANDS
def test_a_run_is_watched_on_a_public_form(visit, hand):
    river = "nolimit_endgame(board=Ks9d8h4s2c,ranges=['AA,KK,QJs', 'QQ,JJ,T9s'],bets=[1])"
    form = infoset.build_public_form(river)
    with infoset.explore(form, ["uniform"], open_browser=False) as shown:
        visitor = visit(shown.url, hand)
        page = visitor.page
        visitor.show("watch")
        visitor.choose("method", "dcfr+")
        visitor.press(page.get_by_role("button", name="start", exact=True))
        moving = page.get_by_role("group").filter(has_text="dcfr+ at the chosen public state")
        expect(moving).to_contain_text("AA", timeout=60_000)  # the first run compiles
        visitor.press(page.get_by_role("button", name="stop dcfr+"))
        expect(page.get_by_text("(interrupted)")).to_be_visible()
        last = [message for message in parsed(visitor.frames) if "iteration" in message][-1]
        assert [grid["player"] for grid in last["hands"]] == [0]
        aces = last["hands"][0]["cells"][0][0]
        cell = moving.get_by_role("cell").filter(has_text=re.compile("^AA$"))
        seen = percents(cell.get_attribute("title") or "")
        percent = [100 * share for share in (aces["probability"], *aces["actions"])]
        assert seen == pytest.approx(percent, abs=0.06)
        # The policy of the run is one of the page, with its beliefs and values.
        visitor.show("explore")
        visitor.choose("policy", shown.explorer.policy_names[-1])
        question = {"ask": "infostates", "policy": 1, "state": 0, "player": 0}
        answer = shown.explorer.ask(question)
        held = answer["infostates"][0]
        panel = page.get_by_role("tabpanel")
        expect(panel).to_contain_text(
            re.compile(r"exploitability [\d.e−]+ \([\d.e−]+% of the pot\)")
        )
        value = shown.explorer.ask({"ask": "game"})["policies"][1]["values"][0]
        values = f"values {value:.4f} ({value + 50:.4f} with the pot)"
        expect(panel).to_contain_text(values.replace("-", "−"))
        shown_frequencies = page.locator(".player-part .facts").first
        often = pytest.approx([100 * share for share in answer["frequencies"]], abs=0.11)
        visitor.wait_until(lambda: percents(shown_frequencies.inner_text()) == often)
        # The hands of a class are listed if the class is chosen.
        table = page.get_by_role("region", name="infostates of player 0")
        grid = page.get_by_role("region", name="hands of player 0")
        visitor.press(grid.get_by_role("button", name=held["hand"], exact=True))
        row = table.get_by_role("row").filter(
            has=page.get_by_role("rowheader", name=held["label"], exact=True)
        )
        shares = (*(a["probability"] for a in held["actions"]), held["equity"], held["probability"])
        expected = pytest.approx([100 * share for share in shares], abs=0.06)
        visitor.wait_until(lambda: percents(row.inner_text()) == expected)


def test_two_runs_go_on_at_a_time_and_end_with_the_page(visit, leduc):
    visitor = visit(leduc.url)
    visitor.show("watch")
    start = visitor.page.get_by_role("button", name="start", exact=True)
    for method in ("cfr+", "dcfr"):
        visitor.choose("method", method)
        visitor.press(start)
        expect(visitor.page.get_by_role("button", name=f"stop {method}")).to_be_visible()
    expect(start).to_be_disabled()
    rows = visitor.page.get_by_role("listitem").filter(has_text="iterations")
    expect(rows).to_have_count(2, timeout=60_000)
    visitor.page.goto("about:blank")
    wait_until(lambda: all(run.is_over for run in leduc.explorer._runs))
    visitor.errors.clear()


@HANDS
def test_an_extensive_form_shows_its_histories_and_infostates(visit, form, hand):
    visitor = visit(form.url, hand)
    page = visitor.page
    expect(page.get_by_role("tab")).to_have_text(["explore", "play"])
    visitor.explore("red", "raise")
    history = page.get_by_role("region", name="history", exact=True)
    expect(history).to_contain_text("at sees a raise")
    expect(history).to_contain_text("25.0%")
    expect(history.get_by_role("listitem").filter(has_text="holds black")).to_contain_text("50.0%")


@HANDS
def test_a_game_too_large_to_build_says_so_and_is_played(visit, rules, hand):
    visitor = visit(rules.url, hand)
    page = visitor.page
    expect(page.get_by_role("note").first).to_contain_text("too large")
    expect(page.get_by_role("tab")).to_have_text(["play"])
    visitor.press(page.get_by_role("button", name="begin"))
    actions = page.get_by_role("group", name="your actions")
    expect(actions.get_by_role("button").first).to_be_visible()
    if hand == "mouse":
        actions.get_by_role("button").first.click()
    else:
        page.keyboard.press("1")
    lines = page.get_by_role("region", name="play").get_by_role("listitem")
    expect(lines.filter(has_text="you: play 0")).to_be_visible()


@HANDS
def test_a_saved_page_opens_from_disk(visit, saved, kuhn, hand):
    visitor = visit(saved, hand)
    page = visitor.page
    expect(page).to_have_title("kuhn_poker · infoset")
    expect(page.get_by_role("tab")).to_have_text(["explore", "leaks", "compare"])
    visitor.choose("policy", "lp")
    visitor.explore("∅", "bet")
    table = page.get_by_role("region", name="infostates of player 1")
    king = page.get_by_role("rowheader", name="K", exact=True)
    expect(table.get_by_role("row").filter(has=king)).to_contain_text("100.0%")
    visitor.show("leaks")
    expect(page.get_by_text("an equilibrium")).to_be_visible()
    visitor.show("compare")
    expect(page.get_by_role("region", name="differences").get_by_role("row")).to_have_count(
        1 + kuhn.explorer.ask({"ask": "differences", "first": 0, "second": 1})["total"]
    )
    assert [url.split(":")[0] for url in visitor.requests] == ["file"]
