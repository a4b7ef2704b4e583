"""A player's infostate trees as shapes: most infostates have equal trees below them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from infoset.errors import UnknownNameError
from infoset.forms._infostate_shape_kernels import list_decisions
from infoset.forms.treeplex import Treeplex
from infoset.game import Infostate
from infoset.game.infostate import Step, join_steps, step_text
from infoset.typing import NOOP, Action, IntArray, LongArray, Player
from infoset.utils.frozen_arrays import freeze


@dataclass(frozen=True, eq=False)
class InfostateShapes:
    """The infostate trees of one player, without a list of its infostates.

    The tree below an infostate depends only on the worlds that the player considers possible there.
    Equal trees are one *shape*: legal actions, and a shape for each next step. Shapes that differ
    only in labels and observations have the same *structure*, which consists of the player's later
    decisions. Sequences and acting infostates are numbered in preorder: first the actions of an
    infostate, and then everything after each step, in order. Below a step, numbers are therefore
    those of the structure there plus a constant of the structure above.
    """

    player: Player
    root: int
    """The shape of the whole game."""
    items: LongArray
    first: LongArray
    """[L + 1] where each shape begins in `items`: its action set, or -1, and then a step and a
    shape for each child, by increasing steps."""
    code: LongArray
    """[items] in the place of each child: its number among the children of the structure; or, if
    the step does not change the structure, `WAIT`; or, if no decisions follow, `END` minus the
    action."""
    structure: LongArray
    """[L] the structure of each shape."""
    structure_items: LongArray
    structure_first: LongArray
    """[T + 1] where each structure begins in `structure_items`: its number of actions, and then an
    action, or -1, and a structure for each child. Structure 0 has no decisions."""
    child_sequence: LongArray
    child_infostate: LongArray
    """[structure items] in the place of each child, the numbers of sequences and of acting
    infostates that come before those of the child."""
    sequences: LongArray
    infostates: LongArray
    """[T] the numbers of sequences and of acting infostates of each structure."""
    steps: IntArray
    """[P, 3] action, private and public observation of each step, as indices; -1 for no action."""
    action_sets: tuple[tuple[Action, ...], ...]
    observations: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_sequences(self) -> int:
        """Number Q of sequences, including the empty one."""
        return 1 + int(self.sequences[self.structure[self.root]])

    @property
    def num_infostates(self) -> int:
        """Number I of acting infostates."""
        return int(self.infostates[self.structure[self.root]])

    @cached_property
    def max_additions(self) -> int:
        """Maximum number of infostates whose values are added on the way from an end to the root.

        See `max_additions` in the kernels of treeplexes.
        """
        most = np.zeros(len(self.structure_first) - 1, np.int64)
        for structure, items in self._structures():
            children: dict[int, int] = {}
            longest: dict[int, int] = {}
            for action, child in items:
                children[action] = children.get(action, 0) + 1
                longest[action] = max(longest.get(action, 0), int(most[child]))
            most[structure] = max((children[a] + longest[a] for a in children), default=0)
        return int(most[self.structure[self.root]]) + 1

    @cached_property
    def plan_roundings(self) -> int:
        """Maximum number of roundings in an entry of a plan; see `Treeplex.plan_roundings`."""
        most = np.zeros(len(self.structure_first) - 1, np.int64)
        for structure, items in self._structures():
            actions = int(self.structure_items[self.structure_first[structure]])
            below = max((int(most[child]) for _, child in items), default=0)
            most[structure] = below + (actions + 1 if actions else 0)
        return int(most[self.structure[self.root]])

    def _structures(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield each structure with the action and the structure of its children, smaller first."""
        for structure, (begin, end) in enumerate(pairwise(self.structure_first.tolist())):
            items = self.structure_items[begin + 1 : end].tolist()
            yield structure, list(zip(items[::2], items[1::2], strict=True))

    def treeplex(self) -> Treeplex:
        """List the acting infostates and sequences."""
        parent, first, actions = np.empty((3, self.num_infostates), np.int32)
        list_decisions(
            int(self.structure[self.root]),
            self.structure_items,
            self.structure_first,
            self.child_sequence,
            self.child_infostate,
            parent,
            first,
            actions,
        )
        return Treeplex(parent, first, actions, self.num_sequences)

    def legal_actions(self, shape: int) -> tuple[Action, ...]:
        """Return the legal actions at the infostate of a shape; none if the player does not act."""
        chosen = self.items[self.first[shape]]
        return self.action_sets[chosen] if chosen >= 0 else ()

    def infostate_at(self, number: int) -> Infostate:
        """Return the acting infostate with a number; `find` is the inverse.

        Raises
        ------
        IndexError
            If there is no such infostate.
        """
        return Infostate(self.player, self._way_to(number)[0])

    def actions_at(self, number: int) -> tuple[Action, ...]:
        """Return the legal actions at an acting infostate."""
        return self.legal_actions(self._way_to(number)[1])

    def _way_to(self, number: int) -> tuple[tuple[Step, ...], int]:
        """Return the steps that lead to an acting infostate, and its shape."""
        if not 0 <= number < self.num_infostates:
            raise IndexError(
                f"player {self.player} has no acting infostate {number}; they are numbered from 0 "
                f"to {self.num_infostates - 1}"
            )
        steps: list[Step] = []
        shape = self.root
        while number or not self.legal_actions(shape):
            for step, child, place in self._children(shape):
                before = self._infostates_before(place)
                if before <= number < before + self.infostates[self.structure[child]]:
                    steps.append(self._step(shape, step))
                    shape, number = child, number - before
                    break
        return tuple(steps), shape

    def children(self, shape: int) -> Iterator[tuple[Step, int, int]]:
        """Yield the step, the shape, and the number of sequences before each child with decisions.

        These are the sequences between the one that comes before those of the shape, and the one
        that comes before those of the child.
        """
        for step, child, place in self._children(shape):
            before = int(self.child_sequence[place]) if place >= 0 else 0
            yield self._step(shape, step), child, before

    def _children(self, shape: int) -> Iterator[tuple[int, int, int]]:
        """Yield step, shape, and place in the structure of each child with decisions; -1 for none.

        A child has no place if the step does not change the structure.
        """
        begins = self.structure_first[self.structure[shape]]
        for place in range(self.first[shape] + 2, self.first[shape + 1], 2):
            child, code = int(self.items[place]), self.code[place]
            if self.structure[child]:
                found = int(begins + 2 + 2 * code) if code >= 0 else -1
                yield int(self.items[place - 1]), child, found

    def _infostates_before(self, place: int) -> int:
        """Return the number of acting infostates before those of a child, by its place."""
        return int(self.child_infostate[place]) if place >= 0 else 0

    def _step(self, shape: int, number: int) -> Step:
        action, private, public = self.steps[number]
        taken = self.legal_actions(shape)[action] if action >= 0 else NOOP
        return Step(taken, self.observations[private], self.observations[public])

    @cached_property
    def _step_numbers(self) -> dict[tuple[int, Hashable, Hashable], int]:
        seen = self.observations
        return {
            (action, seen[private], seen[public]): number
            for number, (action, private, public) in enumerate(self.steps.tolist())
        }

    def find(self, infostate: Infostate) -> int:
        """Return the number of an acting infostate.

        Raises
        ------
        UnknownNameError
            If no play of the game leads to the infostate, or the player does not act there.
        """
        shape, number = self.root, 0
        for action, private, public in infostate.steps:
            legal = self.legal_actions(shape)
            taken = legal.index(action) if action in legal else -1
            step = self._step_numbers.get((taken, private, public), -1)
            begin, end = self.first[shape] + 1, self.first[shape + 1]
            places = begin + 2 * np.flatnonzero(self.items[begin:end:2] == step)
            if not len(places) or (taken < 0 and action is not NOOP):
                raise UnknownNameError(
                    f"no play of this game leads to the infostate {infostate}, or it ends there"
                )
            place = int(places[0]) + 1
            if self.code[place] >= 0:
                begins = self.structure_first[self.structure[shape]]
                number += int(self.child_infostate[begins + 2 + 2 * self.code[place]])
            shape = int(self.items[place])
        if not self.legal_actions(shape):
            raise UnknownNameError(f"player {infostate.player} does not act at {infostate}")
        return number

    def decisions(
        self, max_depth: int | None = None
    ) -> Iterator[tuple[int, str, tuple[Action, ...]]]:
        """Yield number, text and legal actions of each acting infostate, in increasing order.

        With `max_depth`, only those with fewer decisions of the player before.
        """
        # Texts of the steps, shape, number of the first infostate below, and decisions before.
        stack: list[tuple[tuple[str, ...], int, int, int]] = [((), self.root, 0, 0)]
        while stack:
            texts, shape, number, depth = stack.pop()
            legal = self.legal_actions(shape)
            if legal:
                yield number, join_steps(texts), legal
                depth += 1
            if max_depth is None or depth < max_depth:
                below = [
                    (
                        (*texts, step_text(*self._step(shape, step))),
                        child,
                        number + self._infostates_before(place),
                        depth,
                    )
                    for step, child, place in self._children(shape)
                ]
                stack += reversed(below)
