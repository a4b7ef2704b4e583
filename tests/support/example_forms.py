"""Counterexamples as extensive forms: those of the paper, and one for every check.

Figures are those of Kovařík et al. (2022); its players 1 and 2 are 0 and 1 here.
"""

from __future__ import annotations

from fractions import Fraction

from infoset.efg import (
    ExtensiveForm,
    Node,
    Outcome,
    chance,
    decision,
    extensive_form_from_nodes,
    terminal,
)

HALF = Fraction(1, 2)


def pair_of_ends(sign: int) -> dict[str, Node]:
    return {"H": terminal(sign, -sign), "T": terminal(-sign, sign)}


def matching_pennies() -> ExtensiveForm:
    """Player 1 guesses what player 0 hid: a valid classical form."""
    guess = {
        "H": decision(1, "guess", pair_of_ends(-1), name="hidden H"),
        "T": decision(1, "guess", pair_of_ends(1), name="hidden T"),
    }
    return extensive_form_from_nodes(decision(0, "hide", guess), name="matching pennies")


def not_timeable() -> ExtensiveForm:
    """Figure 5, left: g in I precedes h in J, and h' in J precedes g' in I."""
    g = decision(
        0,
        "I",
        {
            "H": decision(1, "J", pair_of_ends(1), name="h"),
            "T": decision(1, "J", pair_of_ends(-1)),
        },
        name="g",
    )
    h = decision(
        1,
        "J",
        {
            "H": decision(0, "I", pair_of_ends(-1), name="g'"),
            "T": decision(0, "I", pair_of_ends(1)),
        },
        name="h'",
    )
    root = chance({"g": (HALF, g), "h'": (HALF, h)})
    return extensive_form_from_nodes(root, name="Figure 5, left")


def two_augmentations() -> tuple[ExtensiveForm, ExtensiveForm]:
    """A variant of Figure 5, right: one classical form with two augmentations.

    Chance tosses a coin, player 0 bets without seeing it, and player 1 responds with knowledge of
    it. In one augmentation, only player 1 sees the coin, before the bet. In the other, all players
    see it after the bet. Acting players have the same information in both.
    """
    return _coin("early", "seen early, by one"), _coin("late", "seen late, by both")


def _coin(when: str, name: str) -> ExtensiveForm:
    def end(side: str, bet: str, answer: str) -> Node:
        paid = (1 if bet == side else -1) * (2 if answer == "raise" else 1)
        known = f"{side} {bet} {answer}"
        return terminal(paid, -paid, sees={0: known, 1: known}, public=known)

    def reply(side: str, bet: str) -> Node:
        both = f"{side} {bet}"
        ends = {answer: end(side, bet, answer) for answer in ("call", "raise")}
        shown = f"? {bet}" if when == "early" else both
        return decision(1, both, ends, sees={0: shown}, public=shown)

    def toss(side: str) -> Node:
        replies = {bet: reply(side, bet) for bet in "HT"}
        seen = side if when == "early" else "?"
        return decision(0, "bet", replies, sees={1: seen}, public="tossed")

    moves = {side: (HALF, toss(side)) for side in "HT"}
    return extensive_form_from_nodes(
        chance(moves, sees={0: "start", 1: "start"}, public="start"), name=name
    )


def levels_apart() -> ExtensiveForm:
    """A variant of Figure 6: public sets are levels, and one path skips the level of h0."""

    def guess(name: str, sign: int) -> Node:
        ends = {
            side: terminal(paid, -paid, public="level 3")
            for side, paid in (("H", sign), ("T", -sign))
        }
        return decision(1, "guess", ends, public="level 2", name=name)

    h0 = decision(0, "step", {"on": guess("after h0", 1)}, public="level 1", name="h0")
    moves = {"h0": (HALF, h0), "past it": (HALF, guess("past h0", -1))}
    return extensive_form_from_nodes(chance(moves, public="level 0", name="start"), name="Figure 6")


def checked_poker(rounds: int) -> ExtensiveForm:
    """Figure 4: poker of which only the checks are left, with a public card before each round."""

    def play(hands: str, board: str) -> Node:
        if len(board) == rounds - 1:
            following = terminal(0, 0)
        else:
            following = chance({card: (HALF, play(hands, board + card)) for card in "JQ"})
        second = decision(1, f"{hands[1]} {board}", {"check": following})
        return decision(0, f"{hands[0]} {board}", {"check": second})

    deals = [first + second for first in "JQ" for second in "JQ"]
    root = chance({hands: (HALF**2, play(hands, "")) for hands in deals})
    return extensive_form_from_nodes(root, name="Figure 4")


def staircase(steps: int) -> ExtensiveForm:
    """Figure 7 with N = `steps`: h_1, h_2, … of player 1, each with an edge to g_n of player 0.

    All g_n are in one information set, and have the time of the last one.
    """
    lower = _way_out(steps, "right")
    for number in range(steps - 1, 0, -1):
        moves = {"out": _way_out(number, "left"), "on": lower}
        lower = decision(1, f"h{number}", moves, name=f"h{number}")
    return extensive_form_from_nodes(lower, name=f"Figure 7, N = {steps}")


def _way_out(number: int, good: str) -> Node:
    paid = {side: int(side == good) for side in ("left", "right")}
    ends = {side: terminal(value, -value) for side, value in paid.items()}
    return decision(0, "out", ends, name=f"g{number}")


def absent_minded_driver() -> ExtensiveForm:
    """Two indistinguishable crossings; the second exit has value 4 (Piccione, Rubinstein)."""
    second = decision(0, "crossing", {"exit": terminal(4), "go on": terminal(1)}, name="second")
    first = decision(0, "crossing", {"exit": terminal(0), "go on": second}, name="first")
    return extensive_form_from_nodes(first, players=1, name="absent-minded driver")


def forgetful() -> ExtensiveForm:
    """Player 0 hides a coin, forgets where, and must name the place: imperfect recall only."""

    def say(side: str) -> Node:
        ends = {guess: terminal(int(guess == side), 0) for guess in "HT"}
        return decision(0, "say", ends, name=f"hid {side}")

    return extensive_form_from_nodes(
        decision(0, "hide", {side: say(side) for side in "HT"}), name="forgetful"
    )


def thick_infoset() -> ExtensiveForm:
    """Player 1 does not notice the first move of player 0: its infoset spans two moves."""
    end = terminal(1, -1, sees={0: "over", 1: "over"}, public="over")
    second = decision(0, "two", {"on": end}, sees={1: "waiting"}, public="playing", name="second")
    first = decision(0, "one", {"on": second}, sees={1: "waiting"}, public="playing", name="first")
    return extensive_form_from_nodes(first, name="thick infoset")


def thick_public_set() -> ExtensiveForm:
    """All players observe the move, but the public sets do not contain it."""
    end = terminal(1, -1, sees={0: "over", 1: "over"}, public="over")
    second = decision(0, "two", {"on": end}, sees={1: "later"}, public="playing", name="second")
    first = decision(0, "one", {"on": second}, sees={1: "before"}, public="playing", name="first")
    return extensive_form_from_nodes(first, name="thick public set")


def action_mismatch() -> ExtensiveForm:
    """Player 1 does not observe what was hidden, but its legal actions reveal it."""
    guess = {
        "H": decision(1, "guess", pair_of_ends(-1), name="hidden H"),
        "T": decision(1, "guess", {"T": terminal(-1, 1), "H": terminal(1, -1)}, name="hidden T"),
    }
    return extensive_form_from_nodes(decision(0, "hide", guess), name="action mismatch")


def actor_mismatch() -> ExtensiveForm:
    """Whether player 1 acts depends on information that it does not have."""

    def known(name: str) -> dict[int, str]:
        return {0: name, 1: name}

    ends = {
        answer: terminal(-1, 1, sees=known(answer), public="answered") for answer in ("yes", "no")
    }
    asked = decision(1, "later", ends, sees={0: "asked"}, public="later", name="asked")
    passed = terminal(0, 0, sees={0: "passed", 1: "later"}, public="later", name="passed")
    root = decision(0, "ask", {"ask": asked, "pass": passed}, sees={1: "before"}, public="before")
    return extensive_form_from_nodes(root, name="actor mismatch")


def public_mismatch() -> ExtensiveForm:
    """What was hidden is declared as public, but player 1 does not observe it."""

    def guess(side: str) -> Node:
        ends = {
            guess: terminal(1, -1, sees={0: f"{side} {guess}", 1: guess}, public="over")
            for guess in ("H?", "T?")
        }
        shown = f"shown {side}"
        return decision(1, "guess", ends, sees={0: side}, public=shown, name=f"hidden {side}")

    hide = {side: guess(side) for side in "HT"}
    return extensive_form_from_nodes(
        decision(0, "hide", hide, sees={1: "start"}, public="start"), name="public mismatch"
    )


def hidden_reward() -> ExtensiveForm:
    """A thief takes one of two wallets, and must run or take another before opening it."""

    def wallet(money: int) -> Node:
        ends = {"run": terminal(), "another": terminal(2, 0)}
        return decision(0, "outside", ends, outcome=Outcome((money, 0)), name=f"wallet of {money}")

    moves = {"thin": (HALF, wallet(1)), "thick": (HALF, wallet(9))}
    return extensive_form_from_nodes(chance(moves), name="the thief")
