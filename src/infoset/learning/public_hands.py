"""Sampling of a hand of a player of a public form, and of its actions."""

from __future__ import annotations

import numpy as np

from infoset.forms import PublicForm
from infoset.typing import FloatArray, IntArray, Player
from infoset.utils.splitmix import Stream, uniforms


class PublicHands:
    """The hands of a player, for sampling a hand and then an action at each decision.

    Attributes
    ----------
    probability : FloatArray
        [hands] the probability that the player is dealt each hand.
    """

    def __init__(self, form: PublicForm, player: Player) -> None:
        dealt = form.prior.matrix().sum(axis=1 - player)
        self.probability: FloatArray = dealt / dealt.sum()
        self._limits = np.cumsum(self.probability)
        self._last = int(np.flatnonzero(dealt)[-1])
        sequences, self._nodes = form.sequences[player], form.decisions[player]
        # The empty sequence, which comes first, is not an action.
        self._start, self._stride = sequences.start[1:], sequences.stride[1:]
        self._classes = sequences.class_map[1:]
        self._class_of = form.hand_classes[player]
        self._position = form.layouts[player].position
        # Counted without the empty sequence, as all arrays here.
        self._first = sequences.first[self._nodes] - 1
        self._num_actions = form.num_actions[self._nodes]
        self._decision = np.repeat(np.arange(len(self._nodes)), self._num_actions)
        self._nowhere = np.full(form.num_nodes, -1, np.int32)

    def draw(self, stream: Stream) -> int:
        """Return a hand, sampled with the probability of its deal."""
        found = np.searchsorted(self._limits, uniforms(stream, 1)[0], side="right")
        # Rounding may leave the number above all limits.
        return min(int(found), self._last)

    def draw_actions(self, hand: int, policy: FloatArray, stream: Stream) -> IntArray:
        """Sample an action of a hand at each decision of the player, independently.

        Parameters
        ----------
        policy
            [Q] in the order of the layout.

        Returns
        -------
        IntArray
            [V] the index of the action at each public node; -1 where the player does not act.
        """
        taken = self._nowhere.copy()
        numbers = uniforms(stream, len(self._nodes))
        probability = self.policy_at(hand, policy)
        limits = np.cumsum(probability)
        # The sum before each decision; the difference starts at 0 for each of them.
        before = (limits - probability)[self._first]
        passed = (limits - before[self._decision] <= numbers[self._decision]).astype(np.int32)
        # The number of limits at or below the draw is the index of the action.
        found = np.add.reduceat(passed, self._first)
        # Rounding may leave a number above all limits of its decision.
        taken[self._nodes] = np.minimum(found, self._num_actions - 1)
        return taken

    def policy_at(self, hand: int, policy: FloatArray) -> FloatArray:
        """Return a hand's probability of each action at each decision.

        policy: [Q] in the order of the layout. The order of the result is that of the player's
        public sequences, without the empty one.
        """
        of_hand = self._class_of[self._classes, hand]
        found: FloatArray = policy[self._position[self._start + self._stride * of_hand]]
        return found
