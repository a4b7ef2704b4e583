"""Coarse correlated equilibria (CCE) of any game, by simultaneous regret minimization."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.errors import ParameterError
from infoset.evaluation import CCEEvaluation, CCEEvaluator, JointDistribution, joint_distribution
from infoset.forms import Form, check_form
from infoset.policy import TabularPolicy
from infoset.regret import PlayerMinimizer, RegretScheme
from infoset.runs import Budget, JointGaps, SolveResult, TracePoint, run_measured
from infoset.solvers.regret_family import planned_scheme
from infoset.utils.arguments import check_count, check_number


@dataclass(frozen=True, eq=False)
class CoarseCorrelated:
    """An approximate coarse correlated equilibrium with its exact gap.

    The equilibrium is the empirical joint distribution of play. To play it, draw an iteration with
    the weights of the scheme; all players then use their policies of that iteration.
    """

    joint: CCEEvaluation
    """The exact evaluation of the joint play of all iterations."""
    samples: tuple[TabularPolicy, ...]
    weights: tuple[float, ...]
    """The saved policies of single iterations, and their weights in the mixture.
    `evaluate_cce(samples, weights)` evaluates the mixture of these policies alone."""
    result: SolveResult
    """The result for the marginal policies, in which each player draws an iteration independently.
    Their NashConv is a diagnostic and does not bound the gap of joint play."""

    def distribution(self) -> JointDistribution:
        """Return the joint play of the samples as a distribution over tuples of pure plans.

        If the samples are those of CFR, this is the output of CFR-Jr (Celli et al. 2019).

        Raises
        ------
        ParameterError
            If no samples were saved.
        GameTooLargeError
            In the cases that `infoset.evaluation.joint_distribution` lists.
        """
        if not self.samples:
            raise ParameterError(
                "no policies were saved, so there is no distribution: solve with sample_every=1"
            )
        return joint_distribution(self.samples, self.weights)


class CoarseCorrelatedSolver:
    """Simultaneous regret minimization by all players, with its empirical joint play.

    Parameters
    ----------
    form
        A game with any number of players and any payoffs.
    scheme
        The member of the CFR family. Updates are simultaneous even if the scheme alternates: the
        policies from which an iteration starts are its joint play.
    sample_every
        Number of iterations between saved policies; 0 to save none.

    Raises
    ------
    ParameterError
        If the scheme leaves iterations out of its average.
    """

    def __init__(self, form: Form, scheme: RegretScheme, sample_every: int = 0) -> None:
        if scheme.average_delay:
            raise ParameterError(
                f"{scheme.name} leaves {scheme.average_delay} iterations out of the average, but "
                "joint play includes all iterations: use a scheme with average_delay=0"
            )
        self.form = form
        self.scheme = scheme
        self.sample_every = sample_every
        self.play = CCEEvaluator(form)
        self.samples: list[TabularPolicy] = []
        self.weights: list[float] = []
        self._players = [PlayerMinimizer(plex, scheme) for plex in form.treeplexes]

    @property
    def iteration(self) -> int:
        """Number of iterations done."""
        return self._players[-1].iteration

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads."""
        sequences = sum(plex.num_sequences for plex in self.form.treeplexes)
        return self.form.gradient_cost + 6 * sequences

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations."""
        for _ in range(iterations):
            # The weights of the average: joint play before is multiplied by `kept`.
            kept, weight = self.scheme.average_weights(self.iteration + 1)
            if self.sample_every:
                self._keep(kept, weight)
            gradients = self.play.add([own.plan() for own in self._players], weight, kept)
            for own, gradient in zip(self._players, gradients, strict=True):
                own.observe(gradient)

    def _keep(self, kept: float, weight: float) -> None:
        self.weights = [kept * before for before in self.weights]
        if self.iteration % self.sample_every == 0:
            self.samples.append(self.current_policy())
            self.weights.append(weight)

    def gaps(self) -> JointGaps:
        """Return the distance of joint play so far from a coarse correlated equilibrium."""
        return JointGaps(cce=self.play.evaluate().cce_gap) if self.play.weight else JointGaps()

    def policy(self) -> TabularPolicy:
        """Return the marginal policies of joint play."""
        return self.play.marginal_policy() if self.iteration else self.current_policy()

    def current_policy(self) -> TabularPolicy:
        """Return the policy from which the next iteration starts."""
        probabilities = tuple(own.probabilities() for own in self._players)
        return TabularPolicy(self.form, probabilities)


def solve_coarse_correlated(
    form: Form,
    scheme: str | RegretScheme = "cfr",
    budget: Budget | None = None,
    *,
    cce_gap: float | None = None,
    sample_every: int = 0,
) -> CoarseCorrelated:
    """Find a coarse correlated equilibrium by simultaneous regret minimization.

    With uniform weights, the gap of joint play is the largest regret of a player divided by the
    number of iterations. The gap goes to zero in every game; the NashConv of the marginal policies
    need not.

    Parameters
    ----------
    form
        A game with any number of players and any payoffs.
    scheme
        A member of the CFR family. The weights of its average are also the weights of joint play.
    budget
        When to stop; by default after 1,000 iterations.
    cce_gap
        Gap at which to stop, in the game's units. The outcome is then 'stopped'.
    sample_every
        Number of iterations between saved policies; 0 to save none, 1 to save all.

    Notes
    -----
    Source: Hart and Mas-Colell (2000); Celli, Marchesi, Bianchi and Gatti (2019).

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker(players=3)")).sequence_form
    >>> solve_coarse_correlated(
    ...     kuhn, budget=Budget(iterations=300)
    ... ).joint.cce_gap < 0.02
    True
    """
    check_form(form)
    check_count("sample_every", sample_every)
    budget = Budget(iterations=1000) if budget is None else budget
    scheme = planned_scheme(scheme, budget)
    solver = CoarseCorrelatedSolver(form, scheme, sample_every)
    if cce_gap is not None:
        check_number("cce_gap", cce_gap)
        limit, also = cce_gap, budget.callback

        def stop(point: TracePoint) -> bool:
            wants_stop = also is not None and bool(also(point))
            return wants_stop or solver.play.evaluate().cce_gap <= limit

        budget.callback = stop
    result = run_measured(solver, f"cce({scheme.name})", budget, joint=solver.gaps)
    return CoarseCorrelated(
        solver.play.evaluate(), tuple(solver.samples), tuple(solver.weights), result
    )
