"""Matches: policies play each other, the same deals in every seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation._kernels import drawn_index
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.evaluation.tree_matches import play_tree
from infoset.game import Game, Infostate, initial_history, play_out
from infoset.game.history import Chooser
from infoset.policy import (
    Policy,
    TabularPolicy,
    UniformPolicy,
    checked_probabilities,
    uniform_policy,
)
from infoset.tree import GameTree
from infoset.typing import Action, FloatArray

__all__ = ["DealStream", "MatchResult", "chooser", "play_matches"]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class MatchResult:
    """What one policy earns against another, estimated by play.

    Attributes
    ----------
    mean : float
        Mean utility of the first policy per play, over all seats, in the game's units.
    standard_error : float
        Standard deviation of `mean`, estimated from the averages of the deals.
    interval : tuple[float, float]
        95 % confidence interval of the expected utility that `mean` estimates.
    seat_means : tuple[float, ...]
        Mean utility of the first policy by the seat (player) it plays.
    num_deals : int
        Number of deals; each was played once per seat.
    seed : int
    """

    mean: float
    standard_error: float
    interval: tuple[float, float]
    seat_means: tuple[float, ...]
    num_deals: int
    seed: int

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.mean:.6g} per play, 95 % confidence interval {low:.6g} to {high:.6g} "
            f"({self.num_deals:,} deals, each in {len(self.seat_means)} seats)"
        )


def play_matches(
    game: Game | GameTree,
    first: Policy | CorrelatedPolicy | None,
    second: Policy | CorrelatedPolicy | None,
    *,
    num_deals: int = 10_000,
    seed: int = 0,
) -> MatchResult:
    """Estimate what `first` earns against `second` by playing deals, each once from every seat.

    In each play of a deal the first policy sits in another seat and the second in all others:
    two plays a deal in a two-player game, N in an N-player game.

    Parameters
    ----------
    game : Game or GameTree
        Rules are played by their own `sample_transition`, without being compiled. A tree is
        played by a compiled loop, where both policies are tables; that is much faster.
    first, second : Policy, CorrelatedPolicy or None
        A `TabularPolicy`, or anything with its method `action_probabilities`; None plays
        uniformly at random. Of a correlated policy one is drawn for each deal, for all seats that
        follow it: with the same for both, `seat_means` estimates its values; with another first,
        what deviating from it earns.
    num_deals : int
        Number of deals, at least 2.
    seed : int
        Not negative; the same seed gives the same result.

    Returns
    -------
    MatchResult

    Raises
    ------
    ParameterError
        If a policy or number is not one, or a policy answers with no distribution.
    PolicyMismatchError
        If a tabular policy is for another game than the tree.

    Notes
    -----
    The plays of a deal share their random numbers. On a tree, in every play of a deal, nature's
    k-th draw is by the same number, and so is the k-th decision of the player in a given seat,
    whichever policy decides; only transitions with more than one next world count as draws. On
    rules, nature's generator and the generator of each seat start every play of a deal in the
    same state, which comes to the same as long as `sample_transition` uses up as many numbers
    in one play as in the other. Within a play all numbers are independent, so that each play is
    an unbiased sample. Sharing cancels luck: in a zero-sum game a policy meets itself with mean
    and standard error 0, and with two players exchanging the policies negates the mean exactly.

    The plays of one deal are correlated and deals are independent, so the interval is Student's
    t for the mean of the averages of the deals. It relies on the central limit theorem: with few
    deals, or gains that are large and rare, it is too narrow.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import UniformPolicy
    >>> result = play_matches(load_game("kuhn_poker"), UniformPolicy(), None, num_deals=100)
    >>> result.mean, result.interval
    (0.0, (0.0, 0.0))
    """
    _check_arguments(game, first, second, num_deals, seed)
    if isinstance(game, GameTree):
        tables = _table(game, first), _table(game, second)
        if tables[0] is not None and tables[1] is not None:
            return _summary(play_tree(game, tables[0], tables[1], num_deals, seed), seed)
        game = game.game
    policies = [UniformPolicy() if policy is None else policy for policy in (first, second)]
    return _summary(_play_rules(game, policies, num_deals, seed), seed)


def _check_arguments(
    game: object, first: object, second: object, num_deals: int, seed: int
) -> None:
    if not isinstance(game, Game | GameTree):
        raise ParameterError(
            f"play_matches takes a Game or a GameTree, got {game!r}; infoset.load makes a game "
            "of a name, infoset.build_tree compiles it"
        )
    for policy in (first, second):
        if isinstance(policy, CorrelatedPolicy) or policy is None:
            continue
        if not hasattr(policy, "action_probabilities"):
            raise ParameterError(
                f"{policy!r} is no policy: give a TabularPolicy (load_policy reads a file), an "
                "object with a method action_probabilities(infostate, legal_actions), or None"
            )
    if num_deals < 2:
        raise ParameterError(
            f"num_deals={num_deals} is out of range: a confidence interval needs at least 2"
        )
    if seed < 0:
        raise ParameterError(f"seed={seed} is out of range: it must be at least 0")


def _summary(utility: FloatArray, seed: int) -> MatchResult:
    """Summarise the utilities [D, N] of the first policy, by deal and seat."""
    from scipy.special import stdtrit

    averages = utility.mean(axis=1)
    num_deals = len(averages)
    mean = float(averages.mean())
    standard_error = float(averages.std(ddof=1)) / num_deals**0.5
    margin = float(stdtrit(num_deals - 1, (1 + CONFIDENCE) / 2)) * standard_error
    return MatchResult(
        mean=mean,
        standard_error=standard_error,
        interval=(mean - margin, mean + margin),
        seat_means=tuple(utility.mean(axis=0).tolist()),
        num_deals=num_deals,
        seed=seed,
    )


def _table(
    tree: GameTree, policy: Policy | CorrelatedPolicy | None
) -> TabularPolicy | CorrelatedPolicy | None:
    """Return the policy as one or several tables of the tree, or None if it is not one."""
    if policy is None or isinstance(policy, UniformPolicy):
        return uniform_policy(tree.sequence_form)
    if not isinstance(policy, TabularPolicy | CorrelatedPolicy):
        return None
    form = policy.sequence_form
    if form is not tree.sequence_form and form.fingerprint != tree.sequence_form.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {form.name}, not for {tree.sequence_form.name}; both policies "
            "must be for the game that is played"
        )
    return policy


def _play_rules(
    game: Game, policies: Sequence[Policy | CorrelatedPolicy], num_deals: int, seed: int
) -> FloatArray:
    """Return [D, N] the utility of the first policy in each seat, by the rules of the game."""
    players = range(game.num_players)
    streams = [DealStream(seed, number) for number in range(1 + game.num_players)]
    nature, *own = (stream.rng for stream in streams)
    drawing = DealStream(seed, 1 + game.num_players)
    utility = np.empty((num_deals, game.num_players))
    for deal in range(num_deals):
        drawing.rewind(deal)
        number = drawing.rng.random()
        first, second = (_drawn(policy, number) for policy in policies)
        for seat in players:
            for stream in streams:
                stream.rewind(deal)
            seated = [
                chooser(first if player == seat else second, own[player]) for player in players
            ]
            end = play_out(initial_history(game), seated, nature)
            utility[deal, seat] = end.rewards_so_far[seat]
    return utility


def _drawn(policy: Policy | CorrelatedPolicy, number: float) -> Policy:
    """Return the policy that is played where a number in [0, 1) draws it, if there is a choice."""
    if isinstance(policy, CorrelatedPolicy):
        return policy.policies[int(policy.drawn_by(np.array([number]))[0])]
    return policy


class DealStream:
    """A random generator that can be set to the beginning of any deal.

    It counts (Philox): deal d begins at 2⁶⁴ d, so that no two deals share a number.
    """

    def __init__(self, seed: int, number: int) -> None:
        self._bits = np.random.Philox(np.random.SeedSequence(seed, spawn_key=(number,)))
        self._start = self._bits.state
        self.rng = np.random.Generator(self._bits)

    def rewind(self, deal: int) -> None:
        """Go to the beginning of a deal."""
        self._start["state"]["counter"][1] = deal
        self._bits.state = self._start


def chooser(policy: Policy, rng: np.random.Generator) -> Chooser:
    """Return what `play_out` asks of a player: actions drawn from a policy by a generator."""

    def choose(infostate: Infostate, legal_actions: Sequence[Action]) -> Action:
        probabilities = checked_probabilities(policy, infostate, legal_actions)
        return legal_actions[drawn_index(probabilities, rng.random())]

    return choose
