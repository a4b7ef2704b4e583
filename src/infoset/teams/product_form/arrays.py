"""The arrays of a product form, as kernels read them."""

from __future__ import annotations

from typing import NamedTuple

from infoset.typing import FloatArray, IntArray, LongArray

__all__ = ["ProductArrays"]


class ProductArrays(NamedTuple):
    """A game in which chance moves once, at the start: N nodes, E edges, L stages, P agents.

    A node is a prefix: an outcome of chance, and the actions since. One agent acts there, and an
    edge is one of its actions. Nodes are ordered by stage, then by outcome, then as the game has
    them; so parents come before children, and every cell of an information map has its nodes in
    one stage. An outcome has one root, in whatever stage its first agent acts.

    Attributes
    ----------
    first_node : LongArray
        [L + 1] the nodes of stage l, from 0, are `first_node[l]:first_node[l + 1]`.
    chance : FloatArray
        [N] probability of the node's outcome of chance.
    agent : IntArray
        [N] who acts.
    first_edge : LongArray
        [N + 1] the edges of node n are `first_edge[n]:first_edge[n + 1]`, in order of its actions.
    child : IntArray
        [E] the node that an edge leads to, in a later stage; -1 where play ends.
    parent_edge : LongArray
        [N] the edge that leads to a node; -1 at roots.
    payoff_edge : LongArray
        [Z] the edges that end play and pay somebody, in order.
    payoff : FloatArray
        [Z, P] what each agent gets for the whole play.
    """

    first_node: LongArray
    chance: FloatArray
    agent: IntArray
    first_edge: LongArray
    child: IntArray
    parent_edge: LongArray
    payoff_edge: LongArray
    payoff: FloatArray
