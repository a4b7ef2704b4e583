"""Histories with their infostates and public states."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import CyclicGameError, GameRuleError
from infoset.game import (
    Game,
    History,
    Infostate,
    Observation,
    PublicState,
    Step,
    initial_history,
    play_out,
)
from infoset.games import KuhnPoker, load_game
from infoset.typing import NOOP
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories


def kuhn(*moves: str, cards: tuple[str, ...] = ("Q", "J")) -> History:
    history = initial_history(KuhnPoker())
    history = history.extend((NOOP, NOOP), history.world._replace(cards=cards))
    for move in moves:
        joint = history.joint({history.actors[0]: move})
        [(world, _)] = history.game.transitions(history.world, joint)
        history = history.extend(joint, world)
    return history


def first(infostate: Infostate, legal: Any) -> Any:
    return legal[0]


def test_the_initial_history() -> None:
    root = initial_history(KuhnPoker())
    assert (root.parent, root.depth, root.rewards_so_far) == (None, 0, (0, 0))
    assert root.infostates == (Infostate(0), Infostate(1))
    assert root.public_state == PublicState()
    assert (root.actors, root.is_terminal, len(root.chance_outcomes)) == ((), False, 6)
    assert root.path() == [root]


def test_a_play_of_kuhn_poker() -> None:
    play = kuhn("pass", "bet", "pass")
    assert play.is_terminal
    assert play.chance_outcomes == ()
    assert play.rewards_so_far == (-1, 1)
    assert play.depth == 4
    assert play.infostates[1].steps == (
        Step(NOOP, "J", None),
        Step(NOOP, None, "pass"),
        Step("bet", None, "bet"),
        Step(NOOP, None, "pass"),
    )
    assert str(play.infostates[0]) == "[Q] / pass / bet / pass"
    assert str(play.public_state) == ". / pass / bet / pass"
    assert [stop.depth for stop in play.path()] == [0, 1, 2, 3, 4]


def test_legal_actions_are_those_of_the_actors() -> None:
    assert kuhn().legal_actions(0) == ("pass", "bet")
    assert kuhn().legal_actions(1) == ()
    assert kuhn("bet", "bet").legal_actions(0) == ()


@pytest.mark.parametrize(
    ("actions", "found"),
    [({}, "action None"), ({1: "bet"}, "action None"), ({0: "raise"}, "action 'raise'")],
)
def test_a_joint_action_needs_a_legal_action_of_every_actor(
    actions: dict[int, str], found: str
) -> None:
    with pytest.raises(GameRuleError, match=rf"{found}; legal .* \['pass', 'bet'\]") as caught:
        kuhn().joint(actions)
    assert caught.value.player == 0


def test_a_joint_action_has_an_entry_per_player() -> None:
    assert kuhn().joint({0: "bet"}) == ("bet", NOOP)
    assert kuhn("bet").joint({0: "ignored", 1: "bet"}) == (NOOP, "bet")


def test_equal_histories() -> None:
    one, same, other_cards, longer = kuhn("bet"), kuhn("bet"), kuhn("bet", cards=("K", "J")), kuhn()
    assert one == same
    assert hash(one) == hash(same)
    assert len({one, same, other_cards, longer}) == 3
    assert one != initial_history(load_game("matrix_mp"))
    assert one != "bet"
    assert initial_history(FunctionGame()) != initial_history(FunctionGame())


def test_histories_with_the_same_world_differ_by_their_path() -> None:
    game = FunctionGame(
        1,
        actors=lambda world: (0,) if world == "start" else (),
        transitions=lambda world, joint: [("end", 1)] if world == "start" else [],
    )
    root = initial_history(game)
    assert root.extend(("left",), "end") != root.extend(("right",), "end")


def test_the_repr_of_a_history() -> None:
    assert repr(kuhn()) == (
        "<History of kuhn_poker: 1 steps, at Table(cards=('Q', 'J'), moves=())>"
    )


def test_long_histories_are_compared_without_recursion() -> None:
    game = FunctionGame(
        1, initial_world=lambda: 0, transitions=lambda w, j: [(w + 1, 1)] if w < 1500 else []
    )
    plays = [play_out(initial_history(game), [first], np.random.default_rng(0)) for _ in range(2)]
    assert plays[0] == plays[1]
    assert hash(plays[0]) == hash(plays[1])
    assert plays[0].depth == 1500


def test_is_terminal_does_not_list_all_outcomes() -> None:
    def transitions(world: str, joint: Any) -> Any:
        if world == "start":
            yield ("heads", 0.5)
            raise AssertionError("the list is longer than anybody wants to read")

    assert not initial_history(FunctionGame(transitions=transitions)).is_terminal


def test_sampling_follows_the_probabilities() -> None:
    root = initial_history(
        FunctionGame(transitions=lambda w, j: [("a", 0.2), ("b", 0.0), ("c", 0.8)])
    )
    rng = np.random.default_rng(1)
    drawn = Counter(root.sample((NOOP,), rng).world for _ in range(2000))
    assert set(drawn) == {"a", "c"}
    assert drawn["a"] == pytest.approx(400, abs=75)  # more than four standard deviations


def test_outcomes_of_probability_zero_are_never_drawn() -> None:
    class Zero:
        def random(self) -> float:
            return 0.0

    game = FunctionGame(transitions=lambda w, j: [("never", 0.0), ("always", 1.0)])
    assert game.sample_transition("start", (NOOP,), Zero()) == "always"  # type: ignore[arg-type]


def test_a_play_is_the_same_for_the_same_seed() -> None:
    root = initial_history(load_game("leduc_poker"))
    ends = [play_out(root, [first, first], np.random.default_rng(seed)) for seed in (3, 3, 4, 5, 6)]
    assert ends[0] == ends[1]
    assert len(set(ends)) > 1
    assert all(end.is_terminal for end in ends)


def test_choosers_receive_their_own_infostate() -> None:
    asked: list[tuple[int, str]] = []

    def chooser(player: int) -> Any:
        def choose(infostate: Infostate, legal: Any) -> Any:
            asked.append((infostate.player, str(infostate)))
            assert infostate.player == player
            return "bet"

        return choose

    play_out(kuhn(), [chooser(0), chooser(1)], np.random.default_rng(0))
    assert asked == [(0, "[Q]"), (1, "[J] / bet")]


def test_observations_by_player() -> None:
    by_player = Observation("all", {1: "K"}, {(0, 2): "red"})
    in_order = Observation("all", (None, "K", None))
    assert [by_player.seen_by(p) for p in range(3)] == [
        (None, (((0, 2), "red"),)),
        "K",
        (None, (((0, 2), "red"),)),
    ]
    assert [in_order.seen_by(p) for p in range(3)] == [None, "K", None]
    assert [Observation().seen_by(p) for p in range(2)] == [None, None]
    assert [by_player.private_part(p) for p in range(3)] == [None, "K", None]


def test_shared_observations_as_text() -> None:
    seen = Observation(private={0: "K"}, shared={(0,): "mine", (0, 2): ("red", 3)})
    assert str(seen.seen_by(0)) == "K, mine, red,3 with 0+2"
    assert str(seen.seen_by(2)) == "red,3 with 0+2"


def test_the_order_in_which_groups_are_listed_does_not_matter() -> None:
    one = Observation(shared={(0, 1): "a", (1, 2): "b"})
    other = Observation(shared={(1, 2): "b", (0, 1): "a"})
    assert [one.seen_by(p) for p in range(3)] == [other.seen_by(p) for p in range(3)]


def test_the_group_is_part_of_an_observation() -> None:
    assert Observation(shared={(0, 1): "a"}).seen_by(0) != Observation(
        shared={(0, 2): "a"}
    ).seen_by(0)


@given(random_games())
def test_the_reach_of_terminal_histories_sums_to_one(game: Game) -> None:
    total = 0.0
    for visit in enumerate_histories(game):
        if visit.history.is_terminal:
            reach = visit.chance_reach
            for stop in visit.history.path()[:-1]:
                for player in stop.actors:
                    reach /= len(stop.legal_actions(player))
            total += reach
    assert total == pytest.approx(1)


@given(random_games())
def test_the_public_state_is_a_function_of_every_infostate(game: Game) -> None:
    for visit in enumerate_histories(game):
        for infostate in visit.history.infostates:
            assert infostate.public_state == visit.history.public_state


@given(random_games())
def test_infostates_contain_own_actions_and_earlier_infostates(game: Game) -> None:
    for visit in enumerate_histories(game):
        path = visit.history.path()
        for player, infostate in enumerate(visit.history.infostates):
            own = [stop.joint_action[player] for stop in path[1:]]
            assert [step.action for step in infostate.steps] == own
            for stop in path:
                before = Infostate(player, infostate.steps[: stop.depth])
                assert stop.infostates[player] == before
                assert (before.steps == infostate.steps) == (stop.depth == visit.history.depth)


@given(random_games())
def test_acting_and_legal_actions_are_functions_of_the_infostate(game: Game) -> None:
    legal: dict[Infostate, tuple[Any, ...]] = {}
    for visit in enumerate_histories(game):
        for player, infostate in enumerate(visit.history.infostates):
            here = visit.history.legal_actions(player)
            assert legal.setdefault(infostate, here) == here


@given(random_games())
def test_a_history_can_be_replayed(game: Game) -> None:
    for visit in enumerate_histories(game):
        replayed = initial_history(game)
        for stop in visit.history.path()[1:]:
            actions = {p: stop.joint_action[p] for p in replayed.actors}
            replayed = replayed.extend(replayed.joint(actions), stop.world)
        assert replayed == visit.history
        assert replayed.infostates == visit.history.infostates
        assert replayed.rewards_so_far == visit.history.rewards_so_far


@given(random_games(zero_sum=True, fractional_rewards=True))
def test_utilities_are_sums_of_the_rewards(game: Game) -> None:
    for visit in enumerate_histories(game):
        path = visit.history.path()
        paid = [
            game.rewards(before.world, after.joint_action, after.world)
            for before, after in pairwise(path)
        ]
        sums = tuple(map(sum, zip(*paid, strict=True))) or (0,) * game.num_players
        assert visit.history.rewards_so_far == sums
        assert sum(visit.history.rewards_so_far) == 0


@given(random_games(), st.integers(0, 2**32))
def test_plays_end_at_a_terminal_history_of_the_game(game: Game, seed: int) -> None:
    rng = np.random.default_rng(seed)

    def choose(infostate: Infostate, legal: Any) -> Any:
        return legal[rng.integers(len(legal))]

    ends = {v.history for v in enumerate_histories(game) if v.history.is_terminal}
    assert play_out(initial_history(game), [choose] * game.num_players, rng) in ends


def playing_on(next_world):
    """Play a game of one action to the end, from world state 0."""
    game = FunctionGame(
        initial_world=lambda: 0,
        actors=lambda w: (0,),
        legal_actions=lambda w, p: ("go",),
        transitions=lambda w, a: [(next_world(w), 1)],
        observe=lambda w, a, x: Observation(),
    )
    return play_out(initial_history(game), [lambda *_: "go"], np.random.default_rng(0))


def test_a_play_around_a_cycle_names_the_cycle(monkeypatch):
    monkeypatch.setattr("infoset.game.history.STEPS_PER_CHECK", 100)
    with pytest.raises(CyclicGameError) as caught:
        playing_on(lambda world: world + 1 if world < 42 else 40)
    assert caught.value.cycle == (40, 41, 42)


def test_a_play_without_end_breaks_a_rule(monkeypatch):
    monkeypatch.setattr("infoset.game.history.STEPS_PER_CHECK", 100)
    monkeypatch.setattr("infoset.game.history.MAX_STEPS", 300)
    with pytest.raises(GameRuleError, match="has not ended after 300 transitions") as caught:
        playing_on(lambda world: world + 1)
    assert caught.value.world == 300


def test_legal_actions_too_many_to_copy_are_refused():
    game = FunctionGame(actors=lambda w: (0,), legal_actions=lambda w, p: range(10**9))
    with pytest.raises(GameRuleError, match="returned a list of more than 1,000,000 items"):
        initial_history(game).legal_actions(0)
