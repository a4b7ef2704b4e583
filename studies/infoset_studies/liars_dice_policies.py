"""Policies for liar's dice that depend on the hand and the last bid, for sizes without a tree.

When all dice are seen, the highest true bid wins, and so does `liar` against a false bid. The
policy of PIMC therefore depends on the hand and the last bid alone (`BidTable`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Infostate
from infoset.games import LiarsDice
from infoset.games.liars_dice import NO_BID
from infoset.search.models import DiceModel
from infoset.search.models.dice import parse_dice_infostate
from infoset.typing import Action, BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_count, check_player, check_type

__all__ = ["BidTable", "check_pair", "check_table", "legal_calls", "pimc_table"]

TIE = 1e-12
"""Difference up to which two exact scores are tied: rounding makes them differ."""


@dataclass(frozen=True, eq=False)
class BidTable:
    """A policy for liar's dice that depends on the hand, the last bid and the number of own moves.

    Attributes
    ----------
    game : LiarsDice
    probability : FloatArray
        [M, H, L, C] probability of each call (`liar` last) by own move (the last entry applies to
        all later moves), hand (in the order of `LiarsDice.rolls`) and last bid (0 for none).

    Raises
    ------
    ParameterError
        If the array has another shape, an illegal call has positive probability, or the
        probabilities of the legal calls are negative or do not sum to 1.

    Examples
    --------
    With one two-sided die each, the second side wild, before the first bid:

    >>> from infoset_studies.liars_dice_policies import pimc_table
    >>> table = pimc_table(LiarsDice(dice_sides=2))
    >>> table.game.calls
    ('1-1', '1-2', '2-1', '2-2', 'liar')
    >>> table.probability[0, :, 0].tolist()
    [[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 0.0]]
    """

    game: LiarsDice
    probability: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        check_type("game", self.game, LiarsDice, 'liar\'s dice, such as infoset.load("liars_dice")')
        probability = np.array(self.probability, np.float64)
        self._check(probability)
        probability.flags.writeable = False
        object.__setattr__(self, "probability", probability)

    def _check(self, probability: FloatArray) -> None:
        hands, bids = len(self.game.rolls), len(self.game.bids)
        shape = (hands, bids + 1, bids + 1)
        if probability.ndim != 4 or probability.shape[1:] != shape or not len(probability):
            raise ParameterError(
                f"`probability` has shape {probability.shape}; for {self.game} give an array "
                f"[moves, {', '.join(map(str, shape))}] indexed by own move, hand, last bid "
                "and call"
            )
        wrong = probability[..., ~legal_calls(self.game)].any()
        if wrong or not (probability >= 0).all():
            raise ParameterError(
                "a probability is negative or NaN, or an illegal call has a positive probability; "
                "legal calls are all higher bids and, after a bid, liar"
            )
        off = abs(probability.sum(axis=-1) - 1) > SUM_TOLERANCE
        if off.any():
            move, hand, last = np.argwhere(off)[0].tolist()
            raise ParameterError(
                f"the probabilities at the player's move {move}, hand "
                f"{self.game.rolls[hand][0]} and last bid {last} "
                f"sum to {probability[move, hand, last].sum()}, not 1; normalize them"
            )

    @cached_property
    def prior(self) -> FloatArray:
        """[H] probability of each hand."""
        return np.array([float(chance) for _, chance in self.game.rolls])

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the probability of each legal call, in order.

        Raises
        ------
        UnknownNameError
            If the infostate cannot be reached.
        ParameterError
            If its player does not act there.
        """
        hand, bid, num_moves = parse_dice_infostate(self.game, infostate)
        move = min(num_moves, len(self.probability) - 1)
        row = self.probability[move, hand, bid + 1, bid + 1 :]
        return row[: len(legal_actions)].copy()

    def own_reach(self, calls: Sequence[str], player: Player) -> FloatArray:
        """Return [H] the probability of a player's own calls, for each of its hands.

        Parameters
        ----------
        calls : Sequence[str]
            The calls of both players, in order.
        player : Player

        Raises
        ------
        ParameterError
            If the player is not 0 or 1.
        UnknownNameError
            If a call is unknown, or not higher than the last one.

        Examples
        --------
        >>> from infoset_studies.liars_dice_policies import pimc_table
        >>> pimc_table(LiarsDice(dice_sides=2)).own_reach(["2-1"], player=0).tolist()
        [1.0, 0.5]
        """
        check_player(player, 2, str(self.game))
        reach, last = np.ones(len(self.prior)), NO_BID
        for number, name in enumerate(calls):
            later = self.game.calls[last + 1 : -1 if last == NO_BID else None]
            if name not in later:
                raise UnknownNameError.of("call", name, later)
            call = last + 1 + later.index(name)
            if number % 2 == player:
                move = min(number // 2, len(self.probability) - 1)
                reach = reach * self.probability[move, :, last + 1, call]
            last = call
        return reach


def legal_calls(game: LiarsDice) -> BoolArray:
    """Return [L, C] whether each call is legal after each last bid."""
    num_bids = len(game.bids)
    legal = np.arange(num_bids + 1) >= np.arange(num_bids + 1)[:, None]
    legal[0, num_bids] = False
    return legal


def check_table(table: object) -> None:
    """Raise `ParameterError` unless `table` is a `BidTable`."""
    check_type("table", table, BidTable, "a BidTable, such as pimc_table(game)")


def check_pair(first: BidTable, second: BidTable) -> None:
    """Raise `ParameterError` unless two tables are for the same game."""
    check_table(first)
    check_table(second)
    if first.game != second.game:
        raise ParameterError(
            f"one table is for {first.game}, the other for {second.game}; give two "
            "tables for the same game"
        )


def pimc_table(
    game: LiarsDice,
    public_weight: float | Sequence[float] | FloatArray = 0.0,
    *,
    num_worlds: int | None = None,
    num_repeats: int = 100,
    seed: int = 0,
) -> BidTable:
    """Return the policy of PIMC in liar's dice, for every hand and last bid.

    When all dice are seen, the highest true bid wins, and so does `liar` against a false bid; every
    other call loses. The score of a call is therefore a probability,

        score(bid) = P(bid is the highest true one),    score(liar) = P(the last bid is false)

    under the mixture `(1 - public_weight) * private + public_weight * public` of the private and
    the public belief. Calls with the largest score are played with equal probability.

    Parameters
    ----------
    game : LiarsDice
    public_weight : float, Sequence[float] or FloatArray
        λ: a number, or one number for each own move (the last one applies to all later moves), or
        [M, L] by own move and last bid (0 for none).
    num_worlds : int, optional
        Number of worlds drawn for each decision; by default every world is weighted exactly.
    num_repeats : int
        Number of decisions with drawn worlds over which the policy is averaged.
    seed : int

    Returns
    -------
    BidTable

    Raises
    ------
    ParameterError
        If a public weight is not in [0, 1], or a number is not positive.

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
    """Probabilities of the bids given each hand; the last row is without knowledge of a hand.

    Attributes
    ----------
    highest : FloatArray
        [H + 1, B] probability that each bid is the highest true bid.
    met : FloatArray
        [H + 1, B, B] probability that the first bid is true and the second is the highest true bid.
    """

    highest: FloatArray
    met: FloatArray

    @classmethod
    def of(cls, game: LiarsDice) -> _Chances:
        """Return the probabilities for a game."""
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
    """Return [M, L] the public weight by the player's move and the last bid."""
    num_bids = len(game.bids)
    given = np.asarray(public_weight, np.float64)
    public_weights = given.reshape(-1, 1) if given.ndim < 2 else given
    if (
        public_weights.ndim != 2
        or public_weights.shape[1] not in (1, num_bids + 1)
        or not len(public_weights)
    ):
        raise ParameterError(
            f"`public_weight` has shape {given.shape}; give a number, a list with one number per "
            f"own move, or an array [moves, {num_bids + 1}], indexed by own move and last bid"
        )
    if not ((public_weights >= 0) & (public_weights <= 1)).all():
        raise ParameterError(
            f"public_weight is {public_weight!r}; it must be from 0, the player's private "
            "belief, to 1, the public belief"
        )
    return np.broadcast_to(public_weights, (len(public_weights), num_bids + 1))


def _mixed(chances: FloatArray, public_weight: float) -> FloatArray:
    """Return the probabilities given each hand [H, ...] under B_λ."""
    own, public = chances[:-1], chances[-1]
    return np.asarray((1.0 - public_weight) * own + public_weight * public)


def _exact_policy(game: LiarsDice, chances: _Chances, public_weights: FloatArray) -> FloatArray:
    """Return [H, L, C] the policy for public weights by last bid [L]."""
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
    """Return [H, L, C] the average policy of repeated decisions with sampled worlds."""
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
    """Return [R, H, A] the number of drawn worlds in which each legal call wins.

    Worlds matter only by their highest true bid, if it is higher than the last bid, and by whether
    the last bid is true. So the draw is of these classes.
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
    """Return the uniform distribution over the best calls, along the last axis."""
    return np.asarray(is_best / is_best.sum(axis=-1, keepdims=True))
