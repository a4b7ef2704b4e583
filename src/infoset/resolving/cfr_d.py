"""CFR-D: regret minimization in the trunk of a game, with subgames solved one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infoset.beliefs import (
    PublicBeliefState,
    TreeCut,
    counterfactual_values,
    value_form,
)
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import SequenceForm
from infoset.policy import TabularPolicy
from infoset.regret import PlayerMinimizer, RegretScheme
from infoset.resolving.subgame_solutions import (
    SAFE_GADGETS,
    SubgameRegret,
    SubgameSolver,
    resolve_subgames,
    solve_subgames,
)
from infoset.runs import COST_BETWEEN_CLOCK_CHECKS, Budget, SolveResult, run_measured
from infoset.solvers.regret_family import planned_scheme
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_choice, check_type

RootValues: TypeAlias = dict[int, list[FloatArray]]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The result of decomposition."""

    cut: TreeCut
    """The game and its cut."""
    trunk_policy: TabularPolicy
    """The average policy for the trunk, on the sequence form of the trunk."""
    root_values: Mapping[int, tuple[FloatArray, ...]]
    """For each root of a subgame, per player [S_p], the counterfactual values `P_-i(s_i) v_i(s_i)`
    of future rewards, averaged over the iterations. There is one number per infostate of the range,
    as in `counterfactual_values`. `resolve_subgames` uses them."""
    result: SolveResult
    """The policy for the whole game and its evaluation. The policy combines the trunk policy with
    solutions of the subgames, see `solve_by_decomposition`."""

    def belief(self, root: int) -> PublicBeliefState:
        """Return the belief at the root of a subgame under the average trunk policy.

        Raises
        ------
        ParameterError
            If `root` is not the root of a subgame.
        """
        start = PublicBeliefState.with_unit_ranges(self.cut.tree)
        return self.cut.trunk.leaf_belief(root, start, self.trunk_policy)


class DecompositionSolver:
    """CFR-D as an iterative method; it stores regrets for the trunk only.

    Each iteration solves the subgames one after another, for their ranges under the current trunk
    policy. The gradients of the trunk use the counterfactual values at the roots of the subgames;
    the rest of each solution is discarded. If the scheme alternates, the subgames are solved again
    for the update of each player.

    Parameters
    ----------
    cut
        A cut that every play crosses at most once.
    scheme
        The member of the CFR family for the trunk.
    gadget
        As in `solve_by_decomposition`.

    Raises
    ------
    ParameterError
        If a subgame is cut again.
    UnsupportedGameError
        If there is a gadget, and the game is not two-player constant-sum.
    """

    def __init__(
        self,
        cut: TreeCut,
        scheme: RegretScheme,
        solve_subgame: SubgameSolver,
        gadget: str | None = None,
    ) -> None:
        self.cut = cut
        self.scheme = scheme
        self.solve_subgame = solve_subgame
        self.gadget = _checked_gadget(cut, gadget)
        self.iteration = 0
        self.trunk = cut.trunk
        if len(self.trunk.leaves) != len(cut.roots) - 1:
            raise ParameterError(
                f"some of the subgames at {self.trunk.leaves.tolist()} are cut again: "
                "decomposition needs a cut that every play crosses at most once, such as "
                "cut_tree(tree, depth=2)"
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
    def form(self) -> SequenceForm:
        """The whole game."""
        return self.cut.tree.sequence_form

    @property
    def cost_per_iteration(self) -> int:
        """A count so large that the clock is checked after each iteration."""
        return COST_BETWEEN_CLOCK_CHECKS

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations; an interrupted one leaves the state unchanged."""
        for _ in range(iterations):
            # The iteration runs on a second set of minimizers. The sets are exchanged when it is
            # complete.
            before, after = self._minimizers, self._spares
            totals, weight = self._iterated(after)
            self._minimizers, self._spares = after, before
            self._totals, self._weight, self.iteration = totals, weight, self.iteration + 1

    def _iterated(self, minimizers: list[PlayerMinimizer]) -> tuple[RootValues, float]:
        """Set minimizers to the state after an iteration; return the sums of root values."""
        for own, now in zip(minimizers, self._minimizers, strict=True):
            own.set_state(now.state())
        players = tuple(range(len(minimizers)))
        found = self._no_values()
        for acting in [(p,) for p in players] if self.scheme.alternating else [players]:
            gradients = self._gradients(minimizers, acting, found)
            for player, gradient in gradients.items():
                minimizers[player].observe(gradient)
        kept, weight = self.scheme.average_weights(self.iteration + 1)
        totals = {
            root: [kept * a + weight * b for a, b in zip(before, found[root], strict=True)]
            for root, before in self._totals.items()
        }
        return totals, kept * self._weight + weight

    def _gradients(
        self, minimizers: list[PlayerMinimizer], players: tuple[Player, ...], found: RootValues
    ) -> dict[Player, FloatArray]:
        """Return [Q] the gradients of some players; write their root values to `found`."""
        gradients = {player: self._trunk_gradient(minimizers, player) for player in players}
        policy = TabularPolicy(self._form, tuple(own.probabilities() for own in minimizers))
        for part in self.cut.subgames():
            belief = self.trunk.leaf_belief(part.root, self._start, policy)
            values = counterfactual_values(part, belief, self.solve_subgame(part, belief))
            # The subgame counts as a terminal of the trunk, so its values go to the last own
            # sequences before it. They contain only future rewards, so add those before the root.
            last = self.trunk.leaf_sequences(part.root)
            for player, gradient in gradients.items():
                found[part.root][player] = values[player]
                paid = belief.counterfactual_rewards(player)
                np.add.at(gradient, last[player], values[player] + paid)
        return gradients

    def _trunk_gradient(self, minimizers: list[PlayerMinimizer], player: Player) -> FloatArray:
        """Return [Q] the gradient of the utility of plays that end in the trunk."""
        return self._form.gradient(tuple(own.plan() for own in minimizers), player)

    def trunk_policy(self) -> TabularPolicy:
        """Return the average policy of the trunk."""
        plans = [own.average_plan() for own in self._minimizers]
        return TabularPolicy.from_weights(self._form, plans)

    def current_trunk_policy(self) -> TabularPolicy:
        """Return the trunk policy from which the next iteration starts."""
        return TabularPolicy(self._form, tuple(own.probabilities() for own in self._minimizers))

    def root_values(self) -> dict[int, tuple[FloatArray, ...]]:
        """Return the average counterfactual values, as `Decomposition.root_values`."""
        weight = self._weight if self._weight > 0 else 1.0
        return {
            root: tuple(total / weight for total in totals) for root, totals in self._totals.items()
        }

    def policy(self) -> TabularPolicy:
        """Return the average trunk policy with solutions of the subgames, safe with a gadget."""
        trunk_policy, solve = self.trunk_policy(), self.solve_subgame
        if self.gadget == "none":
            return solve_subgames(self.cut, trunk_policy, solve)
        safe = solve if isinstance(solve, SubgameRegret) else None
        return resolve_subgames(self.cut, trunk_policy, self.root_values(), safe, self.gadget)

    def current_policy(self) -> None:
        """Return None, because there is no last iterate below the trunk."""


def _checked_gadget(cut: TreeCut, gadget: str | None) -> str:
    """Return the name of the gadget, by default the safe one where gadgets exist."""
    form = cut.tree.sequence_form
    if gadget is None:
        return "resolving" if form.is_two_player_constant_sum else "none"
    check_choice("gadget", gadget, (*SAFE_GADGETS, "none"))
    if gadget != "none" and not form.is_two_player_constant_sum:
        raise UnsupportedGameError(
            f"the gadget {gadget!r} needs a two-player constant-sum game, which {form.name} is "
            'not; use gadget="none"'
        )
    return gadget


def solve_by_decomposition(
    cut: TreeCut,
    scheme: str | RegretScheme = "cfr+",
    budget: Budget | None = None,
    solve_subgame: SubgameSolver | None = None,
    gadget: str | None = None,
) -> Decomposition:
    """Solve a game by CFR-D, with its subgames solved one at a time.

    Parameters
    ----------
    cut
        The game and its cut, as `cut_tree` returns it.
    scheme
        The member of the CFR family for the trunk.
    budget
        When to stop; by default after 100 iterations.
    solve_subgame
        By default `SubgameRegret()`: 100 iterations of CFR+ per subgame and belief.
    gadget
        How the subgames are solved once more for the policy of the result. "resolving" and
        "max-margin" are safe, see `resolve_subgames`; if `solve_subgame` is not a `SubgameRegret`,
        they use `SubgameRegret()`. "none" is unsafe, see `solve_subgames`. By default "resolving"
        in two-player constant-sum games, and "none" in all others.

    Raises
    ------
    ParameterError
        If `cut` is not a `TreeCut`, or a subgame is cut again.
    UnsupportedGameError
        If there is a gadget, and the game is not two-player constant-sum.

    Notes
    -----
    Source: Burch, Johanson and Bowling (2014); Kovařík et al. (2022), Algorithm 1. Differs from
    that algorithm: any scheme is supported, not only regret matching; players alternate if the
    scheme does; averages have the weights of the scheme.

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
    solver = DecompositionSolver(cut, scheme, solve_subgame or SubgameRegret(), gadget)
    # The policy of the result solves every subgame once more, as an iteration does.
    cost = solver.cost_per_iteration
    result = run_measured(solver, f"cfr-d({scheme.name})", budget, extra_cost=cost)
    return Decomposition(cut, solver.trunk_policy(), solver.root_values(), result)
