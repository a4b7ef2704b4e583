"""Answers below a trunk: a policy for each subgame, given the ranges at its root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from infoset.beliefs import PublicBeliefState, TreeCut, TreePart, counterfactual_form
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES, RegretMinimizer, RegretScheme
from infoset.solvers.regret_family import average_policy

__all__ = ["SubgameRegret", "SubgameSolver", "solve_subgames"]

SubgameSolver: TypeAlias = Callable[[TreePart, PublicBeliefState], TabularPolicy]
"""Answers a subgame and a belief at its root with a policy for the subgame."""


@dataclass(frozen=True)
class SubgameRegret:
    """Solve a subgame by regret minimization, from nothing each time.

    It is solved as `counterfactual_form` gives it, so that infostates of range zero, which the
    trunk may yet come to play, have an answer and a value too.

    Attributes
    ----------
    scheme : RegretScheme
    iterations : int
        Number of iterations for each subgame and belief.
    """

    scheme: RegretScheme = SCHEMES["cfr+"]
    iterations: int = 100

    def __call__(self, part: TreePart, belief: PublicBeliefState) -> TabularPolicy:
        """Return the average policy of the subgame."""
        minimizer = RegretMinimizer(counterfactual_form(part, belief), self.scheme)
        minimizer.run(self.iterations)
        return average_policy(minimizer)


def solve_subgames(
    cut: TreeCut, trunk_policy: TabularPolicy, solve_subgame: SubgameSolver
) -> TabularPolicy:
    """Return a policy for the whole game: that of the trunk, and answers to its ranges below.

    This is unsafe re-solving. Every subgame is solved as if the ranges were settled: in a
    two-player zero-sum game its answer is a best one against players who come to it as the
    trunk policy says, and may lose to others who come with other hands, however well the trunk
    was solved. `Decomposition.root_values` are there for safe re-solving, which promises each
    infostate of the opponent no more than its value.

    Parameters
    ----------
    cut : TreeCut
    trunk_policy : TabularPolicy
        For the trunk.
    solve_subgame : SubgameSolver

    Raises
    ------
    PolicyMismatchError
        If the policy is not for the trunk.
    """
    tree, trunk = cut.tree, cut.trunk
    start = PublicBeliefState.with_unit_ranges(tree)
    whole = trunk.replace_policy(uniform_policy(tree.sequence_form), trunk_policy)
    for part in cut.subgames():
        belief = trunk.leaf_belief(part.root, start, trunk_policy)
        whole = part.replace_policy(whole, solve_subgame(part, belief))
    return whole
