"""Lower bounds on exploitability from best responses by search, in games of any size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.errors import (
    ExplorationLimitError,
    ParameterError,
    ShortSearchWarning,
    UnsupportedGameError,
    show,
)
from infoset.forms import Form
from infoset.game import Game, Infostate, initial_history, play_out
from infoset.game.broken_rules import check_num_players
from infoset.game.infostate import infostate_generator
from infoset.games import game_of_form
from infoset.matches import (
    Contestant,
    Estimate,
    MatchResult,
    SupportsSearch,
    make_chooser,
    play_matches,
)
from infoset.policy import Policy, UniformPolicy, checked_probabilities
from infoset.search.models import SearchModel, search_model
from infoset.search.response_game import ResponseGame, ResponseModel
from infoset.search.searcher_specs import make_searcher
from infoset.tree import build_world_graph, count_histories
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_type
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers

RESPONDER: Final = (
    "ismcts(num_simulations=1000,final_policy=max-visits,max_worlds=5000,num_samples=500)"
)
"""The default responder: information-set Monte Carlo tree search."""

MIN_DEALS = 30
"""With fewer deals, their utilities may be equal by chance, and the interval has no width."""

MAX_ANSWERS = 100_000
"""Number of infostates at which the answers of the policy are cached."""

MAX_EXPLORED = 20_000
"""Number of world states up to which the histories of a game are counted."""

MAX_HISTORIES = 100_000
"""Number of histories up to which searches run on compiled arrays of the response game."""

NUM_PLAYS = 100
"""Random plays in which the utilities must have the same sum."""

SUM_TOLERANCE = 1e-9
"""Largest difference of these sums, relative to the largest utility."""


@dataclass(frozen=True, repr=False)
class ExploitabilityBound(ShortRepr):
    """What responses by search earn against a policy."""

    gain: Estimate
    """Mean utility of the responder over both positions, minus half of the constant sum: an
    unbiased estimate of a number that is at most the exploitability of the policy."""
    constant_sum: float
    """Sum of the utilities of both players."""
    match: MatchResult
    """The match of the responder, as the first policy, against the policy."""

    @property
    def exploitability_lower_bound(self) -> float:
        """Lower end of the 95% confidence interval of `gain`, and at least 0.

        The exploitability of the policy is at least this number, except with probability 2.5%.
        """
        return max(0.0, self.gain.interval[0])

    @property
    def nash_conv_lower_bound(self) -> float:
        """Twice `exploitability_lower_bound`."""
        return 2 * self.exploitability_lower_bound

    def _facts(self) -> Facts:
        values = {
            "exploitability at least": self.exploitability_lower_bound,
            "gain": self.gain.mean,
            "interval": format_numbers(self.gain.interval),
        }
        return Facts("", values, "see .gain, .match")


def exploitability_lower_bound(
    game: Game | Form,
    policy: Contestant,
    *,
    responder: str | Callable[[SearchModel], Policy] = RESPONDER,
    num_deals: int = 1000,
    half_width: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    callback: Callable[[MatchResult], object] | None = None,
) -> ExploitabilityBound:
    """Bound the exploitability of a policy from below, by responses that are found by search.

    For each position, a responder searches the `ResponseGame` against the policy. It then plays a
    match against the policy, each deal in both positions. With the constant sum c of the utilities
    u_0 + u_1 and any responses r_0, r_1 to a policy π,

        exploitability(π) = (max u_0(·, π_1) + max u_1(π_0, ·) - c) / 2
                         >= (u_0(r_0, π_1) + u_1(π_0, r_1) - c) / 2,

    and the match estimates the second line without bias. The bound is tight if the responder finds
    best responses; a weak responder gives a low bound, which may be negative, but not a wrong one.
    Nothing is tabulated: the rules of the game and the answers of the policy are enough.

    Parameters
    ----------
    game
        A two-player constant-sum game. A form stands for the rules of its game.
    policy : Policy, searcher or None
        The policy to exploit. A searcher is queried once at each infostate, with a generator
        derived from the infostate, and these answers are measured; for its average policy, give
        `AveragePolicy(searcher)`. None is the uniform policy.
    responder : str or callable
        A searcher by name, as in `make_searcher`, or a function that makes a policy for a search
        model of a response game.
    num_deals
        Number of deals, at least 30; the maximum if a half width is given.
    half_width, workers, executor, callback
        As in `play_matches`. The half width is that of `gain`.
    seed
        Seed of the match and of the searches. The same seed gives the same result.

    Returns
    -------
    ExploitabilityBound

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players, or the utilities in 100 random plays have different
        sums.

    Warns
    -----
    ShortSearchWarning
        Once, if a responder cannot search, because no sampled history agrees with its observations;
        it then plays uniformly at random, which lowers the bound.

    Notes
    -----
    Source of responses by search: Timbers et al., "Approximate exploitability: Learning a best
    response", IJCAI (2022). Differs from the paper: nothing is learned. In games of up to 100,000
    histories the searches run on compiled arrays, which query the policy at all infostates.

    The interval is that of `play_matches`: where the bounds of the utilities are unknown, it relies
    on the central limit theorem. With few deals, or rare and large losses of the responder, the
    bound then holds less often than stated.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> bound = exploitability_lower_bound(
    ...     load_game("kuhn_poker"), None, num_deals=2000
    ... )
    >>> 0.35 < bound.exploitability_lower_bound < 0.4583  # the exploitability is 0.4583
    True
    """
    if isinstance(game, Form):
        game = game_of_form(game)
    check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
    if not isinstance(responder, str) and not callable(responder):
        raise ParameterError(
            f"responder={show(responder)} is not a searcher by name or a function that makes a "
            f'policy of a search model; give one, such as "{RESPONDER}"'
        )
    check_count("num_deals", num_deals, minimum=MIN_DEALS)
    check_count("seed", seed)
    if check_num_players(game) != 2:
        raise UnsupportedGameError(
            f"exploitability is defined only for two-player constant-sum games, and {game} has "
            f"{game.num_players} players; give a game with two players"
        )
    constant = _constant_sum(game, seed)
    fixed = _FixedPolicy(policy)
    is_small = _is_small(game)
    respond = tuple(
        _make_responder(_model(ResponseGame(game, fixed, player), is_small), responder, seed)
        for player in range(2)
    )
    match = play_matches(
        game,
        _Responses(respond),
        fixed,
        num_deals=num_deals,
        half_width=half_width,
        seed=seed,
        workers=workers,
        executor=executor,
        callback=callback,
    )
    utility, half = match.utility, constant / 2
    interval = (utility.interval[0] - half, utility.interval[1] - half)
    gain = Estimate(utility.mean - half, utility.standard_error, interval)
    return ExploitabilityBound(gain, constant, match)


class _FixedPolicy:
    """The answers of a policy, cached; those of a searcher are from one search per infostate."""

    def __init__(self, policy: Contestant) -> None:
        self._policy: Policy
        if policy is None:
            self._policy = UniformPolicy()
        elif isinstance(policy, SupportsSearch):
            self._policy = _SingleSearch(policy)
        elif isinstance(policy, Policy):
            self._policy = policy
        else:
            raise ParameterError(
                f"{policy!r} is not a policy: give an object with a method "
                "action_probabilities(infostate, legal_actions), a searcher, or None"
            )
        self._answers: dict[Infostate, FloatArray] = {}

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probability of each legal action."""
        found = self._answers.get(infostate)
        if found is None:
            if len(self._answers) >= MAX_ANSWERS:
                self._answers.clear()
            found = checked_probabilities(self._policy, infostate, legal_actions)
            self._answers[infostate] = found
        return found


@dataclass(frozen=True)
class _SingleSearch:
    """The policy of one search at each infostate, without a cache."""

    searcher: SupportsSearch

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the result of a search, which depends on the infostate alone."""
        seed = int(getattr(self.searcher, "seed", 0))
        return self.searcher.search(infostate, infostate_generator(seed, infostate))


@dataclass
class _Responses:
    """The responders of both positions as one policy."""

    policies: tuple[Policy, ...]
    """Policies of the response games, one per position."""
    _has_warned: bool = False

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probability of each legal action; uniform where a belief has no sample."""
        own = Infostate(0, infostate.steps)
        try:
            return self.policies[infostate.player].action_probabilities(own, legal_actions)
        except UnsupportedGameError as error:
            self._warn_once(error)
        return np.full(len(legal_actions), 1.0 / len(legal_actions))

    def _warn_once(self, error: UnsupportedGameError) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"a responder plays uniformly at random where it cannot search, which lowers the "
                f"bound: {error}",
                ShortSearchWarning,
                stacklevel=2,
            )


def _make_responder(
    model: SearchModel, responder: str | Callable[[SearchModel], Policy], seed: int
) -> Policy:
    """Return the policy of a responder on a model of its response game."""
    if isinstance(responder, str):
        return make_searcher(responder, model, seed=seed)
    made = responder(model)
    check_type("responder(model)", made, Policy, "a policy, such as ISMCTS(model)")
    return made


def _model(game: ResponseGame, is_small: bool) -> SearchModel:
    """Return a search model, compiled if the game is small."""
    return search_model(game) if is_small else ResponseModel(game)


def _is_small(game: Game) -> bool:
    """Return whether a game has few histories; the policy is not queried to find out."""
    try:
        graph = build_world_graph(game, max_worlds=MAX_EXPLORED)
    except ExplorationLimitError:
        return False
    return count_histories(graph).histories <= MAX_HISTORIES


def _constant_sum(game: Game, seed: int) -> float:
    """Return the sum of the utilities, which must be the same in random plays."""
    rng = np.random.default_rng(seed)
    chooser = make_chooser(UniformPolicy(), rng)
    root = initial_history(game)
    ends = [play_out(root, [chooser] * 2, rng).rewards_so_far for _ in range(NUM_PLAYS)]
    utilities = np.array(ends, np.float64)
    sums = utilities.sum(axis=1)
    if np.ptp(sums) > SUM_TOLERANCE * max(1.0, float(np.abs(utilities).max())):
        raise UnsupportedGameError(
            f"exploitability is defined only for two-player constant-sum games, and the utilities "
            f"of {game} sum to {sums.min():g} in one play and to {sums.max():g} in another"
        )
    return float(sums[0])
