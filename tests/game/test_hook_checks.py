"""`check_game` compares optional lists of histories and actions with the rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.errors import GameRuleError
from infoset.game import Game, Observation, PublicState, check_game, initial_history
from infoset.game.hooks import public_observations
from infoset.games import Battleship, Goofspiel, KuhnPoker


class Listing(Goofspiel):
    """Goofspiel with changed lists and draws."""

    change = staticmethod(lambda moves, information: moves)
    reweight = staticmethod(lambda weight: weight)
    max_extra = 0

    def histories_as_seen(self, information, max_histories):
        moves = super().histories_as_seen(information, max_histories + self.max_extra)
        return None if moves is None else self.change(moves, information)

    def sample_histories_as_seen(self, information, num_histories, rng):
        drawn = super().sample_histories_as_seen(information, num_histories, rng)
        return None if drawn is None else (self.redraw(drawn[0]), self.reweight(drawn[1]))

    redraw = staticmethod(lambda moves: moves)


def listing(num_cards=3, **changed):
    changed = {name: staticmethod(value) for name, value in changed.items() if callable(value)} | {
        name: value for name, value in changed.items() if not callable(value)
    }
    kind = type("Changed", (Listing,), changed)
    return kind(num_cards=num_cards, imp_info=True, points_order="descending")


def omitting(moves, information):
    return moves[1:] if len(moves) > 1 else moves


def omitting_own(moves, information):
    return moves if isinstance(information, PublicState) else omitting(moves, information)


def inventing(moves, information):
    other = moves[:1].copy()
    other[0, 0] = (0, 0)
    bids = {tuple(row[0]) for row in moves.tolist()}
    return moves if (0, 0) in bids or len(moves) == 1 else np.concatenate([moves[1:], other])


def repeating(moves, information):
    return np.concatenate([moves[:-1], moves[:1]]) if len(moves) > 1 else moves


def emptying(moves, information):
    return moves[:0]


def test_right_lists_are_accepted():
    assert check_game(listing()).is_complete
    assert not check_game(listing(num_cards=5), max_histories=200).is_complete


WRONG = {
    "omits joint actions": {"change": omitting},
    "as seen by player 0, it omits joint actions": {"change": omitting_own},
    r"it lists \(\(0, 0\).*\), which does not agree": {"change": inventing},
    "it lists a history twice|it omits joint actions": {"change": repeating},
    "as seen by everybody, it omits": {"change": emptying},
    "with max_histories=": {"max_extra": 1},
    "mean sum of weights is": {"reweight": lambda weight: weight * 1.01},
    "the weights": {"reweight": lambda weight: -weight},
    "sample_histories_as_seen.*which does not agree|does not agree.*sample_histories_as_seen": {
        "redraw": lambda moves: np.zeros_like(moves)
    },
    "array or object of type list": {"change": lambda moves, information: moves.tolist()},
    "an array of shape": {"change": lambda moves, information: moves[:, :, :1]},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_lists_are_reported(message):
    with pytest.raises(GameRuleError, match=message):
        check_game(listing(**WRONG[message]))


@pytest.mark.parametrize("change", [omitting, inventing])
def test_wrong_lists_late_in_a_game_are_reported(change):
    def late(moves, information):
        return change(moves, information) if moves.shape[1] > 2 else moves

    # The first 60 histories have at most one transition; the mistake is found along a play.
    with pytest.raises(GameRuleError, match="histories_as_seen"):
        check_game(listing(num_cards=5, change=late), max_histories=60)


class Bids(Game):
    """Two players bid 0 or 1 in secret; with more hidden than actions, in some variants."""

    num_players = 2
    outcomes = staticmethod(lambda bids: [(bids, 1)])
    private = staticmethod(lambda next_world: ())

    def initial_world(self):
        return None

    def actors(self, world):
        return (0, 1) if world is None else ()

    def legal_actions(self, world, player):
        return ("low", "high")

    def transitions(self, world, joint_action):
        return self.outcomes(joint_action) if world is None else []

    def rewards(self, world, joint_action, next_world):
        return (0, 0)

    def observe(self, world, joint_action, next_world):
        return Observation(
            "same" if len({*joint_action}) == 1 else "other", self.private(next_world)
        )

    def histories_as_seen(self, information, max_histories):
        if not isinstance(information, PublicState) or max_histories < 2:
            return None
        rows = {"same": [[[0, 0]], [[1, 1]]], "other": [[[0, 1]], [[1, 0]]]}
        return np.array(rows[information.observations[0]])


HIDDEN = {
    "players have private observations": {"private": lambda next_world: ("!", None)},
    "two histories have joint actions": {
        "outcomes": lambda bids: [((*bids, coin), 0.5) for coin in ("heads", "tails")]
    },
    "histories have chance reach": {
        "outcomes": lambda bids: (
            [(bids, 1)] if bids[0] == "low" else [((*bids, coin), 0.5) for coin in "ht"]
        )
    },
}


def test_hidden_actions_alone_are_accepted():
    assert check_game(Bids()).is_complete


@pytest.mark.parametrize("message", HIDDEN)
def test_lists_in_games_with_other_hidden_information_are_reported(message):
    changed = {name: staticmethod(value) for name, value in HIDDEN[message].items()}
    with pytest.raises(GameRuleError, match=message):
        check_game(type("Hiding", (Bids,), changed)())


FLEET = dict(board_width=2, board_height=2, ship_sizes=(1,), ship_values=(1.0,), num_shots=2)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda public: None, None),
        (lambda public: ("0_0", "0_1", "1_0", "1_1"), None),
        (lambda public: ("0_0",), "it returned .* for the public observation"),
        (lambda public: "0_0", "actions_as_seen returns a sequence"),
        (lambda public: 1 / 0, "raised ZeroDivisionError"),
    ],
)
def test_wrong_actions_are_reported(answer, message):
    class Aiming(Battleship):
        def actions_as_seen(self, player, public):
            return None if public is None else answer(public)

    game = Aiming(**FLEET)
    if message is None:
        check_game(game, max_histories=200)
    else:
        with pytest.raises(GameRuleError, match=message):
            check_game(game, max_histories=200)


class Dealing(KuhnPoker):
    """Kuhn poker that draws the hidden cards, with changes."""

    change = staticmethod(lambda histories, weights: (histories, weights))

    def sample_histories_as_seen(self, information, num_histories, rng):
        ends = [initial_history(self)]
        for public in public_observations(information):
            after = [
                one.extend(joint, world)
                for one in ends
                for action in (("bet", "pass") if one.actors else (None,))
                for joint in [tuple(action if player in one.actors else None for player in (0, 1))]
                for world, _ in one.outcomes(joint)
            ]
            ends = [one for one in after if one.observation.public == public]
        agreeing = [one for one in ends if information in (one.public_state, *one.infostates)]
        drawn = [agreeing[int(rng.integers(len(agreeing)))] for _ in range(num_histories)]
        return self.change(drawn, np.full(num_histories, len(agreeing) / 6 / num_histories))


def dealing(change):
    return type("Changed", (Dealing,), {"change": staticmethod(change)})()


def dealt_first(histories, weights):
    root = histories[0].path()[0]
    first = root.extend((None, None), root.chance_outcomes[0][0])
    return ([first, *histories[1:]] if histories[0].depth == 1 else histories), weights


def invented_world(histories, weights):
    return [replace(one, world="nowhere") for one in histories], weights


def invented_beginning(histories, weights):
    root = replace(histories[0].path()[0], world="nowhere")
    some = [replace(one, parent=root) for one in histories if one.depth == 1]
    return some or histories, weights


def illegal_action(histories, weights):
    return [replace(one, joint_action=("raise", None)) for one in histories], weights


ALL_HISTORIES, NO_HISTORIES = 10_000, 5


@pytest.mark.parametrize("max_histories", [ALL_HISTORIES, NO_HISTORIES])
def test_right_draws_of_hidden_cards_are_accepted(max_histories):
    is_complete = max_histories == ALL_HISTORIES
    assert check_game(Dealing(), max_histories=max_histories).is_complete == is_complete


def with_weights(change):
    return dealing(lambda histories, weights: (histories, change(weights)))


@pytest.mark.parametrize(
    "game",
    [
        with_weights(lambda weights: weights * 1.01),
        with_weights(lambda weights: weights * 6),  # as for moves
        dealing(lambda histories, weights: (histories[1:], weights[1:])),
    ],
)
def test_wrong_weights_of_hidden_cards_are_reported(game):
    with pytest.raises(GameRuleError, match=r"the mean sum of weights is .*, not about"):
        check_game(game)


WRONG_DRAWS = {
    dealt_first: "does not agree",
    invented_world: "transition to 'nowhere'",
    invented_beginning: "transition to 'nowhere'",
    illegal_action: "impossible transition",
}


@pytest.mark.parametrize("change", WRONG_DRAWS)
def test_wrong_draws_of_hidden_cards_are_reported(change):
    with pytest.raises(GameRuleError, match=r"it draws .*, which does not agree"):
        check_game(dealing(change))
    # The number of histories is too small for the deal; the mistake is found along a play.
    with pytest.raises(GameRuleError, match=WRONG_DRAWS[change]):
        check_game(dealing(change), max_histories=NO_HISTORIES)
