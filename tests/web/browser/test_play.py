"""Plays to their end, and what the page is sent before it."""

from __future__ import annotations

import json
import re

import pytest

from infoset.views.labels import private_text
from tests.web.browser.visitor import expect, number_text, parsed

pytestmark = pytest.mark.browser

SEED = "() => {{ Crypto.prototype.getRandomValues = numbers => numbers.fill({}) }}"
"""Makes the page draw a seed of our choice."""
KNOWN = {"play", "human", "lines", "board", "actions", "is_over", "utility"}


def begin(visitor, opponent, player, seed):
    visitor.page.evaluate(SEED.format(seed))
    visitor.show("play")
    visitor.choose("against", opponent)
    visitor.choose("you are", f"player {player}")
    visitor.press(visitor.page.get_by_role("button", name=re.compile("begin|new play")))


def play_to_the_end(visitor, action="call"):
    """Take the same action until the end, with a mouse or by its first letter."""
    page = visitor.page
    actions = page.get_by_role("group", name="your actions").get_by_role("button")
    over = page.get_by_text("The play is over")
    expect(actions.first.or_(over)).to_be_visible()
    lines = page.get_by_role("region", name="play").get_by_role("list").first
    while not over.is_visible():
        before = lines.inner_text()
        if visitor.hand == "mouse":
            actions.filter(has_text=action).click()
        else:
            page.keyboard.press(action[0])
        expect(lines).not_to_have_text(before, use_inner_text=True)
        expect(actions.first.or_(over)).to_be_visible()


@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
def test_a_play_and_its_review(visit, leduc, hand):
    visitor = visit(leduc.url, hand)
    page = visitor.page
    begin(visitor, "pimc", 1, seed=5)
    play_to_the_end(visitor)
    ended = [answer for answer in parsed(visitor.answers()) if answer.get("is_over")]
    utility = ended[-1]["utility"]
    expect(page.get_by_text("The play is over")).to_contain_text(
        f"{abs(utility):.2f}".replace("0.00", "0")
    )
    visitor.choose("compare your decisions with", "lp")
    visitor.press(page.get_by_role("button", name="look at the play"))
    review = page.get_by_role("region", name="review of the play")
    expect(review).to_be_visible()
    answer = next(one for one in parsed(visitor.answers()) if "decisions" in one)
    losses = [decision["loss"] for decision in answer["decisions"]]
    assert losses == sorted(losses, reverse=True)
    expect(review.get_by_text(re.compile("^(no loss|lost)"))).to_have_count(len(losses))

    # The better action is hidden until it is asked for.
    decision = answer["decisions"][0]
    entry = review.get_by_role("listitem").filter(has_text="you chose").first
    assert decision["action"] in entry.inner_text()
    expect(entry.get_by_role("table")).to_have_count(0)
    visitor.press(entry.get_by_role("button", name="show what was better"))
    expect(entry.get_by_role("row")).to_have_count(1 + len(decision["actions"]))
    visitor.press(entry.get_by_role("button", name="hide"))
    expect(entry.get_by_role("table")).to_have_count(0)

    expect(review.get_by_text("(the truth)").first).to_be_visible()
    expect(review.get_by_text(re.compile(r"search: [\d,]+ worlds")).first).to_be_visible()


@pytest.mark.parametrize(
    ("opponent", "player", "seed"), [("lp", 0, 3), ("lp", 1, 4), ("pimc", 0, 7), ("pimc", 1, 8)]
)
def test_nothing_of_the_opponent_is_sent_before_the_end(visit, leduc, opponent, player, seed):
    visitor = visit(leduc.url)
    begin(visitor, opponent, player, seed)
    play_to_the_end(visitor)
    history = list(leduc.explorer._plays.values())[-1].play.history
    own, other = (private_text(history.infostates[p].steps) for p in (player, 1 - player))
    secret = other.split()[0]
    assert re.fullmatch("[JQK][sh]", secret)
    assert secret not in own
    *before, end = (text for text in visitor.answers() if '"is_over"' in text)
    assert before
    for text in before:
        message = json.loads(text)
        assert message.keys() == KNOWN
        assert message["utility"] is None
        assert secret not in text
    assert json.loads(end)["is_over"]
    # Other questions have answers that do not depend on the play.
    of_play = re.compile('"is_over"|"thoughts"')
    others = [text for text in visitor.answers() if not of_play.search(text)]
    page_alone = visit(leduc.url)
    page_alone.wait_until(lambda: set(others) <= set(page_alone.answers()))
    # After the end the review has what was withheld, so that this test would have seen it.
    visitor.press(visitor.page.get_by_role("button", name="look at the play"))
    expect(visitor.page.get_by_role("region", name="review of the play")).to_be_visible()
    review = next(text for text in visitor.answers() if '"thoughts"' in text)
    assert secret in review
    expect(visitor.page.get_by_text("(the truth)").first).to_be_visible()
    assert any('"is_true"' in text for text in visitor.answers())


def test_messages_are_equal_whatever_the_opponent_holds(visit, kuhn):
    """Non-interference: the same card and moves give the same bytes before the end."""
    twins = {}
    for seed in range(200):
        asked = {"ask": "play", "opponent": 0, "player": 1, "seed": seed}
        view = kuhn.explorer.ask(asked)
        history = kuhn.explorer._plays[view["play"]].play.history
        hidden = str(history.infostates[0])
        twins.setdefault(view["lines"], {}).setdefault(hidden, seed)
    pair = next(iter(hands.values() for hands in twins.values() if len(hands) == 2))
    visitors = [visit(kuhn.url) for _ in pair]
    for visitor, seed in zip(visitors, pair, strict=True):
        begin(visitor, "uniform", 1, seed)
        expect(visitor.page.get_by_role("group", name="your actions")).to_be_visible()

    def sent(visitor):
        """Return the answers; to questions asked at the same time they come in any order."""
        return sorted(re.sub('"play":[0-9]+', "", text) for text in visitor.answers())

    visitors[1].wait_until(lambda: sent(visitors[0]) == sent(visitors[1]))


def test_a_session_counts_its_plays_and_a_decision_is_played_again(visit, leduc):
    visitor = visit(leduc.url)
    page = visitor.page
    session = page.get_by_role("region", name="session")
    rows = session.get_by_role("row")
    begin(visitor, "uniform", 0, seed=1)
    expect(session).to_have_count(0)
    play_to_the_end(visitor)
    expect(rows).to_have_count(2)
    position = visitor.root.get_by_role("combobox", name="you are")
    expect(position.locator("option:checked")).to_have_text("player 1")
    visitor.press(page.get_by_role("button", name="new play"))
    expect(page.get_by_role("group", name="your actions")).to_be_visible()
    play_to_the_end(visitor)
    expect(rows).to_have_count(3)
    ended = [text for text in parsed(visitor.answers()) if text.get("is_over")]
    losses = [
        sum(decision["loss"] for decision in text["decisions"])
        for text in parsed(visitor.answers())
        if "decisions" in text
    ]
    for place, (end, loss) in enumerate(zip(ended, losses, strict=True), start=1):
        expect(rows.nth(place)).to_contain_text(f"player {end['human']}")
        expect(rows.nth(place).get_by_role("cell").nth(2)).to_have_text(
            number_text(end["utility"], 2)
        )
        expect(rows.nth(place).get_by_role("cell").nth(3)).to_have_text(number_text(loss))
    first, second = (end["utility"] for end in ended)
    mean = f"{(first + second) / 2:.2f}" if first + second else "0"
    error = f"{abs(first - second) / 2:.2f}"
    expect(session).to_contain_text(f"utility per play {mean} ± {error}".replace("-", "−"))

    # The same cards again, which does not count.
    lines = page.get_by_role("region", name="play").get_by_role("list").first
    before = lines.inner_text().splitlines()[0]
    visitor.press(page.get_by_role("button", name="look at the play"))
    visitor.press(page.get_by_role("button", name="play again from here").first)
    expect(page.get_by_role("group", name="your actions")).to_be_visible()
    assert lines.inner_text().splitlines()[0] == before
    play_to_the_end(visitor)
    expect(rows).to_have_count(4)
    expect(rows.nth(3)).to_contain_text("(again)")
    expect(session.get_by_role("heading")).to_have_text("2 plays")
    # An earlier play is shown once more.
    visitor.press(rows.nth(1).get_by_role("button", name="1", exact=True))
    expect(lines).to_have_text(re.compile(re.escape(ended[0]["lines"][0].split("|")[-1].strip())))
