"""Histories that a game lists or draws itself, against those that are filtered by the rules."""

from __future__ import annotations

from itertools import product
from math import perm

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, private_belief, public_belief
from infoset.beliefs.history_filter import HistoryFilter
from infoset.errors import GameRuleError, ParameterError, UnknownNameError
from infoset.game import Game, Infostate, Observation, PublicState, Step, initial_history, play_out
from infoset.game.hooks import histories_as_seen, sample_histories_as_seen
from infoset.game.protocol import has_hook
from infoset.games import Battleship, Goofspiel, load_game
from infoset.games.goofspiel_bids import HiddenBids

SPECS = (
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "goofspiel(num_cards=4,imp_info=True)",
    "goofspiel(num_cards=5,imp_info=True,points_order=ascending,returns_type=point_difference)",
    "goofspiel(num_cards=5,num_turns=3,imp_info=True,returns_type=total_points)",
    "goofspiel(num_cards=2,imp_info=True)",
    "goofspiel(num_cards=1,imp_info=True)",
    "battleship(board_width=2,board_height=2,ship_sizes=[1;2],ship_values=[1;1],num_shots=2)",
    "battleship(board_width=3,board_height=1,ship_sizes=[2;1],ship_values=[1;2],num_shots=-1,"
    "allow_repeated_shots=False)",
    "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=3,"
    "payoff=win_loss)",
)


class ByRules(HistoryFilter):
    """The filter without what the game lists."""

    def listed(self, information):
        return self._recall(information)


def plays(game, number, seed=0):
    """Return the paths of random plays, without the initial history."""
    rng = np.random.default_rng(seed)
    choosers = [lambda infostate, legal: legal[int(rng.integers(len(legal)))]] * game.num_players
    return [play_out(initial_history(game), choosers, rng).path()[1:] for _ in range(number)]


def batches(histories, information):
    """Return the listed histories, and those that the rules alone give."""
    listed = histories.listed(information)
    filtered, length = ByRules(histories.root.game, 200_000).enumerated(information)
    assert length == filtered.depth
    return listed, filtered


@pytest.mark.parametrize("spec", SPECS)
def test_listed_histories_are_those_of_the_filter(spec):
    game = load_game(spec)
    for number, path in enumerate(plays(game, 2)):
        histories = HistoryFilter(game, 200_000)  # one for the whole play, or for each infostate
        for history in path:
            for information in (history.public_state, *history.infostates):
                if number:
                    histories = HistoryFilter(game, 200_000)
                listed, filtered = batches(histories, information)
                assert list(listed) == list(filtered)
                assert list(listed.worlds) == list(filtered.worlds)
                assert listed.weight.tolist() == filtered.weight.tolist()
                assert listed.method == "enumeration"
                assert np.array_equal(listed.rewards_so_far, filtered.rewards_so_far)
                for player in range(2):
                    known = [
                        [batch.infostate_indexes[player].infostate_at(number) for number in numbers]
                        for batch in (listed, filtered)
                        for numbers in [batch.infostate[:, player].tolist()]
                    ]
                    assert known[0] == known[1]
                    assert [one.infostates[player] for one in filtered] == known[0]


class Eager:
    """A policy that prefers later actions."""

    def action_probabilities(self, infostate, legal_actions):
        weights = 1.0 + np.arange(len(legal_actions))
        return weights / weights.sum()


def beliefs(game, infostate, **arguments):
    return [
        private_belief(game, infostate, **arguments),
        public_belief(game, infostate.public_state, **arguments),
        PublicPrivateBelief(0.3, policies=arguments["policies"]).at(game, infostate),
    ]


@pytest.mark.parametrize("policies", [None, Eager(), [None, Eager()]])
def test_beliefs_use_what_the_game_lists(policies, monkeypatch):
    game = load_game("goofspiel(num_cards=4,imp_info=True)")
    infostate = plays(game, 1, seed=3)[0][3].infostates[1]
    monkeypatch.setattr("infoset.beliefs.history_sources.get_history_filter", HistoryFilter)
    listed = beliefs(game, infostate, policies=policies)
    monkeypatch.setattr("infoset.beliefs.history_sources.get_history_filter", ByRules)
    for one, other in zip(listed, beliefs(game, infostate, policies=policies), strict=True):
        assert list(one.histories) == list(other.histories)
        assert one.probability.tolist() == other.probability.tolist()


def test_a_small_public_state_behind_large_ones_is_listed():
    game = Goofspiel(num_cards=6, imp_info=True, points_order="descending")
    winners = (0, 0, 0, 1)  # 3,576 histories
    results = [f"player {winner} wins; prize {5 - at}" for at, winner in enumerate(winners)]
    end = PublicState((*results, "player 0 wins; last prize 1: player 0 wins"))
    listed = public_belief(game, end, max_worlds=120)
    assert listed.is_exact
    filtered, _ = ByRules(game, 4_000).enumerated(end)
    assert list(listed.histories) == list(filtered)
    assert ByRules(game, 3_000).enumerated(end)[1] == 3


def test_the_bids_behind_all_results_are_all_bids():
    for num_rounds in (1, 3, 4):
        total = sum(
            HiddenBids(13, winners, 0, None).total
            for winners in product((-1, 0, 1), repeat=num_rounds)
        )
        assert total == perm(13, num_rounds) ** 2
    own = (5, 11, 2)
    known = sum(HiddenBids(13, winners, 1, own).total for winners in product((-1, 0, 1), repeat=3))
    assert known == perm(13, 3)


def test_draws_are_unbiased():
    game = load_game("goofspiel(num_cards=6,imp_info=True,points_order=descending)")
    won = [f"player 1 wins; prize {prize}" for prize in (5, 4)]
    infostate = Infostate(1, (Step(5, None, won[0]), Step(6, None, won[1])))
    for information, number in ((infostate, 4 * 4), (infostate.public_state, 130)):
        listed = histories_as_seen(game, information, 1_000)
        assert len(listed) == number
        # The weight of a history, 4 or 0 in most draws, has the mean 1 ± 0.09 over 400 draws.
        mean = dict.fromkeys(map(bytes, listed), 0.0)
        for seed in range(400):
            rng = np.random.default_rng(seed)
            moves, weight = sample_histories_as_seen(game, information, len(listed) // 4, rng)
            assert weight.sum() == pytest.approx(len(listed))
            for row, each in zip(moves, weight, strict=True):
                mean[bytes(row)] += each / 400
        assert list(mean.values()) == pytest.approx([1.0] * len(mean), abs=0.45)
        assert np.mean(np.abs(np.array([*mean.values()]) - 1)) < 0.15


def test_drawn_beliefs_are_right_on_average():
    game = load_game("goofspiel(num_cards=5,imp_info=True,points_order=descending)")
    public_state = PublicState(tuple(f"player 0 wins; prize {prize}" for prize in (4, 3)))
    exact = public_belief(game, public_state, policies=Eager())
    assert len(exact) == 50
    wanted = exact.infostate_probabilities(1)
    mean = dict.fromkeys(wanted, 0.0)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        drawn = public_belief(
            game, public_state, policies=Eager(), rng=rng, max_worlds=49, num_samples=40
        )
        assert drawn.method == "samples"
        assert len(drawn) <= 40
        for known, probability in drawn.infostate_probabilities(1).items():
            mean[known] += probability / 100
    assert mean == pytest.approx(wanted, abs=0.02)


def test_draws_depend_on_the_seed_alone():
    game = load_game("goofspiel(imp_info=True)")
    infostate = plays(game, 1)[0][5].infostates[0]
    first, again, other = (
        public_belief(game, infostate.public_state, rng=np.random.default_rng(seed), num_samples=30)
        for seed in (1, 1, 2)
    )
    assert first.worlds == again.worlds
    assert first.worlds != other.worlds
    assert first.probability.tolist() == again.probability.tolist()
    assert all(history.public_state == infostate.public_state for history in first.histories)
    private = private_belief(game, infostate, rng=np.random.default_rng(0), num_samples=30)
    assert set(private.infostates(0)) == {infostate}


def unlimited(width, height, *ships):
    """Return battleship without repeated shots."""
    return Battleship(
        board_width=width,
        board_height=height,
        ship_sizes=ships,
        ship_values=(1.0,) * len(ships),
        num_shots=-1,
        allow_repeated_shots=False,
    )


def test_fleets_are_counted_as_in_the_literature():
    # 88 and 25,596 ways to place a fleet: Kubíček, Burch, Lisý (2024), and each with each.
    small = histories_as_seen(unlimited(3, 3, 2, 2), PublicState((None,) * 4), 10_000)
    assert small.shape == (88**2, 4, 2)
    game, placed = unlimited(5, 5, 3, 2, 2), PublicState((None,) * 6)
    assert histories_as_seen(game, placed, 10**8) is None
    moves, weight = sample_histories_as_seen(game, placed, 50, np.random.default_rng(0))
    assert weight.sum() == pytest.approx(25_596**2)
    assert moves.max() > 25


def test_drawn_fleets_agree_with_the_shots():
    game = unlimited(5, 5, 3, 2, 2)
    for history in plays(game, 1, seed=4)[0][6:13:3]:
        infostate, rng = history.infostates[1], np.random.default_rng(0)
        public = public_belief(game, infostate.public_state, rng=rng, num_samples=20)
        private = private_belief(game, infostate, rng=rng, max_worlds=100, num_samples=20)
        assert public.method == private.method == "samples"
        for belief in (public, private):
            assert all(one.public_state == infostate.public_state for one in belief.histories)
            assert belief.probability.sum() == pytest.approx(1)
        assert set(private.infostates(1)) == {infostate}


def test_fleets_that_are_too_many_to_list_are_drawn(monkeypatch):
    monkeypatch.setattr("infoset.games.battleship_fleets.MAX_FLEETS", 87)
    game, placed = unlimited(3, 3, 2, 2), PublicState((None,) * 4)
    assert histories_as_seen(game, placed, 10**6) is None
    drawn, weight = sample_histories_as_seen(game, placed, 10, np.random.default_rng(0))
    assert len(drawn) == len(weight) <= 10
    assert len(public_belief(game, PublicState((None, None)))) == 12**2


class Counting(Battleship):
    """Battleship that counts the observed transitions."""

    count = 0

    def observe(self, world, joint_action, next_world):
        Counting.count += 1
        return super().observe(world, joint_action, next_world)


class Public(Counting):
    """The same, with the hook of battleship."""

    def actions_as_seen(self, player, public):
        return super().actions_as_seen(player, public)


def test_only_the_actions_that_agree_are_tried():
    rules = dict(board_width=3, board_height=2, ship_sizes=(1,), ship_values=(1.0,), num_shots=2)
    history = plays(Counting(**rules), 1)[0][2]
    counts, found = [], []
    for kind in (Counting, Public):
        before = Counting.count
        filtered = ByRules(kind(**rules), 1000)
        known = (history.public_state, *history.infostates)
        found.append([filtered.enumerated(information)[0] for information in known])
        counts.append(Counting.count - before)
    for one, other in zip(*found, strict=True):
        assert list(one.worlds) == list(other.worlds)
        assert one.weight.tolist() == other.weight.tolist()
    assert counts[1] < counts[0] / 2


@pytest.mark.parametrize(
    "information",
    [
        PublicState((None, ("0_0", "hit"))),
        PublicState((None, None, ("9_9", "hit"))),
        PublicState((None, None, ("0_0", "hit", "hit"))),
        PublicState((None, None, ("0_0", "missed"))),
        PublicState((None, None, ("0_0", "hit"), ("0_0", "water"), ("0_0", "hit"))),
        PublicState((None, None, ("0_0", "sunk"), ("0_0", "water"), ("0_1", "water"))),
        PublicState((None, None, *[("0_0", "water")] * 7)),
        Infostate(0, (Step("h_0_0", None, None), Step("h_0_0", None, None))),
        Infostate(0, (Step("h_5_0", None, None), Step(None, None, None))),
        Infostate(0, (Step("h_0_0", None, None), Step(None, None, None), Step(None, None, None))),
    ],
)
def test_impossible_shots_are_reported_as_by_the_filter(information):
    game = Battleship(
        board_width=2, board_height=1, ship_sizes=(1,), ship_values=(1.0,), num_shots=3
    )
    with pytest.raises(UnknownNameError) as expected:
        ByRules(game, 100).enumerated(information)
    with pytest.raises(UnknownNameError) as found:
        HistoryFilter(game, 100).enumerated(information)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize(
    "steps",
    [
        [Step(3, None, "player 0 wins; prize 3")],
        [Step(3, None, "tie; prize 4"), Step(3, None, "tie; prize 3")],
        [Step(9, None, "tie; prize 4")],
        [Step(None, None, "tie; prize 4")],
        [Step(1, None, "player 0 wins; prize 4")],
        [Step(3, "a hint", "tie; prize 4")],
        [Step(3, None, None)],
    ],
)
def test_an_impossible_infostate_is_reported_as_by_the_filter(steps):
    game = load_game("goofspiel(num_cards=5,imp_info=True,points_order=descending)")
    infostate = Infostate(0, tuple(steps))
    with pytest.raises(UnknownNameError) as expected:
        ByRules(game, 100).enumerated(infostate)
    with pytest.raises(UnknownNameError) as found:
        private_belief(game, infostate, rng=np.random.default_rng(0))
    assert str(found.value) == str(expected.value)


def test_too_many_histories_need_a_generator():
    game = load_game("goofspiel(num_cards=6,imp_info=True)")
    public_state = plays(game, 1)[0][3].public_state
    with pytest.raises(ParameterError, match="give a random generator"):
        public_belief(game, public_state, max_worlds=20)


def test_open_bids_and_three_players_are_left_to_the_filter():
    for spec in ("goofspiel(num_cards=4)", "goofspiel(num_cards=4,imp_info=True,players=3)"):
        game = load_game(spec)
        public_state = plays(game, 1)[0][2].public_state
        assert histories_as_seen(game, public_state, 10**6) is None
        assert sample_histories_as_seen(game, public_state, 3, np.random.default_rng(0)) is None
        assert len(public_belief(game, public_state)) > 0


class Pennies(Game):
    """Each player hides a coin in turn; at the end it is shown whether they match."""

    num_players = 2

    def initial_world(self):
        return ()

    def actors(self, world):
        return (len(world),) if len(world) < 2 else ()

    def legal_actions(self, world, player):
        return ("heads", "tails")

    def transitions(self, world, joint_action):
        return [((*world, joint_action[len(world)]), 1)] if len(world) < 2 else []

    def rewards(self, world, joint_action, next_world):
        return (0, 0)

    def observe(self, world, joint_action, next_world):
        is_match = len(next_world) == 2 and next_world[0] == next_world[1]
        return Observation("match" if is_match else None)

    def histories_as_seen(self, information, max_histories):
        if information == MATCH:
            return np.array(self.listed, self.dtype)
        return None

    dtype = np.int64
    listed = ([[1, -1], [-1, 1]], [[0, -1], [-1, 0]])


MATCH = PublicState((None, "match"))


def test_a_custom_game_lists_histories():
    found = public_belief(Pennies(), MATCH)
    assert found.worlds == (("heads", "heads"), ("tails", "tails"))
    assert found.histories[1].joint_action == (None, "tails")


WRONG = {
    "a history that does not agree": {"listed": ([[0, -1], [-1, 1]],)},
    "a history twice": {"listed": ([[0, -1], [-1, 0]],) * 2},
    "a position that is too large": {"listed": ([[0, -1], [-1, 2]],)},
    "a player who does not act": {"listed": ([[0, 0], [-1, 0]],)},
    "a player who acts": {"listed": ([[-1, -1], [-1, 0]],)},
    "too few steps": {"listed": ([[0, -1]],)},
    "no numbers": {"dtype": np.float64},
    "private observations": {
        "observe": lambda self, world, joint_action, next_world: Pennies.observe(
            self, world, joint_action, next_world
        )._replace(private={0: "secret"})
    },
    "an exception": {"dtype": "no such type"},
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_lists_are_reported(what):
    own = {"histories_as_seen": Pennies.histories_as_seen}
    game = type("Wrong", (Pennies,), own | WRONG[what])()
    with pytest.raises(GameRuleError, match="histories_as_seen"):
        public_belief(game, MATCH)


def test_world_states_of_a_list_are_used_by_the_next_one():
    game = unlimited(3, 2, 2)
    history = plays(game, 1)[0][5]
    known = PublicState(history.public_state.observations[:5])
    histories = HistoryFilter(game, 1000)
    before = histories.listed(known)
    after = histories.listed(history.public_state)
    assert after.parent is before
    expected, _ = ByRules(game, 1000).enumerated(history.public_state)
    assert list(after) == list(expected)


def test_lists_that_contradict_earlier_ones_are_reported():
    game = load_game("goofspiel(num_cards=4,imp_info=True,points_order=descending)")

    class Forgetful(Goofspiel):
        def histories_as_seen(self, information, max_histories):
            moves = super().histories_as_seen(information, max_histories)
            return moves[1:] if moves.shape[1] == 1 else moves

    forgetful = Forgetful(**game.parameters())
    public = plays(game, 1)[0][1].public_state
    histories = HistoryFilter(forgetful, 1000)
    histories.listed(PublicState(public.observations[:1]))
    with pytest.raises(GameRuleError, match=r"it listed the beginning .* only later"):
        histories.listed(public)


def test_more_histories_than_allowed_are_reported():
    with pytest.raises(GameRuleError, match="returned 2 histories, with max_histories=1"):
        public_belief(Pennies(), MATCH, max_worlds=1)


def test_lists_of_other_rules_are_ignored():
    class Silent(Goofspiel):
        def observe(self, world, joint_action, next_world):
            return Observation()

    class Renamed(Goofspiel):
        name = "renamed"

    assert has_hook(Renamed(imp_info=True), "histories_as_seen")
    assert not has_hook(Silent(imp_info=True), "histories_as_seen")
    assert not has_hook(load_game("kuhn_poker"), "histories_as_seen")
    silent = Silent(num_cards=3, imp_info=True, points_order="descending")
    assert len(public_belief(silent, PublicState((None,)))) == 9
