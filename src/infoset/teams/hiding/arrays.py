"""What the kernels of progressive hiding read and move."""

from __future__ import annotations

from typing import NamedTuple

from infoset.teams.hiding._pass_kernels import Nodes, View
from infoset.teams.hiding._visit_kernels import Below
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.splitmix import Stream

__all__ = ["Game", "Numbers", "State", "Workspace"]


class Game(NamedTuple):
    """A product form under a relaxed information map, and which teams learn.

    Attributes
    ----------
    nodes : Nodes
    fine, coarse : View
        The relaxed map, with M cells and S entries, and the original one, with K and C.
    known : IndexArray
        [M] the cell of the original map that each is in.
    cell_team : LongArray
        [M] the team that acts.
    num_nodes, of_chance : FloatArray
        [M] number of nodes of each cell, and their sum of chance's probabilities.
    uniform_reach : FloatArray
        [N] reach of each node where all play uniformly.
    cells : LongArray
        The cells that learn.
    teams : LongArray
        The teams that learn.
    below : Below
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
    below: Below


class Numbers(NamedTuple):
    """A scheme of progressive hiding, as kernels read it.

    Attributes
    ----------
    rate, drift : float
        The probabilities of iteration t are in proportion to exp(rate tᵈʳⁱᶠᵗ · regret), or at rate
        0 to positive regret.
    floor : float
        The least regret.
    of_current, of_previous, of_uniform : float
        What the weights of the projector are made of: the reach under the relaxed policy, under the
        projection of the iteration before, and under uniform play.
    group : IndexArray
        [N] whose reach is left out of the weight of a node; see `fill_weights`.
    num_groups : int
    conditional : bool
        Whether the weights of the nodes of each cell are made to sum to 1.
    up, down, step, target, low, high : float
        After an iteration γ is multiplied by `up` or, where the relaxed policy earns no more than
        `target`, by `down`; then `step` is added, and it is kept between `low` and `high`.
    future : float
        1, or 0 where penalties of later stages do not count.
    visits : int
        EVERYTHING, or what lies below one OUTCOME, or else a path.
    exploration : float
        Of paths; see `visit_path`.
    """

    learning_rate: float
    decay_exponent: float
    min_regret: float
    of_current: float
    of_previous: float
    of_uniform: float
    group: IndexArray
    num_groups: int
    conditional: bool
    up: float
    down: float
    step: float
    target: float
    low: float
    high: float
    future: float
    visits: int
    exploration: float


class State(NamedTuple):
    """What iterations move.

    Attributes
    ----------
    regret, policy : FloatArray
        [S] of the learners, and the relaxed policy π that was last decided.
    projection : FloatArray
        [C] π̂, its projection.
    projected_reach : FloatArray
        [N] reach under the projection.
    penalty : FloatArray
        [T] of the next iteration.
    best, best_payoff : FloatArray
        [C] the best projection so far and [1] its payoff; the last where several teams learn.
    stream : Stream
    done : LongArray
        [1] number of iterations.
    """

    regret: FloatArray
    policy: FloatArray
    projected: FloatArray
    projected_reach: FloatArray
    penalty: FloatArray
    best: FloatArray
    best_payoff: FloatArray
    stream: Stream
    done: LongArray


class Workspace(NamedTuple):
    """Room to work in: arrays over nodes [N], entries [S], cells [M] and [K], and teams [T].

    What `gain`, `observed` and `value` hold is 0 between iterations.
    """

    reach: FloatArray
    weight: FloatArray
    others: FloatArray
    value: FloatArray
    gain: FloatArray
    observed: FloatArray
    reached: FloatArray
    mass: FloatArray
    distance: FloatArray
    twice_penalty: FloatArray
    total: FloatArray
    relaxed: FloatArray
    implementable: FloatArray
