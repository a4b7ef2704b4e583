"""Two-player constant-sum games as the kernels of solvers read them."""

from __future__ import annotations

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.policy import TabularPolicy
from infoset.regret import action_major_layout, pair_payoffs, realize_policy
from infoset.tree import SequenceForm
from infoset.typing import FloatArray

__all__ = ["PairGame"]


class PairGame:
    """A two-player constant-sum game in order of position.

    Parameters
    ----------
    sequence_form : SequenceForm
        The game.
    method : str
        Who asks, for the message.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(self, sequence_form: SequenceForm, method: str) -> None:
        if not sequence_form.is_two_player_constant_sum:
            raise UnsupportedGameError(
                f"{method} solves two-player constant-sum games; {sequence_form.name} is not one: "
                "use cfr+"
            )
        self.sequence_form = sequence_form
        first, second = map(action_major_layout, sequence_form.treeplexes)
        self.layouts = (first, second)
        self.groups = (first.groups, second.groups)
        self.parents = (first.parent, second.parent)
        self.pairs = tuple(pair_payoffs(sequence_form, self.layouts, p) for p in range(2))

    @property
    def payoff_width(self) -> float:
        """The greatest payoff less the least."""
        low, high = self.sequence_form.payoff_range
        return high - low

    @property
    def largest_group(self) -> int:
        """Number of infostates of the largest group: the length of scratch arrays."""
        return max(layout.largest_group for layout in self.layouts)

    def uniform_policies(self) -> tuple[FloatArray, ...]:
        """Return per player [Q] the uniform behaviour."""
        return tuple(layout.uniform_policy() for layout in self.layouts)

    def zeros(self) -> tuple[FloatArray, ...]:
        """Return per player [Q] zeros."""
        return tuple(np.zeros(len(layout.position)) for layout in self.layouts)

    def plans(self, policies: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return per player [Q] the realization plan of a behaviour."""
        plans = self.zeros()
        for groups, parent, policy, plan in zip(
            self.groups, self.parents, policies, plans, strict=True
        ):
            realize_policy(groups, parent, policy, plan)
        return plans

    def to_policy(self, policies: tuple[FloatArray, ...]) -> TabularPolicy:
        """Return behaviours [Q] as a policy."""
        pairs = zip(self.layouts, policies, strict=True)
        weights = [layout.to_sequences(policy) for layout, policy in pairs]
        return TabularPolicy.from_weights(self.sequence_form, weights)
