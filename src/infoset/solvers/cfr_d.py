"""CFR-D: the trunk of a game by regret minimization, its subgames one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infoset.beliefs import (
    PublicBeliefState,
    TreeCut,
    TreePart,
    counterfactual_form,
    counterfactual_values,
    value_form,
)
from infoset.errors import ParameterError
from infoset.evaluation import utility_gradient
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES, PlayerMinimizer, RegretMinimizer, RegretScheme
from infoset.runs import COST_BETWEEN_CLOCK_CHECKS, Budget, SolveResult, run_measured
from infoset.solvers.regret_family import average_policy, planned_scheme
from infoset.tree import SequenceForm
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_type

__all__ = [
    "Decomposition",
    "DecompositionSolver",
    "SubgameRegret",
    "SubgameSolver",
    "solve_by_decomposition",
    "solve_subgames",
]

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


RootValues: TypeAlias = dict[int, list[FloatArray]]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """What decomposition returns.

    Attributes
    ----------
    cut : TreeCut
        The game, and where it was cut.
    trunk_policy : TabularPolicy
        The average policy of the trunk, on the trunk's form.
    root_values : Mapping[int, tuple[FloatArray, ...]]
        By root of a subgame, per player [S_p], the average over the iterations of its
        counterfactual values `P_-i(s_i) v_i(s_i)` of future rewards, as `counterfactual_values`
        gives them: one number for each infostate of a range, what re-solving promises a player.
    result : SolveResult
        The whole policy, measured: that of the trunk, with every subgame solved once more for
        the average ranges of the trunk.
    """

    cut: TreeCut
    trunk_policy: TabularPolicy
    root_values: Mapping[int, tuple[FloatArray, ...]]
    result: SolveResult

    def belief(self, root: int) -> PublicBeliefState:
        """Return the belief at the root of a subgame that the average trunk policy leads to.

        Raises
        ------
        ParameterError
            If no subgame begins there.
        """
        start = PublicBeliefState.with_unit_ranges(self.cut.tree)
        return self.cut.trunk.leaf_belief(root, start, self.trunk_policy)


class DecompositionSolver:
    """CFR-D as an iterative method: the state is the trunk's, and values at roots of subgames.

    Each iteration solves every subgame, one after the other, for the ranges that the current
    trunk policy leads to, and takes the counterfactual values at its root into the gradients of
    the trunk; nothing else of it is kept. Where the scheme alternates, every player's turn
    solves them anew. `iteration` counts whole iterations.

    Parameters
    ----------
    cut : TreeCut
        The game, cut once on every play at most.
    scheme : RegretScheme
        For the trunk.
    solve_subgame : SubgameSolver

    Raises
    ------
    ParameterError
        If a subgame is cut again.
    """

    def __init__(self, cut: TreeCut, scheme: RegretScheme, solve_subgame: SubgameSolver) -> None:
        self.cut = cut
        self.scheme = scheme
        self.solve_subgame = solve_subgame
        self.iteration = 0
        self.trunk = cut.trunk
        if len(self.trunk.leaves) != len(cut.roots) - 1:
            raise ParameterError(
                f"the subgames at {self.trunk.leaves.tolist()} are cut again; decomposition takes "
                "a cut with nothing but subgames below the trunk"
            )
        self._start = PublicBeliefState.with_unit_ranges(cut.tree)
        nothing = np.zeros((len(self.trunk.leaf_histories), cut.tree.num_players))
        self._form = value_form(self.trunk, self._start, nothing)
        self._minimizers, self._spares = (
            [PlayerMinimizer(plex, scheme) for plex in self._form.treeplexes] for _ in range(2)
        )
        self._totals = self._no_values()
        self._weight = 0.0

    def _no_values(self) -> RootValues:
        found: RootValues = {}
        for leaf in self.trunk.leaves.tolist():
            infostates = PublicBeliefState.with_unit_ranges(self.cut.tree, leaf).infostates
            found[leaf] = [np.zeros(len(numbers)) for numbers in infostates]
        return found

    @property
    def sequence_form(self) -> SequenceForm:
        """The whole game."""
        return self.cut.tree.sequence_form

    @property
    def cost_per_iteration(self) -> int:
        """Enough for the clock to be looked at after each iteration."""
        return COST_BETWEEN_CLOCK_CHECKS

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations; one that is interrupted has not happened."""
        for _ in range(iterations):
            before, after = self._minimizers, self._spares
            totals, weight = self._iterated(after)
            self._minimizers, self._spares = after, before
            self._totals, self._weight, self.iteration = totals, weight, self.iteration + 1

    def _iterated(self, minimizers: list[PlayerMinimizer]) -> tuple[RootValues, float]:
        """Bring minimizers to where an iteration leads; return the values at roots so far."""
        for own, now in zip(minimizers, self._minimizers, strict=True):
            own.set_state(now.state())
        players = tuple(range(len(minimizers)))
        found = self._no_values()
        for acting in [(p,) for p in players] if self.scheme.alternating else [players]:
            gradients = self._gradients(minimizers, acting, found)
            for player, gradient in gradients.items():
                minimizers[player].observe(gradient)
        kept, weight = self.scheme.schedule(self.iteration + 1, 1)[0, -2:]
        totals = {
            root: [kept * a + weight * b for a, b in zip(before, found[root], strict=True)]
            for root, before in self._totals.items()
        }
        return totals, kept * self._weight + weight

    def _gradients(
        self, minimizers: list[PlayerMinimizer], players: tuple[Player, ...], found: RootValues
    ) -> dict[Player, FloatArray]:
        """Return [Q] the gradients of some players; fill in their values at the roots found."""
        gradients = {player: self._trunk_gradient(minimizers, player) for player in players}
        policy = TabularPolicy(self._form, tuple(own.probabilities() for own in minimizers))
        for part in self.cut.subgames():
            belief = self.trunk.leaf_belief(part.root, self._start, policy)
            values = counterfactual_values(part, belief, self.solve_subgame(part, belief))
            last = self.trunk.leaf_sequences(part.root)
            for player, gradient in gradients.items():
                found[part.root][player] = values[player]
                paid = belief.counterfactual_rewards(player)
                np.add.at(gradient, last[player], values[player] + paid)
        return gradients

    def _trunk_gradient(self, minimizers: list[PlayerMinimizer], player: Player) -> FloatArray:
        """Return [Q] the gradient of what the plays that end in the trunk pay."""
        return utility_gradient(self._form, tuple(own.plan() for own in minimizers), player)

    def trunk_policy(self) -> TabularPolicy:
        """Return the average policy of the trunk."""
        plans = [own.average_plan() for own in self._minimizers]
        return TabularPolicy.from_weights(self._form, plans)

    def current_trunk_policy(self) -> TabularPolicy:
        """Return the policy of the trunk that the next iteration begins with."""
        return TabularPolicy(self._form, tuple(own.probabilities() for own in self._minimizers))

    def root_values(self) -> dict[int, tuple[FloatArray, ...]]:
        """Return the average counterfactual values, as `Decomposition.root_values`."""
        weight = self._weight if self._weight > 0 else 1.0
        return {
            root: tuple(total / weight for total in totals) for root, totals in self._totals.items()
        }

    def policy(self) -> TabularPolicy:
        """Return the average policy of the trunk, with the subgames solved for its ranges."""
        return solve_subgames(self.cut, self.trunk_policy(), self.solve_subgame)

    def current_policy(self) -> None:
        """Return None: the whole game has no last iterate."""


def solve_by_decomposition(
    cut: TreeCut,
    scheme: str | RegretScheme = "cfr+",
    budget: Budget | None = None,
    solve_subgame: SubgameSolver | None = None,
) -> Decomposition:
    """Solve the trunk of a game by CFR-D, its subgames one at a time.

    Parameters
    ----------
    cut : TreeCut
        The game, cut as `cut_tree` does.
    scheme : str or RegretScheme
        For the trunk, by name or as a `RegretScheme`.
    budget : Budget, optional
        When to stop; by default after 100 iterations.
    solve_subgame : SubgameSolver, optional
        By default 100 iterations of CFR+ for each subgame and belief, `SubgameRegret()`.

    Raises
    ------
    ParameterError
        If `cut` is not a `TreeCut`, or a subgame is cut again.
    UnknownNameError
        If the name of the scheme is unknown.

    Notes
    -----
    Source: Burch, Johanson and Bowling (2014); Kovařík et al. (2022), Algorithm 1. Differs from
    the algorithm: any scheme, not regret matching alone; where it alternates, players take
    turns; averages are weighted as the scheme does.

    Examples
    --------
    >>> from infoset.beliefs import cut_tree
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> cut = cut_tree(build_tree(load_game("kuhn_poker")), depth=2)
    >>> solved = solve_by_decomposition(cut, budget=Budget(iterations=50))
    >>> [round(float(value), 1) for value in solved.root_values[3][0]]
    [-0.3, -0.2, 0.4]
    """
    check_type("cut", cut, TreeCut, "a TreeCut, such as infoset.beliefs.cut_tree(tree, depth=2)")
    budget = Budget(iterations=100) if budget is None else budget
    scheme = planned_scheme(scheme, budget)
    solver = DecompositionSolver(cut, scheme, solve_subgame or SubgameRegret())
    result = run_measured(solver, f"cfr-d({scheme.name})", budget)
    return Decomposition(cut, solver.trunk_policy(), solver.root_values(), result)
