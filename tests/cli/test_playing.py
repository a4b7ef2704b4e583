"""The command `play`: visible and hidden information, and replies to input."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.beliefs import private_belief
from infoset.cli import coach as coach_module
from infoset.cli.coach import Coach
from infoset.cli.commands.play import Table, find_choice, menu, play_interactively
from infoset.errors import UnknownNameError
from infoset.game import Game, Infostate, Observation, Step, initial_history
from infoset.games import load_game
from infoset.policy import tabulate, transfer_policy, uniform_policy
from infoset.tree import derive_public_form
from infoset.typing import NOOP
from infoset.views.styles import action_keys
from tests.support.cached_games import cached_tree
from tests.support.small_holdem import small_holdem

pytestmark = pytest.mark.broad

THE_END = "game over; the whole history:"
ALWAYS = "f\np\nc\nl\n1\n" * 20
"""Answers that fold, pass, call, doubt a bid or take the first action, whichever is offered."""


def test_a_play_from_beginning_to_end(command):
    ran = command("play", "kuhn_poker", "--seed", "3", stdin="x\nbet\n")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.splitlines() == [
        "kuhn_poker: you are player 0 of 2, against uniform",
        "answer with the name, its beginning, or the key of an action; ? lists these keys, q "
        "or Ctrl-D quits",
        "",
        "1. chance | you see K",
        "your move: [p] pass  [b] bet",
        "'x' is not a legal action, or the beginning of several; ? helps",
        "your move: [p] pass  [b] bet",
        "",
        THE_END,
        "kuhn_poker",
        "1. chance         | player 0 sees K | player 1 sees Q",
        "2. player 0: bet  | all see bet",
        "3. player 1: pass | all see pass",
        "end: player 0 gets +1, player 1 gets -1",
        "",
        "your total after 1 hand: +1",
        "another hand? Enter to play, q to quit",
    ]


def test_steps_that_the_player_does_not_see_say_so(command):
    ran = command("play", "phantom_ttt", "--seed", "1", stdin="1\nq\n")
    lines = [line for line in ran.out.splitlines() if line.startswith(("2. ", "3. "))]
    # Player 1 tries a cell; then it tries again, or the turn is filled up.
    assert lines == ["2. player 1 acts | you see nothing", "3. -             | you see nothing"]


@pytest.mark.parametrize(("game", "is_known"), [("kuhn_poker", True), ("matrix_rps", False)])
def test_help_names_the_command_that_describes_the_game(command, game, is_known):
    said = "infoset games kuhn_poker describes the rules"
    assert (said in command("play", game, stdin="?\nq\n").out) is is_known


def test_the_same_seed_gives_the_same_draws(command):
    arguments = ["play", "leduc_poker", "--player", "1", "--json"]
    plays = [command(*arguments, "--seed", seed, stdin=ALWAYS).json for seed in (7, 7, 8, 9)]
    assert plays[0] == plays[1]
    transcripts = [tuple(ran["hands"][0]["transcript"]) for ran in plays]
    assert len(set(transcripts)) > 1


def test_json_is_alone_on_standard_output(command):
    ran = command("play", "kuhn_poker", "--seed", "3", "--json", stdin="bet\n")
    assert ran.json == {
        "game": "kuhn_poker",
        "player": 0,
        "against": "uniform",
        "seed": 3,
        "hands": [
            {
                "finished": True,
                "rewards": [1, -1],
                "transcript": [
                    "kuhn_poker",
                    "1. chance         | player 0 sees K | player 1 sees Q",
                    "2. player 0: bet  | all see bet",
                    "3. player 1: pass | all see pass",
                    "end: player 0 gets +1, player 1 gets -1",
                ],
            }
        ],
    }
    assert "your move" in ran.err


@pytest.mark.parametrize("stdin", ["", "x\n", "\n\n"])
def test_the_end_of_input_is_a_polite_end(command, stdin):
    ran = command("play", "kuhn_poker", "--seed", "3", stdin=stdin)
    assert ran.code == 0
    assert "you quit" in ran.out
    assert THE_END not in ran.out
    assert "Q" not in ran.out
    (left,) = command("play", "kuhn_poker", "--seed", "3", "--json", stdin=stdin).json["hands"]
    assert left["finished"] is False
    assert left["rewards"] is None
    assert left["transcript"] == ["kuhn_poker, seen by player 0", "1. chance | you see K"]


class Answers(io.StringIO):
    """Standard input with given answers; exceptions among them are raised."""

    def __init__(self, *answers):
        super().__init__()
        self.answers = list(answers)

    def readline(self):
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def test_ctrl_c_exits_with_130(command):
    ran = command("play", "kuhn_poker", "--json", stdin=Answers(KeyboardInterrupt()))
    assert (ran.code, ran.out) == (130, "")


def test_bytes_that_are_no_text_are_a_bad_answer(command):
    garbled = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid")
    ran = command("play", "kuhn_poker", "--seed", "3", stdin=Answers(garbled, "bet\n", "q\n"))
    assert ran.code == 0
    assert "'\N{REPLACEMENT CHARACTER}' is not a legal action" in ran.out


def test_simultaneous_moves(command):
    ran = command("play", "matrix_rps", "--player", "1", "--seed", "0", stdin="paper\n")
    before, _, after = ran.out.partition(THE_END)
    assert "player 1: Paper" in after
    assert "player 0" not in before


def test_actions_that_are_numbers_are_meant_by_name(command):
    arguments = ["play", "goofspiel(num_cards=4,imp_info=True)", "--seed", "1"]
    ran = command(*arguments, stdin="3\n3\n4\n2\n")
    assert "your move: 1  2  3  4" in ran.out
    assert "'3' is not a legal action" in ran.out
    assert "your move: 1  2  4" in ran.out
    assert "2. player 0: 3, " in ran.out
    assert "3. player 0: 4, " in ran.out


def test_a_policy_file_plays_the_others(command):
    command("solve", "kuhn_poker", "--method", "lp", "--out", "run")
    for seed in range(30):
        found = command(
            *["play", "kuhn_poker", "--against", "run/policy.parquet", "--seed", seed, "--json"],
            stdin="bet\n",
        ).json
        deal, _, answer, *_ = found["hands"][0]["transcript"][1:]
        if "player 1 sees K" in deal:
            assert answer.startswith("3. player 1: bet")
        if "player 1 sees J" in deal:
            assert answer.startswith("3. player 1: pass")


def test_a_searcher_plays_the_others(command):
    against = ["--against", "pimc(num_worlds=None)", "--json"]
    for seed in range(12):
        found = command("play", "kuhn_poker", *against, "--seed", seed, stdin="bet\n").json
        deal, _, answer, *_ = found["hands"][0]["transcript"][1:]
        if "player 1 sees K" in deal:
            assert answer.startswith("3. player 1: bet")
        if "player 1 sees J" in deal:
            assert answer.startswith("3. player 1: pass")


def test_a_searcher_runs_a_new_search_each_time(command):
    arguments = ["play", "kuhn_poker", "--against", "pimc(num_worlds=1)", "--json"]
    answers = {}
    for seed in range(24):
        found = command(*arguments, "--seed", seed, stdin="bet\n").json
        deal, _, answer, *_ = found["hands"][0]["transcript"][1:]
        answers.setdefault(deal.split("player 1 sees ")[1][0], set()).add(answer.split()[3])
    assert answers == {"J": {"pass"}, "Q": {"pass", "bet"}, "K": {"bet"}}


@pytest.mark.parametrize(
    ("game", "against"),
    [
        ("liars_dice(numdice=5)", "pimc(num_worlds=10)"),
        pytest.param(
            "trick_taking(num_cards=20)", "ismcts(num_simulations=20)", marks=pytest.mark.long
        ),
    ],
)
def test_searchers_play_games_that_are_too_large_to_build(command, game, against):
    arguments = ["play", game, "--player", "1", "--against", against, "--seed", "0", "--json"]
    found = command(*arguments, stdin=ALWAYS).json
    assert found["against"] == against
    assert found["hands"][0]["finished"]
    assert sum(found["hands"][0]["rewards"]) == 0


@pytest.mark.parametrize("seat", [0, 1])
def test_no_card_of_the_other_is_shown_before_the_end(command, seat):
    for seed in range(12):
        stdin = "p\np\nq\nq\n"  # one hand, in which the player acts once or twice
        ran = command("play", "kuhn_poker", "--player", seat, "--seed", seed, stdin=stdin)
        before, _, after = ran.out.partition(THE_END)
        cards = {player: after.split(f"player {player} sees ")[1][0] for player in (0, 1)}
        assert f"you see {cards[seat]}" in before
        assert cards[1 - seat] not in before


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("game", ["kuhn_poker(players=3)", "leduc_poker(players=3)"])
def test_what_is_shown_follows_from_what_the_player_knows(monkeypatch, game, seat):
    rules = load_game(game)
    plays: dict[Infostate, list[tuple[list[str], tuple[Infostate, ...]]]] = {}
    for seed in range(150):
        monkeypatch.setattr(sys, "stdin", io.StringIO(ALWAYS))
        lines: list[str] = []
        table = Table(rules, seat, uniform_policy, np.random.default_rng(seed))
        history = play_interactively(table, lines.append)
        asked = [stop for stop in history.path() if seat in stop.actors]
        if asked:
            known = asked[-1].infostates[seat]
            plays.setdefault(known, []).append((lines, asked[-1].infostates))
    for alike in plays.values():
        assert all(lines == alike[0][0] for lines, _ in alike)
    assert any(len({others for _, others in alike}) > 2 for alike in plays.values())


def test_hands_follow_each_other_with_a_total(command):
    ran = command("play", "kuhn_poker", "--seed", "3", "--json", stdin="bet\n\npass\npass\n\nq\n")
    hands = ran.json["hands"]
    assert [hand["finished"] for hand in hands] == [True, True, False]
    total = sum(hand["rewards"][0] for hand in hands[:2])
    assert f"your total after 2 hands: {total:+g}" in ran.err
    assert hands[0]["transcript"] != hands[1]["transcript"]


def test_keys_are_explained_and_the_question_is_repeated(command):
    ran = command("play", "kuhn_poker", "--seed", "3", stdin="?\n!\nb\nq\n")
    assert ran.out.count("your move: [p] pass  [b] bet") == 3
    assert "? lists these keys, q or Ctrl-D quits" in ran.out.splitlines()
    assert "'!' is not a legal action" in ran.out, "without a coach"


def test_the_coach_says_what_a_policy_does_and_what_actions_cost(command):
    command("solve", "kuhn_poker", "--method", "lp", "--out", "run")
    for seed in range(20):
        ran = command(
            *["play", "kuhn_poker", "--seed", seed, "--coach", "run"], stdin="!\nbet\nq\n"
        )
        assert "! asks the coach" in ran.out.splitlines()[1]
        if "you see Q" not in ran.out:
            continue
        # In every equilibrium, a first bet with a queen loses: kings call, jacks fold.
        lines = ran.out.splitlines()
        assert "the coach plays: pass 1.000  bet 0.000 (costs 0.167)" in lines
        assert "2. you: bet (costs 0.167). pass would be best" in lines
        assert "your decisions cost 0.167 in all, compared with" in ran.out
        return
    pytest.fail("no hand with a queen")


def test_a_verdict_begins_with_the_chosen_action_and_its_cost():
    form = cached_tree("kuhn_poker").sequence_form
    coach = Coach(tabulate(form, lambda infostate, legal: {"bet": 1}), 1)
    king = form.infostate_at(1, dict(form.labeled_infostates(1))["[K] / bet"])
    assert coach.verdict(king, "bet") == "bet (best). pass would cost 3"
    assert coach.verdict(king, "pass") == "pass (costs 3). bet would be best"
    pennies = cached_tree("matrix_mp").sequence_form
    mixing, start = Coach(uniform_policy(pennies), 0), pennies.infostate_at(0, 0)
    mixed = "the coach plays Heads 0.500, Tails 0.500"
    assert mixing.verdict(start, "Heads") == f"Heads (best). Tails would be as good; {mixed}"
    folds = tabulate(form, [lambda infostate, legal: {"pass": 1}, None])
    never = Coach(folds, 1).verdict(king, "bet")
    assert never == "bet (cost unknown: the other players never lead here)"


def test_a_coach_needs_a_policy_for_the_game(command):
    command("solve", "kuhn_poker(players=3)", "--iterations", "1", "--out", "three")
    complaint = command("play", "kuhn_poker", "--coach", "three", stdin="").complaint
    assert "not for kuhn_poker" in complaint


def test_boards_show_what_the_player_knows(command):
    small = "battleship(board_width=3,board_height=3,ship_sizes=[2],ship_values=[1])"
    ran = command("play", small, "--seed", "1", stdin="1\n0_0\nq\n")
    assert "0 A A .       0 . . .\n" in ran.out
    shot = ran.out.split("you: 0_0")[1]
    assert ("0 A A .       0 x . .\n" in shot) == ("0_0,hit" in ran.out)


def test_the_end_shows_nothing_internal(command):
    ran = command("play", "hanabi(colors=1,ranks=2,hand_size=2)", "--seed", "0", stdin="1\n" * 20)
    assert THE_END in ran.out
    assert "Table" not in ran.out


SECRET = "zebra"


@dataclass(frozen=True)
class Whisper(Game):
    """Player 1 receives a secret and acts in secret; player 0 guesses three times."""

    name = "whisper"
    num_players = 2

    def initial_world(self):
        return (SECRET, 0)

    def actors(self, world):
        return {0: (), 1: (1,), 2: (0, 1), 3: (0,)}.get(world[1], ())

    def legal_actions(self, world, player):
        return ("left", "right") if player == 0 else (f"{SECRET}-go", f"{SECRET}-stay")

    def transitions(self, world, joint_action):
        return [((SECRET, world[1] + 1), 1)] if world[1] < 4 else []

    def rewards(self, world, joint_action, next_world):
        return (7, -7) if next_world[1] == 4 else (0, 0)

    def observe(self, world, joint_action, next_world):
        return Observation(private={1: SECRET}, shared={(1,): f"{SECRET} shared"})


def test_neither_worlds_nor_actions_nor_observations_of_others_leak(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("left\nright\n"))
    lines = []
    table = Table(Whisper(), 0, uniform_policy, np.random.default_rng(0))
    history = play_interactively(table, lines.append)
    assert history.is_terminal
    assert history.rewards_so_far == (7, -7)
    text = "\n".join(lines)
    assert "you: left" in text
    assert SECRET not in text


@pytest.mark.parametrize(
    ("text", "names", "position"),
    [
        ("bet", ["pass", "bet"], 1),
        ("BET", ["pass", "bet"], 1),
        ("b", ["pass", "bet"], 1),
        ("B", ["pass", "bet"], 1),
        ("1", ["pass", "bet"], None),
        ("-1", ["pass", "bet"], None),
        ("²", ["pass", "bet"], None),
        ("", ["pass", "bet"], None),
        ("Be", ["pass", "bet"], 1),
        ("b", ["bet", "bluff"], 0),
        ("l", ["bet", "bluff"], 1),
        ("play 1", ["play 1", "play 10"], 0),
        ("2", ["play 1", "play 10"], 1),
        ("4", ["2", "4", "5"], 1),
        ("1", ["2", "4", "5"], None),
        ("call", ["call", "Call"], None),
    ],
)
def test_choices(text, names, position):
    words = [name for name in names if not name.isdecimal()]
    assert find_choice(text, names, action_keys(words)) == position


@given(st.text(), st.lists(st.text(min_size=1), min_size=1, unique=True))
def test_any_input_is_a_legal_action_or_refused(text, names):
    keys = action_keys(names)
    assert find_choice(text, names, keys) in {None, *range(len(names))}
    assert menu(names, keys).startswith("your move: ")


def test_keys_stay_the_same_from_decision_to_decision(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\nc\nc\nc\nc\nc\nc\n"))
    lines = []
    table = Table(load_game("leduc_poker"), 0, uniform_policy, np.random.default_rng(1))
    play_interactively(table, lines.append)
    menus = [line for line in lines if line.startswith("your move")]
    assert menus[0] == "your move: [c] call  [r] raise"
    assert "your move: [f] fold  [c] call  [r] raise" in menus
    assert table.action_keys == {"call": "c", "raise": "r", "fold": "f"}


def test_long_menus_are_broken_between_actions():
    names = [f"play {card}" for card in range(30)]
    lines = menu(names, action_keys(names)).splitlines()
    assert len(lines) > 1
    assert all(len(line) <= 78 for line in lines)
    words = " ".join(line.removeprefix("your move:").strip() for line in lines)
    assert re.findall(r"play \d+", words) == names
    assert not any(line.split()[-1].startswith("[") for line in lines)


def test_an_answer_of_the_policy_that_is_missing_is_an_error(monkeypatch):
    class Lost:
        def action_probabilities(self, infostate, legal_actions):
            raise UnknownNameError("no play of this game leads there")

    monkeypatch.setattr(sys, "stdin", io.StringIO("pass\n"))
    table = Table(load_game("kuhn_poker"), 0, Lost, np.random.default_rng(0))
    with pytest.raises(UnknownNameError):
        play_interactively(table, lambda line: None)


def test_unknown_costs_are_not_said_to_be_nothing():
    form = cached_tree("kuhn_poker").sequence_form
    never = tabulate(form, [AlwaysPass(), AlwaysPass()])
    history = initial_history(load_game("kuhn_poker"))
    for joint in ((NOOP, NOOP), ("bet", NOOP), (NOOP, "bet")):
        after = history.game.transitions(history.world, joint)
        history = history.extend(joint, next(iter(after))[0])
    *_, last = Coach(never, 1).review(history)
    assert last == "your decisions cost at least 0 in all; 1 of unknown cost"


class AlwaysPass:
    """A policy that never bets."""

    def action_probabilities(self, infostate, legal_actions):
        return np.array([1.0, 0.0])


def test_the_coach_says_what_the_others_hold_by_its_policy():
    """Player 0 bets every king, half of the queens and no jack; player 1 has a jack or a queen."""
    tree = cached_tree("kuhn_poker")
    bets = {"J": 0.0, "Q": 0.5, "K": 1.0}

    def play(infostate, legal_actions):
        bet = bets[infostate.steps[0].private]
        return {"pass": 1 - bet, "bet": bet}

    policy = tabulate(tree.sequence_form, play)
    by_hand = transfer_policy(policy, derive_public_form(tree))
    for own in (policy, by_hand):
        coach = Coach(own, 1)
        for card, wanted in (
            ("J", "player 0 holds: K 66.67 %  Q 33.33 %"),
            ("Q", "player 0 holds: K 100.00 %"),
            ("K", "player 0 holds: Q 100.00 %"),
        ):
            infostate = Infostate(1, (Step(None, card, None), Step(None, None, "bet")))
            assert coach.beliefs(infostate, load_game("kuhn_poker")) == [wanted]


def test_what_the_coach_draws_has_errors():
    game, infostate = (
        load_game("liars_dice(numdice=3)"),
        Infostate(0, (Step(None, (1, 2, 3), None),)),
    )
    rng = np.random.default_rng(0)
    belief = private_belief(game, infostate, rng=rng, max_worlds=5, num_samples=400)
    shares = coach_module.private_shares(belief, 1)
    text = coach_module.belief_text(shares, belief)
    assert text.endswith(f" (estimated from {len(belief)} drawn histories)")
    entries = re.findall(r"\d,\d,\d (\d+\.\d\d) ± (\d\.\d) %", text)
    assert len(entries) == 8
    effective = 1 / (belief.probability**2).sum()
    for share, error in np.array(entries, float) / 100:
        assert error == pytest.approx(np.sqrt(share * (1 - share) / effective), abs=0.001)
    others = float(re.search(r"others (\d+\.\d) %", text)[1])
    assert sum(float(share) for share, _ in entries) + others == pytest.approx(100, abs=0.1)


def test_the_coach_groups_hands_of_two_cards():
    form = small_holdem()
    infostate = Infostate(0, (Step(None, "AhAd", None),))
    (text,) = Coach(uniform_policy(form), 0).beliefs(infostate, None)
    assert text == (
        "player 1 holds: KJo 13.33 %  KJs 13.33 %  KQo 13.33 %  KQs 13.33 %  QJo 13.33 %  "
        "QJs 13.33 %  JJ 6.67 %  KK 6.67 %  others 6.7 %"
    )
