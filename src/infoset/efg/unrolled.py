"""The augmented extensive form of a serial game, from its tree of histories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from infoset.efg.contraction import distinct
from infoset.efg.form import TERMINAL, ExtensiveForm, Outcome
from infoset.game import Probability, step_text
from infoset.tree.game_tree import GameTree
from infoset.tree.world_graph import WorldGraph
from infoset.typing import CHANCE, NOOP, Action, IntArray

__all__ = ["form_of_tree", "is_serial", "shown_text"]


@dataclass(frozen=True)
class Labels(Sequence[str]):
    """Texts that are made when they are asked for."""

    size: int
    label: Callable[[int], str]

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self.label(number) for number in range(*index.indices(self.size))]
        return self.label(range(self.size)[index])


def is_serial(graph: WorldGraph) -> bool:
    """Return whether one player at most acts in a world state, and then the next one is sure.

    Source: Kovařík et al. (2022), Definition 3.1.
    """
    num_actors = (graph.action_set >= 0).sum(axis=1)
    sizes = np.array([*map(len, graph.action_sets), 1])
    num_joint = sizes[graph.action_set].prod(axis=1)
    is_sure = np.diff(graph.first_edge) == num_joint
    return bool((num_actors <= 1).all() and is_sure[num_actors == 1].all())


def form_of_tree(tree: GameTree) -> ExtensiveForm:
    """Return the augmented extensive form of the tree of a serial game."""
    graph = tree.graph
    move_table, move_of_edge = _moves(graph)
    probabilities, chance_of_edge = _probabilities(graph)
    outcomes, outcome_of_edge = _outcomes(graph)
    return ExtensiveForm(
        name=str(tree.game),
        player_names=tuple(f"player {player}" for player in range(tree.num_players)),
        parent=tree.parent,
        first_child=tree.first_child,
        actor=_actors(graph)[tree.world],
        move=_of_history(tree, move_of_edge),
        moves=move_table,
        chance=_of_history(tree, chance_of_edge),
        probabilities=probabilities,
        outcome=_of_history(tree, outcome_of_edge),
        outcomes=outcomes,
        infoset=np.ascontiguousarray(tree.infostate),
        infoset_names=tuple(Labels(t.num_infostates, t.label) for t in tree.infostate_trees),
        public_set=tree.public_state,
        public_names=Labels(tree.public_tree.num_public_states, tree.public_tree.label),
        history_names=Labels(tree.num_histories, _no_name),
    )


def _no_name(history: int) -> str:
    return ""


def _of_history(tree: GameTree, of_edge: IntArray) -> IntArray:
    values = of_edge[tree.edge]
    values[0] = -1
    return values


def _actors(graph: WorldGraph) -> IntArray:
    """Return [W] who acts: a player, `CHANCE`, or `TERMINAL`."""
    is_acting = graph.action_set >= 0
    nature = np.where(np.diff(graph.first_edge) > 0, CHANCE, TERMINAL)
    return np.where(is_acting.any(axis=1), is_acting.argmax(axis=1), nature).astype(np.int32)


def _moves(graph: WorldGraph) -> tuple[tuple[Action, ...], IntArray]:
    """Return the different labels of moves, and [E] the one of each edge."""
    numbers: dict[Action, int] = {}
    actors = _actors(graph)
    index: list[int] = []
    for world in range(graph.num_worlds):
        edges = range(graph.first_edge[world], graph.first_edge[world + 1])
        player = int(actors[world])
        if player >= 0:
            labels = graph.action_sets[graph.action_set[world, player]]
        else:
            labels = distinct(tuple(shown_text(graph, edge) for edge in edges))
        index += [numbers.setdefault(label, len(numbers)) for label in labels[: len(edges)]]
    return tuple(numbers), np.array(index, np.int32)


def shown_text(graph: WorldGraph, edge: int) -> str:
    """Return what nature's move shows as text: to everybody, then to each player."""
    public = graph.observations[graph.public_observation[edge]]
    private = [graph.observations[seen] for seen in graph.private_observation[edge].tolist()]
    text = [step_text(NOOP, None, public)] if public is not None else []
    text += [step_text(NOOP, None, seen) for seen in private if seen is not None]
    return " ".join(text) or "."


def _probabilities(graph: WorldGraph) -> tuple[tuple[Probability, ...], IntArray]:
    """Return the different probabilities of nature, and [E] that of each edge; -1 for others."""
    exact = graph.exact_probability or tuple(graph.probability.tolist())
    is_nature = np.repeat(_actors(graph) == CHANCE, np.diff(graph.first_edge))
    numbers: dict[Probability, int] = {}
    index = [
        numbers.setdefault(value, len(numbers)) if drawn else -1
        for value, drawn in zip(exact, is_nature.tolist(), strict=True)
    ]
    return tuple(numbers), np.array(index, np.int32)


def _outcomes(graph: WorldGraph) -> tuple[tuple[Outcome, ...], IntArray]:
    """Return the different rewards, and [E] those of each edge; -1 where nobody gets any."""
    numbers: dict[tuple[float, ...], int] = {}
    index = [
        numbers.setdefault(tuple(row), len(numbers)) if any(row) else -1
        for row in graph.rewards.tolist()
    ]
    return tuple(Outcome(row) for row in numbers), np.array(index, np.int32)
