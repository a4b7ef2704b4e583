"""Arrays and numbers that the kernels of progressive hiding read and modify.

Sizes: N nodes, Z terminals with a nonzero payoff, T teams; M cells and S action entries of the
relaxed (fine) information map; K cells and C entries of the original (coarse) map. Every node has a
smaller number than its children.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.splitmix import Stream


class Nodes(NamedTuple):
    """The nodes of a product form and the payoffs at its terminals, without any information map."""

    chance: FloatArray
    """[N] probability of each node's outcome of chance."""
    parent: IndexArray
    """[N] the parent of each node; a root is its own parent."""
    team: IndexArray
    """[N] the acting team."""
    payoff_node: IndexArray
    """[Z] the last node before each terminal."""
    payoff: FloatArray
    """[T, Z] payoff of each team, in the game's units."""


class View(NamedTuple):
    """An information map as arrays, with one entry per action of each cell."""

    cell: IndexArray
    """[N] the cell of each node."""
    entry: IndexArray
    """[N] entry of the action that leads to each node; 0 at roots."""
    payoff_entry: IndexArray
    """[Z] entry of the action that leads to each terminal."""
    first_entry: IndexArray
    """[M + 1] the first entry of each cell."""


class Outcomes(NamedTuple):
    """The nodes and terminals of each of R outcomes of chance, and the ends of all edges."""

    first_node: LongArray
    """[R + 1] the positions in `node` and `terminal` at which those of each outcome begin."""
    node: IndexArray
    """[N] and [Z] nodes and terminals sorted by outcome, with parents before children."""
    first_terminal: LongArray
    terminal: IndexArray
    first_edge: LongArray
    """[N + 1] the edges of each node."""
    child: LongArray
    """[E] the node that an edge leads to; -1 - z if it leads to terminal z, and -1 - Z if it leads
    to a terminal with payoff zero."""


class Visit(NamedTuple):
    """The nodes and terminals that an iteration visits.

    The importance of a node is the inverse of the probability of visiting it. Sums over the visited
    nodes, weighted by importance, are therefore unbiased estimates of sums over all nodes.
    """

    node: IndexArray
    """[N] the visited nodes, parents first, in the first `size[0]` places."""
    terminal: IndexArray
    """[Z] the visited terminals, in the first `size[1]` places."""
    size: LongArray
    """[2] number of visited nodes and terminals."""
    importance: FloatArray
    terminal_importance: FloatArray
    """[N] and [Z] in the order of `node` and `terminal`."""


class Game(NamedTuple):
    """A product form under a relaxed information map, and the teams that learn.

    Attributes
    ----------
    nodes : Nodes
    fine, coarse
        The relaxed map and the original map.
    known
        [M] c(ι), the cell of the original map that contains each relaxed cell ι.
    cell_team
        [M] the acting team.
    num_nodes, of_chance
        [M] number of nodes of each cell, and the sum of their chance probabilities.
    uniform_reach
        [N] reach of each node under uniform play.
    cells
        The cells of the learning teams.
    teams
        The learning teams.
    outcomes : Outcomes
    """

    nodes: Nodes
    fine: View
    coarse: View
    known: IndexArray
    cell_team: LongArray
    num_nodes: FloatArray
    of_chance: FloatArray
    uniform_reach: FloatArray
    cells: LongArray
    teams: LongArray
    outcomes: Outcomes


class Numbers(NamedTuple):
    """A scheme of progressive hiding as numbers."""

    learning_rate: float
    decay_exponent: float
    """In iteration t, policies are proportional to exp(learning_rate · t^decay_exponent · regret),
    or to positive regret if `learning_rate` is 0."""
    min_regret: float
    """Regrets are clipped from below at this value."""
    of_current: float
    of_previous: float
    of_uniform: float
    """Weights of the three reaches whose sum is ρ in the projector: under the relaxed policy, under
    the previous projection, and under uniform play."""
    group: IndexArray | None
    """[N] the group whose own choices are left out of a node's weight; None if no choices are left
    out. See `fill_weights`."""
    num_groups: int
    """Number of groups; 0 if no choices are left out."""
    conditional: bool
    """Whether the weights of the nodes of each cell are normalized to sum to 1."""
    up: float
    down: float
    step: float
    target: float
    low: float
    high: float
    """After an iteration, γ ← clip(γ · (up if J(π) > target else down) + step, low, high)."""
    future: float
    """1 if values include penalties of later stages, otherwise 0."""


class Sampling(NamedTuple):
    """What each iteration of a scheme with sampled visits samples."""

    of_paths: bool
    """Whether an iteration samples one path; otherwise the nodes below one sampled outcome."""
    exploration: float
    """Probability of uniform play at each node of a sampled path."""


class State(NamedTuple):
    """The arrays that iterations modify; a checkpoint stores them by these names."""

    regret: FloatArray
    policy: FloatArray
    """[S] cumulative regrets of the learners, or multipliers w of progressive hedging, and the
    current relaxed policy π."""
    projected: FloatArray
    """[C] the projected policy π̂."""
    projected_reach: FloatArray
    """[N] reach under π̂."""
    penalty: FloatArray
    """[T] γ of the next iteration."""
    best: FloatArray
    best_payoff: FloatArray
    """[C] the best projected policy so far, and [1] its payoff. If several teams learn, the mean of
    the projected policies, weighted by the iteration, and the last payoff."""
    stream: Stream
    """Random stream."""
    done: LongArray
    """[1] number of iterations done."""


class Workspace(NamedTuple):
    """Temporary arrays of an iteration; `value`, `gain`, `observed` are 0 between iterations."""

    reach: FloatArray
    weight: FloatArray
    others: FloatArray
    value: FloatArray
    """[N] reach under π, weight in the mean action values of the cell, reach without the choices of
    one group, and V."""
    gain: FloatArray
    """[S] sum of weighted action values Q."""
    observed: FloatArray
    reached: FloatArray
    mass: FloatArray
    distance: FloatArray
    twice_penalty: FloatArray
    """[M] sum of weights, reach, projector weight, ‖π_ι - π̂_c(ι)‖², and 2γ of each cell."""
    total: FloatArray
    """[K] projector weight of each coarse cell."""
    relaxed: FloatArray
    implementable: FloatArray
    """[T] payoffs of π and of π̂."""
