"""One search at a public state: its settings, its solution, and its record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.resolving.gadgets import GADGETS
from infoset.resolving.leaf_rules import LEAF_RULES
from infoset.resolving.opponent_values import OPPONENT_VALUES
from infoset.resolving.searched_part import SearchedPart
from infoset.runs.searcher import SearchBudget, SearchRecord
from infoset.solvers.regret_family import average_policy
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import check_choice, check_count, check_number

ITERATIONS: Final = 300

MIN_ITERATIONS: Final = 20
"""Iterations below which a solution is not played: it is little better than uniform play."""

TOLERANCE: Final = 1e-4
"""Default of `ResolvingSettings.tolerance`."""

MIN_WEIGHT: Final = 1e-300
"""Smallest weight of the histories of a root that are searched; smaller ones have no inverse."""

ROUNDING: Final = 1e-12
"""Gain of the opponent that may be rounding, as a fraction of the largest payoff."""


@dataclass(frozen=True)
class ResolvingSettings:
    """How the subgame of a decision is built and solved."""

    depth: int | None = 1
    """A search stops where each player has acted at this many public states; None for no limit."""
    gadget: str = "resolving"
    """A name from `infoset.resolving.GADGETS`."""
    opponent: str = "previous"
    """A name from `OPPONENT_VALUES`."""
    leaf_rule: str = "choice"
    """A name from `LEAF_RULES`."""
    is_continual: bool = True
    """Whether own ranges come from earlier searches instead of the blueprint."""
    budget: SearchBudget = field(
        default_factory=lambda: SearchBudget("iterations", ITERATIONS, None)
    )
    """Iterations of CFR+ in each search."""
    max_ends: int | None = None
    """By rules, the maximum number of terminal histories and histories at the depth limit in one
    search. Histories at the root are sampled if there are more. None for `MAX_ENDS`, or with a time
    limit for as many as leave time to solve the part."""
    max_histories: int | None = None
    num_samples: int | None = None
    """By rules, the maximum number of histories of a public state that are listed, and the number
    that are sampled if there are more; 0 to search only where all histories are listed, and their
    part is not too large. None for `MAX_HISTORIES` and `NUM_SAMPLES`, or with a time limit for as
    many as a quarter of it allows."""
    tolerance: float | None = TOLERANCE
    """A solution is played only if the opponent's best response, in the game that was solved, gains
    at most this fraction of the payoff range at every infostate of the root. Its gain is measured
    from the larger of the value that it may take there and its value against the fallback. None to
    play all solutions. Solutions are not compared without a gadget, or with the values `profile`.
    """

    def __post_init__(self) -> None:
        if isinstance(self.depth, str):
            raise ParameterError(
                f'depth={self.depth!r} must be a whole number, at least 1, "auto", or None (with a '
                "capital N) to search to the end of the game"
            )
        if self.depth is not None:
            check_count("depth", self.depth, minimum=1)
        check_choice("gadget", self.gadget, GADGETS)
        check_choice("opponent", self.opponent, OPPONENT_VALUES)
        check_choice("leaf_rule", self.leaf_rule, LEAF_RULES)
        for name, minimum in (("max_ends", 1), ("max_histories", 1), ("num_samples", 0)):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), minimum=minimum)
        if self.tolerance is not None:
            check_number("tolerance", self.tolerance)

    @property
    def has_samples(self) -> bool:
        """Whether histories may be sampled if there are too many."""
        return self.num_samples != 0

    @property
    def is_checked(self) -> bool:
        """Whether solutions are compared with the values that the opponent may take."""
        can_be = self.gadget != "none" and self.opponent != "profile"
        return can_be and self.tolerance is not None


@dataclass(frozen=True, eq=False)
class Resolution:
    """The solution of the subgame at a public state."""

    part: SearchedPart
    """The part that was searched, with the searching player's choices at its leaves."""
    policy: FloatArray
    """[Q'_i] the searching player's average policy at the sequences of the part."""
    num_iterations: int
    payoffs: tuple[float, float]
    """Range of the payoffs, as far as it is known."""
    is_rejected: bool = False
    """Whether a best response of the opponent earns more than `ResolvingSettings.tolerance` allows.
    """

    @property
    def is_played(self) -> bool:
        """Whether the solution is played, and later searches are based on it."""
        return self.num_iterations >= MIN_ITERATIONS and not self.is_rejected


@dataclass(frozen=True, eq=False, kw_only=True)
class ResolvingAnswer:
    """The policy at one infostate, and how it was found."""

    actions: tuple[Action, ...] = ()
    """[A] the legal actions; empty if the policy is None."""
    policy: FloatArray | None = None
    """[A] their probabilities; None for those of the blueprint."""
    method: str = "blueprint"
    is_rejected: bool = False
    is_carried: bool = False
    weight_share: float = 1.0
    """As in `ResolvingRecord`, like the numbers below."""
    num_nodes: int = 0
    num_histories: int = 0
    num_ends: int = 0
    num_iterations: int = 0


class Resolver(Protocol):
    """Searches of one player in a play, each based on those before."""

    def answer(self, infostate: Infostate) -> ResolvingAnswer:
        """Answer by a search at an infostate of the player, or by the fallback."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ResolvingRecord(SearchRecord):
    """Result and cost of a decision; `num_nodes` counts the histories of the part."""

    method: str
    """Where the answer comes from: `complete` and `sample` from this search, of all histories of
    the public state or of a sample of them; `earlier` from the solution of an earlier search in the
    same play, which continues to this infostate; `blueprint` from the blueprint. The last two
    answer if there was no search, or too short a one, or if it was rejected."""
    is_rejected: bool = False
    """Whether the solution was not played because the opponent could have gained by it."""
    is_carried: bool = False
    """Whether the search was based on the solutions of earlier searches in the same play, and not
    on the blueprint alone."""
    weight_share: float = 1.0
    """Share of the histories that were searched in the weight of all histories of the public state:
    chance reach times the reach of both players. NaN where the weight of all is unknown, because
    not all of them were listed."""
    num_histories: int = 0
    """Histories at the root of the search."""
    num_ends: int = 0
    """Terminal histories and histories at the depth limit."""
    num_iterations: int = 0
    """Iterations of CFR+."""
    max_iterations: int | None = None
    """Limit on their number."""

    @property
    def is_short(self) -> bool:
        """Whether the time limit ended the search before its solution could be played."""
        if self.time_limit is None or not self.num_iterations:
            return False
        enough = MIN_ITERATIONS if self.max_iterations is None else self.max_iterations
        return self.num_iterations < min(MIN_ITERATIONS, enough)


def resolve_part(
    part: SearchedPart,
    player: Player,
    own_range: FloatArray,
    opponent: FloatArray,
    settings: ResolvingSettings,
    start: float,
    *,
    fallback: FloatArray | None,
    payoffs: tuple[float, float],
    gifts: FloatArray | None = None,
) -> Resolution:
    """Solve a part with a gadget by CFR+, and compare the solution with the fallback.

    Parameters
    ----------
    part, player, own_range, opponent, gifts
        As in `SearchedPart.gadget_form`.
    start
        `working_seconds()` at the start of the search.
    fallback
        [Q'_i] the policy that is played instead of a rejected solution; None to accept all.
    payoffs
        Range of the payoffs, for the tolerance of this check.

    Raises
    ------
    ParameterError
        As in `gadget_form`, for example if a leaf value is not finite.
    """
    form = part.gadget_form(player, own_range, opponent, settings.gadget, gifts)
    responding = None
    if LEAF_RULES[settings.leaf_rule].is_stateless:
        chooses = part.leaf_decisions(form, player)
        responding = (chooses[0] & (player == 1), chooses[1] & (player == 0))
    minimizer = RegretMinimizer(form, SCHEMES["cfr+"], responding=responding)
    done = 0
    for batch in settings.budget.batches(start):
        minimizer.run(batch)
        done += batch
    found = average_policy(minimizer).probabilities[player]
    policy, solved = part.solution(form, player, found)
    is_rejected = False
    if fallback is not None and settings.tolerance is not None and done >= MIN_ITERATIONS:
        taken = None
        if part.root and settings.gadget != "none":
            taken = opponent if gifts is None else opponent + gifts
        before = part.with_blueprint(player)
        gain = _largest_gain((solved, before), player, own_range, (policy, fallback), taken)
        low, high = payoffs
        rounding = ROUNDING * max(abs(low), abs(high))
        is_rejected = gain > settings.tolerance * (high - low) + rounding
    return Resolution(solved, policy, done, payoffs, is_rejected)


def _largest_gain(
    parts: tuple[SearchedPart, SearchedPart],
    player: Player,
    own_range: FloatArray,
    policies: tuple[FloatArray, FloatArray],
    opponent: FloatArray | None,
) -> float:
    """Return the opponent's largest gain at the root if a policy is played and not the fallback.

    parts, policies : with the choices at the leaves of each, the policy and the fallback.

    At each of its infostates or hands there, the gain is its best-response value minus the larger
    of two values: the one that it may take instead (`opponent`, with gifts; None without a gadget),
    and its best-response value against the fallback. If no gain is positive, nothing is
    lost by playing the policy.
    """
    if parts[0] is parts[1]:
        earned, limit = parts[0].response_values(player, own_range, policies)
    else:
        [earned], [limit] = (
            part.response_values(player, own_range, [policy])
            for part, policy in zip(parts, policies, strict=True)
        )
    if opponent is not None:
        limit = np.maximum(limit, opponent)
    return float((earned - limit).max())


def values_after(
    resolution: Resolution, player: Player, public_state: int, own_range: FloatArray
) -> FloatArray:
    """Return the opponent's best-response values to a search, at a public state inside its part.

    There is one value for each of its infostates or hands there, see `SearchedPart`.

    Parameters
    ----------
    player
        The searching player.
    public_state
        Not a leaf of the part.
    own_range
        The searching player's range at the public state.
    """
    whole, part = resolution.part, resolution.part.below(public_state)
    places = np.searchsorted(whole.sequences[player], part.sequences[player])
    inside = resolution.policy[places]  # the empty sequence is the first one of both
    [values] = part.response_values(player, own_range, [inside])
    return values
