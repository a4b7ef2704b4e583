"""CFR-BR: regret minimization against best responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from infoset.evaluation import best_response_plan
from infoset.forms import Form
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, PlayerMinimizer, RegretScheme
from infoset.runs import Budget, SolveResult, gradient_cost, run_measured, settings_of
from infoset.solvers.regret_family import planned_scheme
from infoset.solvers.two_player import check_two_player
from infoset.typing import Player, StateArrays
from infoset.utils.state import name_by_player


@dataclass(frozen=True)
class CFRBR:
    """CFR-BR: each player minimizes regret against best responses to its own plans.

    In each iteration, the player's plan x is updated by the gradient of its utility against a pure
    best response to x. In two-player constant-sum games, the mean of the security levels of x over
    T iterations differs from the value of the game by at most regret / T. The last iterates
    therefore become good, too. The security level of the average plan, which is the answer, is at
    least that mean. The runs of the two players are independent.

    Notes
    -----
    Source: Johanson, Bard, Burch and Bowling (2012).
    Differs from the paper: the policies of both players are computed, without an abstraction. Best
    responses are exact, and take the first of equally good actions.

    Examples
    --------
    >>> from infoset import solve
    >>> plus = CFRBR("cfr+-br", "CFR+ against best responses", SCHEMES["cfr+"])
    >>> solve("kuhn_poker", plus, iterations=1000).exploitability < 1e-2
    True
    """

    name: str = "cfr-br"
    description: str = "CFR against best responses, for both players (Johanson et al. 2012)"
    """Name of the method in results, and its description in one line with the source."""
    scheme: RegretScheme = SCHEMES["cfr"]
    """Any member of the CFR family. Whether its updates alternate makes no difference."""

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Run until the budget is used up; its limit on iterations is the horizon of schedules.

        Raises
        ------
        UnsupportedGameError
            If the game is not two-player constant-sum.
        """
        scheme = planned_scheme(self.scheme, budget)
        return run_measured(CFRBRSolver(form, scheme), self.name, budget)


class CFRBRSolver:
    """The state of CFR-BR on a game, and the iterations that change it.

    Parameters
    ----------
    form
        A two-player constant-sum game.
    scheme
        The member of the CFR family.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(self, form: Form, scheme: RegretScheme) -> None:
        check_two_player(form, "cfr-br")
        self.form = form
        self._scheme = scheme
        self._states = tuple(PlayerMinimizer(plex, scheme) for plex in form.treeplexes)

    @property
    def iteration(self) -> int:
        """Number of iterations done; each updates both players once."""
        return self._states[-1].iteration

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads, including the best responses."""
        return 2 * gradient_cost(self.form)

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations."""
        for _ in range(iterations):
            self._update(0)
            self._update(1)

    def _update(self, player: Player) -> None:
        """Update one player by the gradient against a best response to its plan."""
        # The opponent does not play its own plan, so that the runs of the players are independent.
        plans = [own.plan() for own in self._states]
        plans[1 - player] = best_response_plan(self.form, tuple(plans), 1 - player)
        self._states[player].observe(self.form.gradient(tuple(plans), player))

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the scheme, including the horizon."""
        return settings_of(self._scheme)

    def state(self) -> StateArrays:
        """Return the arrays that iterations change, by name and player, in order of position."""
        states = [own.state() for own in self._states]
        return name_by_player(**{kind: [state[kind] for state in states] for kind in states[0]})

    def set_state(self, state: StateArrays) -> None:
        """Set the state from arrays with the names and shapes of `state()`."""
        for player, own in enumerate(self._states):
            own.set_state({kind: state[f"{kind}.{player}"] for kind in own.state()})

    def policy(self) -> TabularPolicy:
        """Return the average policy of both players."""
        return TabularPolicy.from_weights(self.form, [own.average_plan() for own in self._states])

    def current_policy(self) -> TabularPolicy:
        """Return the policy from which the next iteration starts."""
        return TabularPolicy.from_weights(self.form, [own.probabilities() for own in self._states])
