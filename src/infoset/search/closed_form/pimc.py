"""PIMC in liar's dice, for all hands and bids at once, without a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.games import LiarsDice
from infoset.search.closed_form.bid_table import BidTable, legal_calls
from infoset.search.models.dice import DiceModel
from infoset.typing import BoolArray, FloatArray, LongArray
from infoset.utils.arguments import check_count, check_type

__all__ = ["pimc_table"]

TIE = 1e-12
"""How much less than the best a score may be and count as equal, as rounding makes it."""


def pimc_table(
    game: LiarsDice,
    public_weight: float | Sequence[float] | FloatArray = 0.0,
    *,
    num_worlds: int | None = None,
    num_repeats: int = 100,
    seed: int = 0,
) -> BidTable:
    """Return what PIMC plays in liar's dice with every hand after every bid.

    In a world where all dice are seen, the highest true bid wins, and so does `liar` against a
    bid that is false; every other call loses. So the score of a call is a probability,

        score(bid) = P(bid is the highest true one),    score(liar) = P(the last bid is false)

    under the mixture `(1 - public_weight) * private + public_weight * public` of the private and
    the public belief; of the calls with the greatest score each is as likely.

    Parameters
    ----------
    game : LiarsDice
    public_weight : float, Sequence[float] or FloatArray
        Of the public belief: a number; or by own move, the last one standing for all later ones;
        or [M, L] by own move and by last bid, 0 for none.
    num_worlds : int, optional
        How many worlds each decision draws; by default it is made as if it drew them all.
    num_repeats : int
        Of how many such decisions the policy is the average.
    seed : int

    Returns
    -------
    BidTable

    Raises
    ------
    ParameterError
        If a public weight is not from 0 to 1, or a number not positive.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024), with 1000 worlds. Exact scores are an
    addition.

    Examples
    --------
    >>> table = pimc_table(LiarsDice(), public_weight=0.5)
    >>> [table.game.calls[row.argmax()] for row in table.probability[0, :, 0]]
    ['2-1', '2-2', '1-3', '1-4', '1-5', '2-1']
    """
    check_type("game", game, LiarsDice, 'liar\'s dice, such as infoset.load("liars_dice")')
    public_weights = _checked_public_weights(game, public_weight)
    chances = _Chances.of(game)
    if num_worlds is None:
        moves = [_exact_policy(game, chances, row) for row in public_weights]
        return BidTable(game, np.array(moves))
    check_count("num_worlds", num_worlds, minimum=1)
    check_count("num_repeats", num_repeats, minimum=1)
    check_count("seed", seed)
    rng = np.random.default_rng(seed)
    return BidTable(
        game,
        np.array(
            [_drawn_policy(chances, row, num_worlds, num_repeats, rng) for row in public_weights]
        ),
    )


class _Chances(NamedTuple):
    """What a hand says of the bids, and in the last row what is said with no hand seen.

    Attributes
    ----------
    highest : FloatArray
        [H + 1, B] that each bid is the highest true one.
    met : FloatArray
        [H + 1, B, B] that the first bid is true, and the second the highest true one.
    """

    highest: FloatArray
    met: FloatArray

    @classmethod
    def of(cls, game: LiarsDice) -> _Chances:
        """Return the chances in a game."""
        model = DiceModel(game)
        matches, quantity = model.arrays
        prior = model.hand_probability
        num_bids = len(quantity)
        met = np.empty((len(prior) + 1, num_bids, num_bids))
        for hand, own in enumerate(matches):
            is_true = own + matches >= quantity
            highest = num_bids - 1 - is_true[:, ::-1].argmax(axis=1)
            is_highest = highest[:, None] == np.arange(num_bids)
            met[hand] = (is_true * prior[:, None]).T @ is_highest
        met[-1] = np.tensordot(prior, met[:-1], axes=1)
        return cls(met.diagonal(axis1=1, axis2=2), met)


def _checked_public_weights(
    game: LiarsDice, public_weight: float | Sequence[float] | FloatArray
) -> FloatArray:
    """Return [M, L] the public weight by own move and last bid."""
    num_bids = len(game.bids)
    given = np.asarray(public_weight, np.float64)
    public_weights = given.reshape(-1, 1) if given.ndim < 2 else given
    if (
        public_weights.ndim != 2
        or public_weights.shape[1] not in (1, num_bids + 1)
        or not len(public_weights)
    ):
        raise ParameterError(
            f"public_weight has shape {given.shape}; give a number, one for each own move, or for "
            f"each own move one for no bid and each of the {num_bids} bids"
        )
    if not ((public_weights >= 0) & (public_weights <= 1)).all():
        raise ParameterError(
            f"public_weight is {public_weight!r}; it must be from 0, the player's private "
            "belief, to 1, the public belief"
        )
    return np.broadcast_to(public_weights, (len(public_weights), num_bids + 1))


def _mixed(chances: FloatArray, public_weight: float) -> FloatArray:
    """Return what is said with each hand [H, ...], mixed with what is said without one."""
    own, public = chances[:-1], chances[-1]
    return np.asarray((1.0 - public_weight) * own + public_weight * public)


def _exact_policy(game: LiarsDice, chances: _Chances, public_weights: FloatArray) -> FloatArray:
    """Return [H, L, C] the policy for a public weight by last bid [L]."""
    num_bids = chances.highest.shape[1]
    met = chances.met.sum(axis=2)
    scores = np.zeros((len(met) - 1, num_bids + 1, num_bids + 1))
    for last, public_weight in enumerate(public_weights.tolist()):
        scores[:, last, :-1] = _mixed(chances.highest, public_weight)
        if last:
            scores[:, last, -1] = 1.0 - _mixed(met[:, last - 1], public_weight)
    scores[:, ~legal_calls(game)] = -np.inf
    return _evenly(scores >= scores.max(axis=2, keepdims=True) - TIE)


def _drawn_policy(
    chances: _Chances,
    public_weights: FloatArray,
    num_worlds: int,
    num_repeats: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return [H, L, C] the mean policy of decisions that draw their worlds."""
    num_hands, num_bids = chances.highest.shape[0] - 1, chances.highest.shape[1]
    policy = np.zeros((num_hands, num_bids + 1, num_bids + 1))
    for last, public_weight in enumerate(public_weights.tolist()):
        scores = _drawn_scores(
            chances, last, public_weight, num_worlds, (num_repeats, num_hands), rng
        )
        is_best = scores == scores.max(axis=2, keepdims=True)
        calls = slice(last, last + scores.shape[2])
        policy[:, last, calls] = _evenly(is_best).mean(axis=0)
    return policy


def _drawn_scores(
    chances: _Chances,
    last: int,
    public_weight: float,
    num_worlds: int,
    shape: tuple[int, int],
    rng: np.random.Generator,
) -> LongArray:
    """Return [R, H, A] in how many worlds each legal call wins, of as many as are drawn.

    Worlds count by the highest true bid, if it is a later one, and by whether the last is true.
    """
    highest = _mixed(chances.highest, public_weight)
    if last == 0:
        return rng.multinomial(num_worlds, highest / highest.sum(axis=1, keepdims=True), shape)
    met = _mixed(chances.met[:, last - 1], public_weight)
    is_met, is_not = met[:, last:], np.maximum(highest - met, 0.0)[:, last:]
    sunk = highest[:, : last - 1].sum(axis=1, keepdims=True)
    parts = np.concatenate([is_not, sunk, is_met, met[:, [last - 1]]], axis=1)
    drawn = rng.multinomial(num_worlds, parts / parts.sum(axis=1, keepdims=True), shape)
    later = is_met.shape[1]
    wins = drawn[..., :later] + drawn[..., later + 1 : -1]
    return np.concatenate([wins, drawn[..., : later + 1].sum(axis=2, keepdims=True)], axis=2)


def _evenly(is_best: BoolArray) -> FloatArray:
    """Return the same probability for all of the best calls, along the last axis."""
    return np.asarray(is_best / is_best.sum(axis=-1, keepdims=True))
