"""The search model of liar's dice against its rules."""

from itertools import product

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Infostate, Step, initial_history
from infoset.games import KuhnPoker, LiarsDice
from infoset.games.liars_dice import Table
from infoset.policy import uniform_policy
from infoset.search import search_model
from infoset.search.models.dice import DiceModel
from tests.search.models.model_lockstep import check_roots, decisions, paranoid_values, play_both

GAMES = [
    LiarsDice(numdice=2, dice_sides=2),
    LiarsDice(numdice=2, dice_sides=3, bidding_rule="reset-quantity"),
    LiarsDice(dice_sides=1),
]


def world_of(model):
    hands = [hand for hand, _ in model.game.rolls]
    return lambda state: Table((hands[state[0]], hands[state[1]]), state[2], state[3])


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("public_weight", [0.0, 0.3, 1.0])
def test_roots_and_playouts_agree_with_the_rules(game, public_weight):
    model, rng = DiceModel(game), np.random.default_rng(1)
    ends = []
    for history in decisions(game, rng, 4):
        states, rules, theirs = check_roots(model, world_of(model), history, public_weight)
        shown = {}
        for place in rng.integers(len(states), size=3).tolist():
            ends.append(play_both(model, states[place], rules, theirs[place], rng, shown))
    assert game.dice_sides == 1 or {tuple(end) for end in ends} == {(1, -1), (-1, 1)}
    assert model.is_zero_sum


@pytest.mark.parametrize(("dice", "sides"), [(1, 3), (2, 2), (2, 3)])
@pytest.mark.parametrize("rule", ["reset-face", "reset-quantity"])
def test_the_closed_form_is_minimax_in_every_world(dice, sides, rule):
    game = LiarsDice(numdice=dice, dice_sides=sides, bidding_rule=rule)
    model, by_force = DiceModel(game), paranoid_values(game)
    numbers = range(len(game.rolls))
    rows = [
        (first, second, call, mover, -1)
        for first, second, call, mover in product(
            numbers, numbers, range(-1, len(game.bids)), (0, 1)
        )
        if mover == 0 or call >= 0
    ]
    for player in (0, 1):
        values = model.perfect_information_values(np.array(rows), player)
        for row, found in zip(rows, values, strict=True):
            expected = by_force(world_of(model)(row), player)
            assert found[: len(expected)].tolist() == list(expected)
            assert np.isnan(found[len(expected) :]).all()


def test_beliefs_under_policies_come_from_the_rules():
    model = DiceModel(LiarsDice(dice_sides=3))
    (history, *_) = decisions(model.game, np.random.default_rng(0), 1)
    known, rng = history.infostates[0], np.random.default_rng(0)
    prior = model.roots(known, PublicPrivateBelief(0.4), rng)
    posterior = model.roots(known, PublicPrivateBelief(0.4, policies=uniform_policy()), rng)
    assert posterior.states.tolist() == prior.states.tolist()
    assert abs(posterior.probability - prior.probability).max() < 1e-15
    assert posterior.infostates.tolist() == prior.infostates.tolist()


def test_too_many_rolls_are_sampled():
    model = DiceModel(LiarsDice(numdice=2, dice_sides=3))
    (history, *_) = decisions(model.game, np.random.default_rng(0), 1)
    belief = PublicPrivateBelief(0.5, max_worlds=30, num_samples=25)
    roots = model.roots(history.infostates[0], belief, np.random.default_rng(0))
    assert roots.probability.sum() == pytest.approx(1)
    assert 0 < (roots.infostates[:, 0] == 0).sum() < len(roots.states)


def test_the_largest_game_of_the_paper_is_listed():
    model = search_model(LiarsDice(numdice=5))
    assert isinstance(model, DiceModel)
    known = Infostate(1, (Step(None, (1, 2, 2, 4, 6), None), Step(None, None, "4-5")))
    assert model.legal_actions(known)[0] == "4-6"
    roots = model.roots(known, PublicPrivateBelief(0.25), np.random.default_rng(0))
    assert len(roots.states) == 252**2
    assert roots.probability.sum() == pytest.approx(1)
    assert roots.probability[roots.infostates[:, 1] == 0].sum() == pytest.approx(
        0.75 + 0.25 * 60 / 6**5
    )


def unreachable():
    dealt = Step(None, (1, 2), None)
    yield Infostate(0, (Step(None, (2, 1), None),))
    yield Infostate(0, (Step("1-1", (1, 2), None),))
    yield Infostate(1, (dealt, Step("1-1", None, "1-1")))
    yield Infostate(0, (dealt, Step(None, None, "1-1"), Step(None, None, "1-2")))
    yield Infostate(0, (dealt, Step("1-2", None, "1-2"), Step(None, None, "1-1")))
    yield Infostate(0, (dealt, Step("2-9", None, "2-9"), Step(None, None, "3-1")))
    yield Infostate(0, (dealt, Step("1-1", (1,), "1-1"), Step(None, None, "1-2")))


@pytest.mark.parametrize("infostate", list(unreachable()), ids=str)
def test_unreachable_infostates(infostate):
    model = DiceModel(LiarsDice(numdice=2, dice_sides=2))
    with pytest.raises(UnknownNameError, match=r"no play of liars_dice.* leads player"):
        model.roots(infostate, PublicPrivateBelief(0.0), np.random.default_rng(0))


def test_infostates_of_the_waiting_player():
    game = LiarsDice(dice_sides=2)
    model, rng = DiceModel(game), np.random.default_rng(0)
    start = initial_history(game).sample((None, None), rng)
    end = start.sample(("1-1", None), rng).sample((None, "liar"), rng)
    for infostate in (Infostate(0), start.infostates[1], end.infostates[0]):
        with pytest.raises(ParameterError, match="does not act at the infostate"):
            model.legal_actions(infostate)
    with pytest.raises(ParameterError, match="liar's dice, such as"):
        DiceModel(KuhnPoker())
