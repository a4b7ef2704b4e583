"""Coarse correlated equilibria of any game, by what its players learn from each other."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.errors import ParameterError
from infoset.evaluation import CCEEvaluation, CCEEvaluator, JointDistribution, joint_distribution
from infoset.policy import TabularPolicy
from infoset.regret import PlayerMinimizer, RegretScheme
from infoset.runs import Budget, Callback, JointGaps, SolveResult, TracePoint, run_measured
from infoset.solvers.regret_family import planned_scheme
from infoset.tree import SequenceForm, check_sequence_form
from infoset.utils.arguments import check_count, check_number

__all__ = ["CoarseCorrelated", "CoarseCorrelatedSolver", "solve_coarse_correlated"]


@dataclass(frozen=True, eq=False)
class CoarseCorrelated:
    """A coarse correlated equilibrium, up to a gap that is known.

    The equilibrium is joint play: an iteration is drawn, with the weights of the scheme, and all
    players play what they played in it.

    Attributes
    ----------
    joint : CCEEvaluation
        Of the joint play of all iterations: exact, whatever the game.
    samples, weights : tuple[TabularPolicy, ...], tuple[float, ...]
        Policies of single iterations that were kept, and their weights in the mixture;
        `evaluate_cce(samples, weights)` measures the mixture of those alone.
    result : SolveResult
        Of the marginals, in which each player draws an iteration of its own. NashConv there is a
        diagnostic, and bounds nothing that joint play promises.
    """

    joint: CCEEvaluation
    samples: tuple[TabularPolicy, ...]
    weights: tuple[float, ...]
    result: SolveResult

    def distribution(self) -> JointDistribution:
        """Return the joint play of the samples as a distribution over tuples of pure plans.

        With samples of CFR this is what CFR-Jr returns (Celli et al. 2019).

        Raises
        ------
        ParameterError
            If no samples were kept.
        GameTooLargeError
            As `infoset.evaluation.joint_distribution`.
        """
        if not self.samples:
            raise ParameterError("no policies were kept to make it of: solve with sample_every=1")
        return joint_distribution(self.samples, self.weights)


class CoarseCorrelatedSolver:
    """Regret minimization by all players at once, with the joint play it makes.

    Parameters
    ----------
    sequence_form : SequenceForm
        Any number of players, any payoffs.
    scheme : RegretScheme
        Players are updated at once, also where it alternates: joint play is of one policy of
        everybody. The policy that an iteration begins with is the one that counts.
    sample_every : int
        Keep the policy of every so many iterations; 0 for none.

    Raises
    ------
    ParameterError
        If the scheme leaves iterations out of its average.
    """

    def __init__(
        self, sequence_form: SequenceForm, scheme: RegretScheme, sample_every: int = 0
    ) -> None:
        if scheme.average_delay:
            raise ParameterError(
                f"{scheme.name} leaves {scheme.average_delay} iterations out of the average; joint "
                "play counts all: give a scheme with average_delay=0"
            )
        self.sequence_form = sequence_form
        self.scheme = scheme
        self.sample_every = sample_every
        self.play = CCEEvaluator(sequence_form)
        self.samples: list[TabularPolicy] = []
        self.weights: list[float] = []
        self._players = [PlayerMinimizer(plex, scheme) for plex in sequence_form.treeplexes]

    @property
    def iteration(self) -> int:
        """Number of iterations done."""
        return self._players[-1].iteration

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in one iteration."""
        sequences = sum(plex.num_sequences for plex in self.sequence_form.treeplexes)
        return self.sequence_form.num_payoffs * self.sequence_form.num_players + 6 * sequences

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations."""
        for _ in range(iterations):
            kept, weight = self.scheme.schedule(self.iteration + 1, 1)[0, -2:].tolist()
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
        """Return how far joint play so far is from a coarse correlated equilibrium."""
        return JointGaps(cce=self.play.evaluate().cce_gap) if self.play.weight else JointGaps()

    def policy(self) -> TabularPolicy:
        """Return the marginals of joint play."""
        return self.play.marginal_policy() if self.iteration else self.current_policy()

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next iteration begins with."""
        probabilities = tuple(own.probabilities() for own in self._players)
        return TabularPolicy(self.sequence_form, probabilities)


def solve_coarse_correlated(
    sequence_form: SequenceForm,
    scheme: str | RegretScheme = "cfr",
    budget: Budget | None = None,
    *,
    cce_gap: float | None = None,
    sample_every: int = 0,
) -> CoarseCorrelated:
    """Find a coarse correlated equilibrium by simultaneous regret minimization.

    With uniform weights, the gap of joint play is the largest regret of a player divided by the
    number of iterations, and goes to zero in every game; the marginals need not.

    Parameters
    ----------
    sequence_form : SequenceForm
        Any number of players, any payoffs.
    scheme : str or RegretScheme
        A member of the CFR family, by name or as such. The weights of its average are also those
        of joint play.
    budget : Budget, optional
        When to stop; by default after 1,000 iterations.
    cce_gap : float, optional
        Stop where the gap is this or less; the outcome is then 'stopped'.
    sample_every : int
        Keep the policy of every so many iterations; 0 for none, 1 for all of joint play.

    Raises
    ------
    ParameterError
        If the scheme leaves iterations out of its average, or a number is out of range.
    UnknownNameError
        If the name of the scheme is unknown.

    Notes
    -----
    Source: Hart and Mas-Colell (2000); Celli, Marchesi, Bianchi and Gatti (2019).

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker(players=3)")).sequence_form
    >>> solve_coarse_correlated(kuhn, budget=Budget(iterations=300)).joint.cce_gap < 0.02
    True
    """
    check_sequence_form(sequence_form)
    check_count("sample_every", sample_every)
    budget = Budget(iterations=1000) if budget is None else budget
    scheme = planned_scheme(scheme, budget)
    solver = CoarseCorrelatedSolver(sequence_form, scheme, sample_every)
    if cce_gap is not None:
        check_number("cce_gap", cce_gap)
        budget.callback = _stop_at(cce_gap, solver, budget.callback)
    result = run_measured(solver, f"cce({scheme.name})", budget, joint=solver.gaps)
    return CoarseCorrelated(
        solver.play.evaluate(), tuple(solver.samples), tuple(solver.weights), result
    )


def _stop_at(gap: float, solver: CoarseCorrelatedSolver, also: Callback | None) -> Callback:
    """Return the callback that stops at a gap, or where another callback does."""

    def stop(point: TracePoint) -> bool:
        asked = also is not None and bool(also(point))
        return asked or solver.play.evaluate().cce_gap <= gap

    return stop
