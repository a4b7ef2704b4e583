"""Batches of histories that a game draws as `History` objects, and draws that break the rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, private_belief, public_belief
from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.history_filter import observed_steps
from infoset.beliefs.listed_histories import path_batch
from infoset.errors import GameRuleError
from infoset.game import Infostate, PublicState, Step, initial_history
from infoset.games import KuhnPoker, LeducPoker


class Dealing(KuhnPoker):
    """Kuhn poker that draws the other card."""

    change = staticmethod(lambda histories, weights: (histories, weights))

    def sample_histories_as_seen(self, information, num_histories, rng):
        if isinstance(information, PublicState):
            return None
        ends = histories_of(self, information)
        drawn = [ends[int(rng.integers(len(ends)))] for _ in range(num_histories)]
        chance = len(ends) / 6 / num_histories
        return self.change(drawn, np.full(num_histories, chance))


def histories_of(game, infostate):
    """Return the histories of an infostate, found by trying all of them."""
    ends = [initial_history(game)]
    for step in infostate.steps:
        actions = [step.public] if step.public is not None else [None]
        ends = [
            one.extend(joint, world)
            for one in ends
            for action in actions
            for joint in [tuple(action if player in one.actors else None for player in (0, 1))]
            for world, _ in one.outcomes(joint)
        ]
    return [end for end in ends if end.infostates[infostate.player] == infostate]


def changed(change):
    return type("Changed", (Dealing,), {"change": staticmethod(change)})()


KING = Infostate(1, (Step(None, "K", None), Step(None, None, "bet")))
SAMPLED = {"max_worlds": 1, "num_samples": 200}


def test_beliefs_are_enumerated_if_they_can_be():
    belief = private_belief(Dealing(), KING, rng=np.random.default_rng(0))
    assert belief.method == "enumeration"
    assert belief.probability.tolist() == [0.5, 0.5]


def test_equal_histories_are_merged():
    belief = private_belief(Dealing(), KING, rng=np.random.default_rng(0), **SAMPLED)
    assert belief.method == "samples"
    assert len(belief) == 2
    assert belief.probability == pytest.approx([0.5, 0.5], abs=0.1)
    assert set(belief.histories) == set(histories_of(Dealing(), KING))
    # The policy of the other player counts as well.
    bluffs = {"J": [0.4, 0.6], "Q": [0.9, 0.1]}
    posterior = private_belief(
        Dealing(),
        KING,
        policies=lambda infostate, legal: bluffs[infostate.steps[0].private],
        rng=np.random.default_rng(0),
        **SAMPLED,
    )
    found = {str(known): p for known, p in posterior.infostate_probabilities(0).items()}
    assert found == pytest.approx({"[J] / bet": 6 / 7, "[Q] / bet": 1 / 7}, abs=0.05)


def test_weights_are_added_and_order_is_that_of_the_draws():
    game = Dealing()
    one, other = histories_of(game, KING)
    root, steps = HistoryBatch.root(game), observed_steps(KING)
    batch = path_batch(root, [other, one, other], np.array([1.0, 2.0, 4.0]), steps)
    assert [*batch] == [other, one]
    assert batch[0] is other
    assert batch.weight.tolist() == [5.0, 2.0]
    assert batch.method == "samples"
    assert batch.depth == 2
    assert len(batch.positions_at(KING)) == len(batch)
    assert len(batch.parent) == 2
    assert len({*batch.infostate[:, 0].tolist()}) == 2
    assert len({*batch.infostate[:, 1].tolist()}) == 1


def test_no_draws_are_left_to_the_filter():
    game = changed(lambda histories, weights: ([], np.zeros(0)))
    belief = private_belief(game, KING, rng=np.random.default_rng(0), max_worlds=1, num_samples=9)
    assert len(belief) == 2
    public = public_belief(
        Dealing(), KING.public_state, rng=np.random.default_rng(0), max_worlds=5, num_samples=6
    )
    assert len(public) == 6


def test_mixed_beliefs_merge_drawn_and_filtered_histories():
    mixed = PublicPrivateBelief(0.5, max_worlds=5, num_samples=200)
    belief = mixed.at(Dealing(), KING, rng=np.random.default_rng(0))
    assert len(belief) == 6
    assert belief.infostate_probabilities(1)[KING] == pytest.approx(0.5 + 0.5 / 3)


def other_card(histories, weights):
    queen = Infostate(1, (Step(None, "Q", None), *KING.steps[1:]))
    return [*histories[1:], histories_of(histories[0].game, queen)[0]], weights


def other_action(histories, weights):
    deal = histories[0].parent
    world, _ = deal.outcomes(("pass", None))[0]
    return [deal.extend(("pass", None), world)], weights[:1]


def illegal_action(histories, weights):
    return [replace(one, joint_action=("raise", None)) for one in histories], weights


def taken_by_another_player(histories, weights):
    return [replace(one, joint_action=("bet", "bet")) for one in histories], weights


def other_beginning(histories, weights):
    last = histories[0]
    root = replace(last.parent.parent, world="elsewhere")
    return [replace(last, parent=replace(last.parent, parent=root))], weights[:1]


def too_short(histories, weights):
    return [one.parent for one in histories], weights


def another_game(histories, weights):
    return [initial_history(LeducPoker())], weights[:1]


WRONG = {
    r"player 1 did not observe .*it observed": other_card,
    r"pass.* but player 1 did not observe": other_action,
    r"joint action \('raise', None\), which is illegal": illegal_action,
    r"joint action \('bet', 'bet'\), which is illegal": taken_by_another_player,
    "begins in another world state": other_beginning,
    "a history of 1 transitions, not 2": too_short,
    "a history of 0 transitions": another_game,
    "with the weights": lambda histories, weights: (histories, -weights),
    r"200 histories with the weights": lambda histories, weights: (histories, weights[:2]),
    "array or object of type list": lambda histories, weights: ([KING], weights[:1]),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_draws_are_reported(message):
    with pytest.raises(GameRuleError, match=message):
        private_belief(changed(WRONG[message]), KING, rng=np.random.default_rng(0), **SAMPLED)


def test_the_observer_took_its_own_action():
    game = Dealing()
    known = Infostate(0, (Step(None, "K", None), Step("bet", None, "bet")))
    (history, _) = histories_of(game, known)
    claimed = Infostate(0, (known.steps[0], Step("pass", None, "bet")))
    with pytest.raises(GameRuleError, match="but player 0 took the action 'pass'"):
        path_batch(HistoryBatch.root(game), [history], np.ones(1), observed_steps(claimed))


def with_game(game):
    def change(histories, weights):
        return [replace(one, game=game or type(one.game)()) for one in histories], weights

    return changed(change)


def test_histories_are_those_of_an_equal_game():
    belief = private_belief(with_game(None), KING, rng=np.random.default_rng(0), **SAMPLED)
    assert len(belief) == 2
    with pytest.raises(GameRuleError, match="a history of the game kuhn_poker"):
        private_belief(with_game(Dealing()), KING, rng=np.random.default_rng(0), **SAMPLED)
