"""Conversions between factored-observation stochastic games and extensive forms.

Source: Kovařík et al. (2022), Theorems 3.6 and 3.10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.histories import TERMINAL, Outcome
from infoset.efg.information_sets import (
    check_property,
    find_action_mismatch,
    find_public_mismatch,
    find_recall_violation,
    find_thick_public_set,
)
from infoset.efg.transformations import augment, pad_timing, padded_histories
from infoset.errors import ParameterError
from infoset.game import Game, Observation, Probability, serialize, step_text
from infoset.game.player_names import shown_names
from infoset.tree.game_tree import GameTree, build_tree
from infoset.tree.world_graph import WorldGraph
from infoset.typing import CHANCE, NOOP, Action, IntArray, JointAction, Player
from infoset.utils.text import distinct_labels


def build_extensive_form(game: Game | GameTree, *, memory: int | None = None) -> ExtensiveForm:
    """Build the augmented extensive form of a game: histories, information sets and public sets.

    A game with simultaneous moves, or with chance in the transition after an action, is serialized
    first. Rewards become payoffs at the history after the transition.

    Parameters
    ----------
    memory
        Limit in bytes for the game tree; by default 70% of the free memory.

    Returns
    -------
    ExtensiveForm
        Augmented, with perfect recall and no thick public sets (Theorem 3.6).

    Raises
    ------
    GameTooLargeError, ExplorationLimitError, GameRuleError
        As `build_tree`.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 3.5 and Theorem 3.6.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> form = build_extensive_form(load_game("kuhn_poker"))
    >>> form.num_histories, form.is_augmented
    (55, True)
    """
    tree = game if isinstance(game, GameTree) else build_tree(game, memory=memory)
    if is_serial(tree.graph):
        return _form_of_tree(tree)
    return _form_of_tree(build_tree(serialize(tree.game), memory=memory))


def as_game(form: ExtensiveForm) -> Game:
    """Convert an extensive form to a factored-observation stochastic game.

    Histories become world states, chance moves become transitions, payoffs become rewards, and
    information sets and public sets become observations. A classical form is first padded to be
    1-timeable and augmented (see `augment`).

    Returns
    -------
    Game
        `build_extensive_form` of the game returns the augmented form (Theorem 3.6), and
        `forget_non_acting` of that the classical form (Theorem 3.10). Two details differ: chance
        moves of probability zero disappear, and payoffs at the root are paid after the first
        move.

    Raises
    ------
    UnsupportedGameError
        If no game has this extensive form, because it lacks perfect recall, is not timeable, has
        thick public sets, or has inconsistent partitions. The message shows two histories that
        prove it.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.efg import build_extensive_form, forget_non_acting
    >>> kuhn = as_game(forget_non_acting(build_extensive_form(load_game("kuhn_poker"))))
    >>> build_extensive_form(kuhn).num_histories
    55
    """
    given, problem = form, "is not the extensive form of any game"
    # Recall before padding: a form without it may not be timeable, which explains less.
    for find in (find_action_mismatch, find_recall_violation):
        check_property(form, find, problem)
    form = form if form.is_augmented else augment(pad_timing(form))
    for find in (find_thick_public_set, find_public_mismatch):
        check_property(form, find, problem)
    return _FormGame(form, given)


def find_source_form(game: Game) -> ExtensiveForm | None:
    """Return the extensive form that `as_game` turned into `game`; None for other games."""
    return game.given if isinstance(game, _FormGame) else None


def world_of_history(form: ExtensiveForm) -> IntArray:
    """Return [H] the world state of `as_game(form)` for each history of a form."""
    return padded_histories(form)


def rules_of(game: object) -> Game:
    """Return the rules of a game that is given as rules or as a game tree.

    Raises
    ------
    ParameterError
        If `game` is something else. The message shows how to convert it to a game.
    """
    if isinstance(game, GameTree):
        return game.game
    if isinstance(game, Game):
        return game
    fix = "as_game(form)" if isinstance(game, ExtensiveForm) else "infoset.load(name)"
    raise ParameterError(
        f"got a value of type {type(game).__name__}, which is neither a Game nor a GameTree; "
        f"use {fix} to get a game"
    )


@dataclass(frozen=True)
class _Labels(Sequence[str]):
    """A sequence of texts that are computed on access."""

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
    """Return whether at most one player acts at a time, with deterministic transitions.

    Source: Kovařík et al. (2022), Definition 3.1.
    """
    num_actors = (graph.action_set >= 0).sum(axis=1)
    # Index -1, of a player who does not act, reads the last entry: one way not to act.
    sizes = np.array([*map(len, graph.action_sets), 1])
    num_joint = sizes[graph.action_set].prod(axis=1)
    # Each joint action has at least one edge, and more if chance moves after it.
    is_sure = np.diff(graph.first_edge) == num_joint
    return bool((num_actors <= 1).all() and is_sure[num_actors == 1].all())


def _form_of_tree(tree: GameTree) -> ExtensiveForm:
    """Return the augmented extensive form of the tree of a serial game."""
    graph = tree.graph
    move_table, move_of_edge = _moves(graph)
    probabilities, chance_of_edge = _probabilities(graph)
    outcomes, outcome_of_edge = _outcomes(graph)
    return ExtensiveForm(
        name=str(tree.game),
        player_names=shown_names(tree),
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
        infoset_names=tuple(_Labels(t.num_infostates, t.label) for t in tree.infostate_trees),
        public_set=tree.public_state,
        public_names=_Labels(tree.public_tree.num_public_states, tree.public_tree.label),
        history_names=_Labels(tree.num_histories, _no_name),
    )


def _no_name(history: int) -> str:
    return ""


def _of_history(tree: GameTree, of_edge: IntArray) -> IntArray:
    values = of_edge[tree.edge]
    values[0] = -1  # no edge leads to the root
    return values


def _actors(graph: WorldGraph) -> IntArray:
    """Return [W] the acting player, `CHANCE` or `TERMINAL`."""
    is_acting = graph.action_set >= 0
    passive = np.where(np.diff(graph.first_edge) > 0, CHANCE, TERMINAL)
    return np.where(is_acting.any(axis=1), is_acting.argmax(axis=1), passive).astype(np.int32)


def _moves(graph: WorldGraph) -> tuple[tuple[Action, ...], IntArray]:
    """Return the distinct labels of moves, and [E] the index of each edge's label."""
    numbers: dict[Action, int] = {}
    actors = _actors(graph)
    index: list[int] = []
    for world in range(graph.num_worlds):
        edges = range(graph.first_edge[world], graph.first_edge[world + 1])
        player = int(actors[world])
        if player >= 0:
            labels = graph.action_sets[graph.action_set[world, player]]
        else:
            labels = distinct_labels(tuple(chance_move_text(graph, edge) for edge in edges))
        index += [numbers.setdefault(label, len(numbers)) for label in labels[: len(edges)]]
    return tuple(numbers), np.array(index, np.int32)


def chance_move_text(graph: WorldGraph, edge: int) -> str:
    """Return a chance move as text: its public observation, then each player's private one."""
    public = graph.observations[graph.public_observation[edge]]
    private = [graph.observations[seen] for seen in graph.private_observation[edge].tolist()]
    text = [step_text(NOOP, None, public)] if public is not None else []
    text += [step_text(NOOP, None, seen) for seen in private if seen is not None]
    return " ".join(text) or "."


def _probabilities(graph: WorldGraph) -> tuple[tuple[Probability, ...], IntArray]:
    """Return the distinct chance probabilities, and [E] each edge's index; -1 for players."""
    exact = graph.exact_probability or tuple(graph.probability.tolist())
    is_chance = np.repeat(_actors(graph) == CHANCE, np.diff(graph.first_edge))
    numbers: dict[Probability, int] = {}
    index = [
        numbers.setdefault(value, len(numbers)) if drawn else -1
        for value, drawn in zip(exact, is_chance.tolist(), strict=True)
    ]
    return tuple(numbers), np.array(index, np.int32)


def _outcomes(graph: WorldGraph) -> tuple[tuple[Outcome, ...], IntArray]:
    """Return the distinct rewards, and [E] each edge's index; -1 if all are zero."""
    numbers: dict[tuple[float, ...], int] = {}
    index = [
        numbers.setdefault(tuple(row), len(numbers)) if any(row) else -1
        for row in graph.rewards.tolist()
    ]
    return tuple(Outcome(row) for row in numbers), np.array(index, np.int32)


class _FormGame(Game):
    """The game that `as_game` returns. A world state is the number of a history of `form`.

    `form` is the `given` form, padded and augmented where necessary.
    """

    def __init__(self, form: ExtensiveForm, given: ExtensiveForm) -> None:
        self.form, self.given = form, given
        self.num_players = form.num_players
        self.player_names = form.player_names
        names = [
            [form.infoset_name(player, number) for number in range(len(form.infoset_names[player]))]
            for player in range(form.num_players)
        ]
        self._infosets = [distinct_labels(of_player) for of_player in names]
        public_names = distinct_labels(
            [name or f"public set {number}" for number, name in enumerate(form.public_names)]
        )
        assert form.public_set is not None, "the form is augmented"
        self._public = [public_names[number] for number in form.public_set.tolist()]

    def initial_world(self) -> int:
        return 0

    def actors(self, world: int) -> Sequence[Player]:
        actor = int(self.form.actor[world])
        return (actor,) if actor >= 0 else ()

    def legal_actions(self, world: int, player: Player) -> Sequence[Action]:
        return distinct_labels(self.form.legal_actions(world))

    def transitions(
        self, world: int, joint_action: JointAction
    ) -> Iterable[tuple[int, Probability]]:
        form = self.form
        first, end = int(form.first_child[world]), int(form.first_child[world + 1])
        if form.actor[world] == CHANCE:
            return [(child, form.probabilities[form.chance[child]]) for child in range(first, end)]
        if first == end:
            return []
        player = int(form.actor[world])
        return [(first + self.legal_actions(world, player).index(joint_action[player]), 1)]

    def rewards(self, world: int, joint_action: JointAction, next_world: int) -> Sequence[float]:
        """Return the payoffs at the next history; the first move also pays those at the root."""
        paid = self.form.payoff[next_world]
        return tuple((paid + self.form.payoff[0] if world == 0 else paid).tolist())

    def observe(self, world: int, joint_action: JointAction, next_world: int) -> Observation:
        known = self.form.infoset[next_world].tolist()
        return Observation(
            public=self._public[next_world],
            private=[names[number] for names, number in zip(self._infosets, known, strict=True)],
        )

    def __str__(self) -> str:
        return self.form.name
