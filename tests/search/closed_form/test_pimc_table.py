"""PIMC in liar's dice without a search, next to the search that it stands for."""

from itertools import islice, product

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.game import Infostate, Step
from infoset.games import LiarsDice
from infoset.search import PIMC
from infoset.search.closed_form import pimc_table
from infoset.search.models.dice import DiceModel


def infostates(game):
    """Yield infostates at which the own move is 0 or 1, with each hand and each last bid."""
    bids = game.calls[:-1]
    for hand, _ in game.rolls:
        dealt = Step(None, hand, None)
        yield Infostate(0, (dealt,))
        for last, bid in enumerate(bids):
            yield Infostate(1, (dealt, Step(None, None, bid)))
            for own in bids[:last]:
                yield Infostate(0, (dealt, Step(own, None, own), Step(None, None, bid)))


@pytest.mark.parametrize("public_weight", [0.0, 0.3, 1.0, (0.2, 0.7)])
@pytest.mark.parametrize(("dice", "sides"), [(1, 3), (2, 2)])
def test_it_plays_the_best_of_all_worlds(dice, sides, public_weight):
    game = LiarsDice(numdice=dice, dice_sides=sides)
    model, table, belief = (
        DiceModel(game),
        pimc_table(game, public_weight),
        PublicPrivateBelief(public_weight),
    )
    for infostate in infostates(game):
        legal = model.legal_actions(infostate)
        roots = model.roots(infostate, belief, np.random.default_rng(0))
        scores = roots.probability @ model.perfect_information_values(
            roots.states, infostate.player
        )
        best = scores >= scores.max() - 1e-9
        expected = best / best.sum()
        assert table.action_probabilities(infostate, legal) == pytest.approx(expected)


@pytest.mark.parametrize("public_weight", [0.0, 0.7])
def test_it_plays_as_the_search_does(public_weight):
    game = LiarsDice(numdice=2)
    table, rng = pimc_table(game, public_weight), np.random.default_rng(0)
    searcher = PIMC(DiceModel(game), belief=public_weight, num_worlds=None)
    for infostate in islice(infostates(game), 0, None, 150):
        legal = searcher.model.legal_actions(infostate)
        found = searcher.search(infostate, rng)
        assert found == pytest.approx(table.action_probabilities(infostate, legal), abs=1e-12)


def test_a_public_weight_by_own_move_and_last_bid():
    game = LiarsDice(numdice=2, dice_sides=3)
    rng = np.random.default_rng(0)
    public_weight = rng.random((2, len(game.bids) + 1)).round(2)
    table = pimc_table(game, public_weight)
    for move, last in product(range(2), range(len(game.bids) + 1)):
        alone = pimc_table(game, float(public_weight[move, last])).probability[0, :, last]
        assert table.probability[move, :, last].tolist() == alone.tolist()


def one_world_policy(game, public_weight, hand, last):
    """Return what is played on average by one world drawn, by going through all."""
    model = DiceModel(game)
    steps = () if last == 0 else (Step(None, None, game.calls[last - 1]),)
    infostate = Infostate(1 if last else 0, (Step(None, hand, None), *steps))
    roots = model.roots(infostate, PublicPrivateBelief(public_weight), np.random.default_rng(0))
    values = model.perfect_information_values(roots.states, infostate.player)
    best = values == values.max(axis=1, keepdims=True)
    return roots.probability @ (best / best.sum(axis=1, keepdims=True))


def test_worlds_are_drawn_by_the_belief():
    game, repeats = LiarsDice(numdice=2, dice_sides=2), 40_000
    table = pimc_table(game, 0.4, num_worlds=1, num_repeats=repeats, seed=3)
    for (number, (hand, _)), last in product(enumerate(game.rolls), range(len(game.bids) + 1)):
        expected = one_world_policy(game, 0.4, hand, last)
        found = table.probability[0, number, last, last : last + len(expected)]
        assert abs(found - expected).max() < 4.5 * 0.5 / repeats**0.5


def test_many_worlds_are_as_good_as_all():
    game = LiarsDice(numdice=2, dice_sides=3)
    exact = pimc_table(game, 0.3).probability
    drawn = pimc_table(game, 0.3, num_worlds=3_000_000, num_repeats=5).probability
    certain = exact.max(axis=-1) == 1
    assert certain.mean() > 0.8
    assert abs(drawn - exact)[certain].max() == 0


def test_the_seed_tells_what_is_drawn():
    tables = [
        pimc_table(LiarsDice(), num_worlds=10, num_repeats=3, seed=seed).probability
        for seed in (1, 1, 2)
    ]
    assert (tables[0] == tables[1]).all()
    assert (tables[0] != tables[2]).any()


# The chance that an observer gives to the hand of who has bid first, times the 21 hands, on
# average: with a thousand worlds, worked out apart from this library.
@pytest.mark.parametrize(
    ("public_weight", "ratio"),
    [(0.0, 9.33), (0.3, 8.85), (0.5, 7.49), (0.8, 2.01), (0.9, 1.15), (1.0, 1.07)],
)
def test_how_much_the_first_bid_gives_away(public_weight, ratio):
    table = pimc_table(LiarsDice(numdice=2), public_weight, num_worlds=1000, num_repeats=150)
    joint = table.prior * table.probability[0, :, 0].T
    joint = joint[joint.sum(axis=1) > 0]
    mean = (joint**2 / joint.sum(axis=1, keepdims=True)).sum() * len(table.prior)
    assert mean == pytest.approx(ratio, abs=0.15)


@pytest.mark.parametrize(
    ("public_weight", "message"),
    [
        (1.2, "public_weight is 1.2; it must be from 0"),
        ([0.1, -0.1], "it must be from 0"),
        (float("nan"), "public_weight is nan"),
        ([], "public_weight has shape"),
        (np.zeros((1, 5)), r"public_weight has shape \(1, 5\)"),
    ],
)
def test_public_weights_that_are_none(public_weight, message):
    with pytest.raises(ParameterError, match=message):
        pimc_table(LiarsDice(), public_weight)


def test_numbers_that_are_none():
    with pytest.raises(ParameterError, match="num_worlds=0 must be"):
        pimc_table(LiarsDice(), num_worlds=0)
    with pytest.raises(ParameterError, match="num_repeats=0 must be"):
        pimc_table(LiarsDice(), num_worlds=1, num_repeats=0)
    with pytest.raises(ParameterError, match="liar's dice, such as"):
        pimc_table("liars_dice")
