"""One search at a public state: its settings, its solution, and its record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from infoset.beliefs import GADGETS, TreePart, gadget_form, part_between
from infoset.errors import ParameterError
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.search.budget import SearchBudget, SearchRecord
from infoset.search.resolving.opponent_values import OPPONENT_VALUES, best_response_values
from infoset.solvers.regret_family import average_policy
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import check_choice, check_count

__all__ = [
    "ITERATIONS",
    "Resolution",
    "ResolvingAnswer",
    "ResolvingRecord",
    "ResolvingSettings",
    "resolve_part",
    "values_after",
]

ITERATIONS: Final = 300

MIN_ITERATIONS: Final = 20
"""Iterations below which an answer is little better than uniform play."""


@dataclass(frozen=True)
class ResolvingSettings:
    """How the subgame of a decision is built and solved.

    Attributes
    ----------
    depth : int or None
        A search stops where each player has acted at this many public states; None for no limit.
    gadget : str
        A name from `infoset.beliefs.GADGETS`.
    opponent : str
        A name from `OPPONENT_VALUES`.
    is_continual : bool
        Whether own ranges are those of the searches before, and not those of the blueprint.
    budget : SearchBudget
        Iterations of CFR+ in each search.
    max_ends : int
        By rules, the maximum number of terminal histories and histories at the depth limit in one
        search. Histories at the root are sampled if there are more.
    max_histories, num_samples : int
        By rules, the maximum number of histories of a public state that are listed, and the number
        that are sampled if there are more.

    Raises
    ------
    UnknownNameError, ParameterError
        If a name is unknown, or a number out of range.
    """

    depth: int | None = 1
    gadget: str = "resolving"
    opponent: str = "previous"
    is_continual: bool = True
    budget: SearchBudget = field(
        default_factory=lambda: SearchBudget("iterations", ITERATIONS, None)
    )
    max_ends: int = 5_000
    max_histories: int = 20_000
    num_samples: int = 300

    def __post_init__(self) -> None:
        if isinstance(self.depth, str):
            raise ParameterError(
                f"depth={self.depth!r} must be a whole number, at least 1, or None (with a capital "
                "N) to search to the end of the game"
            )
        if self.depth is not None:
            check_count("depth", self.depth, minimum=1)
        check_choice("gadget", self.gadget, GADGETS)
        check_choice("opponent", self.opponent, OPPONENT_VALUES)
        for name in ("max_ends", "max_histories", "num_samples"):
            check_count(name, getattr(self, name), minimum=1)


@dataclass(frozen=True, eq=False)
class Resolution:
    """The solution of the subgame at a public state.

    Attributes
    ----------
    part : TreePart
        What the search looked at.
    policy : FloatArray
        [Q'_i] the searching player's average policy at the sequences of the part.
    leaf_values : FloatArray
        [L, n] as in `gadget_form`.
    num_iterations : int
    """

    part: TreePart
    policy: FloatArray
    leaf_values: FloatArray
    num_iterations: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ResolvingAnswer:
    """The policy at one infostate, and how it was found.

    Attributes
    ----------
    actions : tuple[Action, ...]
        [A] the legal actions.
    policy : FloatArray
        [A] their probabilities.
    method : str
        As in `ResolvingRecord`, like the numbers below.
    num_nodes, num_histories, num_ends, num_iterations : int
    """

    actions: tuple[Action, ...]
    policy: FloatArray
    method: str
    num_nodes: int = 0
    num_histories: int = 0
    num_ends: int = 0
    num_iterations: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class ResolvingRecord(SearchRecord):
    """Result and cost of a decision; `num_nodes` counts the histories of the part.

    Attributes
    ----------
    method : str
        `complete` if all histories of the public state were searched, `sample` if some of them
        were, and `blueprint` if there was no search.
    num_histories : int
        Histories at the root of the search.
    num_ends : int
        Terminal histories and histories at the depth limit.
    num_iterations : int
        Iterations of CFR+.
    max_iterations : int or None
        Limit on their number.
    """

    method: str
    num_histories: int = 0
    num_ends: int = 0
    num_iterations: int = 0
    max_iterations: int | None = None

    @property
    def is_short(self) -> bool:
        """Whether the time limit ended the search after a few iterations."""
        if self.time_limit is None or self.method == "blueprint":
            return False
        enough = MIN_ITERATIONS if self.max_iterations is None else self.max_iterations
        return self.num_iterations < min(MIN_ITERATIONS, enough)


def resolve_part(
    part: TreePart,
    player: Player,
    own_range: FloatArray,
    opponent: FloatArray,
    leaf_values: FloatArray,
    gadget: str,
    budget: SearchBudget,
    start: float,
    gifts: FloatArray | None = None,
) -> Resolution:
    """Solve a part with a gadget by CFR+.

    Parameters
    ----------
    part, player, own_range, opponent, leaf_values, gadget, gifts
        As in `gadget_form`.
    budget : SearchBudget
    start : float
        `working_seconds()` at the start of the search.

    Raises
    ------
    ParameterError
        As in `gadget_form`, for example if a leaf value is not finite.
    """
    form = gadget_form(part, player, own_range, opponent, leaf_values, gadget, gifts=gifts)
    minimizer = RegretMinimizer(form, SCHEMES["cfr+"])
    done = 0
    for batch in budget.batches(start):
        minimizer.run(batch)
        done += batch
    policy = average_policy(minimizer).probabilities[player]
    return Resolution(part, policy, leaf_values, done)


def values_after(
    resolution: Resolution, player: Player, public_state: int, own_range: FloatArray
) -> FloatArray:
    """Return [S_j] what a best response to a search earns at a public state inside its part.

    Parameters
    ----------
    resolution : Resolution
    player : Player
        The searching player.
    public_state : int
        Not a leaf of the part.
    own_range : FloatArray
        [S_i] the searching player's range at the public state.
    """
    whole = resolution.part
    below = [leaf for leaf in whole.leaves.tolist() if _is_below(whole, leaf, public_state)]
    part = part_between(whole.tree, public_state, below)
    rows = np.searchsorted(whole.leaf_histories, part.leaf_histories)
    places = np.searchsorted(whole.sequences[player], part.sequences[player])
    inside = resolution.policy[places]  # the empty sequence is the first one of both
    return best_response_values(part, player, own_range, inside, resolution.leaf_values[rows])


def _is_below(part: TreePart, state: int, ancestor: int) -> bool:
    """Return whether a public state is `ancestor` or extends it."""
    parent = part.tree.public_tree.parent
    while state > ancestor:
        state = int(parent[state])
    return state == ancestor
