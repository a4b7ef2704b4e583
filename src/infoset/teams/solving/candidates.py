"""The policies that may become the answer of a team method, and their measurements."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import SequenceForm
from infoset.policy import uniform_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import COST_BETWEEN_CLOCK_CHECKS, gradient_cost
from infoset.solvers import average_policy
from infoset.teams.exact import SecurityLevel, hill_climb, security_level
from infoset.teams.policies import from_tabular
from infoset.teams.solving.result import TeamCandidate
from infoset.teams.solving.task import TeamTask
from infoset.typing import FloatArray
from infoset.utils.clocks import working_seconds

PLAIN_ITERATIONS: Final = 1000
PLAIN_FRACTION: Final = 0.1
"""CFR+ does as many iterations as a run, but at most these, in at most this part of the limit."""

SAFETY = 1.5
"""Factor between the measured time of a measurement and the time that is reserved for another."""

MEASURING_FRACTION = 0.75
"""Part of the remaining time that measurements after learning may take."""

SECONDS_AFTER_INTERRUPT = 5.0


class Answer(NamedTuple):
    """The best of the measured candidates."""

    probability: FloatArray
    chosen: tuple[str, ...]
    """[T] name of the candidate from which each team's part comes."""
    security_levels: tuple[SecurityLevel, ...] | None


class Candidates:
    """Candidates for the answer, each measured if the time limit allows.

    For a single team, the measurement is the payoff after an improvement by iterated best response.
    For several teams, it is the security level of each team.
    """

    def __init__(self, task: TeamTask) -> None:
        self.found: list[TeamCandidate] = []
        self.is_interrupted = False
        self._task = task
        self._improved: list[tuple[float, FloatArray]] = []
        self._cost = 0.0

    def offer(self, name: str, probability: FloatArray, *, iterations: int, seconds: float) -> None:
        """Add a candidate and measure it; after Ctrl-C it stays without measurement."""
        levels: tuple[SecurityLevel, ...] | None = None
        improved, began = probability, working_seconds()
        try:
            if not self._has_time:
                self._task.clock.changed_course = True
            elif len(self._task.teams) == 1:
                team, rule = self._task.teams[0], self._task.rule
                improved = hill_climb(self._task.information, probability, team, rule=rule)
            else:
                levels = self._levels(probability)
            self._cost = max(self._cost, working_seconds() - began)
        except KeyboardInterrupt:
            self.is_interrupted = True
        payoffs = self._task.payoffs_of(probability)
        self.found.append(TeamCandidate(name, probability, payoffs, levels, iterations, seconds))
        self._improved.append((self._task.payoffs_of(improved)[0], improved))

    @property
    def payoff(self) -> float:
        """Highest payoff of the first team after an improvement; -inf without candidates."""
        return max((payoff for payoff, _ in self._improved), default=-inf)

    def reserved_seconds(self, num_policies: int) -> float:
        """Return the part of the time left that measuring some more policies needs."""
        left = self._task.seconds_left
        return min(num_policies * SAFETY * self._cost, MEASURING_FRACTION * (left or 0.0))

    def answer(self) -> Answer:
        """Return the best of the measured candidates; among equals, the first.

        If none is measured, the answer is the first learned policy, which is that of CFR+ unless
        the game has none.
        """
        if len(self._task.teams) == 1:
            best = int(np.argmax([payoff for payoff, _ in self._improved]))
            return Answer(self._improved[best][1], (self.found[best].name,), None)
        measured = [each for each in self.found if each.security_levels is not None]
        if not measured:
            first = next((one for one in self.found if one.iterations), self.found[0])
            return Answer(first.probability, (first.name,) * len(self._task.teams), None)
        return self._safest_parts(measured)

    def _safest_parts(self, measured: list[TeamCandidate]) -> Answer:
        """Combine candidates: each team takes the first one with the greatest security level."""
        information, combined = self._task.information, measured[0].probability.copy()
        chosen, levels = [], []
        for number, team in enumerate(self._task.teams):
            of_team = [each.security_levels[number] for each in measured if each.security_levels]
            best = int(np.argmax([level.lower for level in of_team]))
            own = np.isin(information.agent, team).repeat(information.num_actions)
            # Security levels hold whatever the others do, so parts of several candidates combine.
            combined[own] = measured[best].probability[own]
            chosen.append(measured[best].name)
            levels.append(of_team[best])
        return Answer(combined, tuple(chosen), tuple(levels))

    @property
    def _has_time(self) -> bool:
        """Whether another measurement is expected to end in time."""
        allowed = self._allowed_seconds
        return allowed is None or 0 < allowed >= self._cost

    @property
    def _allowed_seconds(self) -> float | None:
        """Time for the next measurement."""
        left = self._task.seconds_left
        if self.is_interrupted:
            return min(SECONDS_AFTER_INTERRUPT, inf if left is None else left)
        return left

    def _levels(self, probability: FloatArray) -> tuple[SecurityLevel, ...]:
        task, allowed = self._task, self._allowed_seconds
        num_teams, began = len(task.teams), working_seconds()
        found: list[SecurityLevel] = []
        for number, team in enumerate(task.teams):
            task.report("security levels", number, num_teams, began)
            # Each team gets an equal part of the time that is left.
            share = None
            if allowed is not None:
                left = max(0.0, allowed - (working_seconds() - began))
                share = left / (num_teams - number)
            found.append(
                security_level(task.information, team, probability, rule=task.rule, seconds=share)
            )
        if allowed is not None and working_seconds() - began >= allowed:
            task.clock.changed_course = True
        return tuple(found)


def offer_plain_policy(candidates: Candidates, task: TeamTask) -> None:
    """Offer the average policy of CFR+, in which every agent learns for itself.

    Each agent learns from its own payoffs and its original information. This takes little time and
    often gives a team as much as learning with relaxed information does, or more, above all if few
    actions need coordination. If the form was not built from a game, or the game has no sequence
    form because an agent forgets, several teams have the uniform policy to compare with.
    """
    began = working_seconds()
    form = _plain_form(task)
    if len(task.teams) > 1:
        import scipy.sparse.csgraph  # noqa: F401  security levels need it; loading takes a while
    task.clock.add_build_seconds(working_seconds() - began)
    if form is None:
        if len(task.teams) > 1:
            candidates.offer("uniform", task.uniform_policy(), iterations=0, seconds=0.0)
        return
    began = working_seconds()
    task.report("cfr+", 0, None, began)
    minimizer = RegretMinimizer(form, SCHEMES["cfr+"])
    try:
        _run_plain(minimizer, task)
    except KeyboardInterrupt:
        candidates.is_interrupted = True
    candidates.offer(
        "cfr+",
        from_tabular(task.information, average_policy(minimizer)),
        iterations=minimizer.iteration,
        seconds=working_seconds() - began,
    )


def _plain_form(task: TeamTask) -> SequenceForm | None:
    """Return the sequence form on which CFR+ can run; None if there is none."""
    source = task.form.source
    if source is None:
        return None
    try:
        form = source.tree.sequence_form
        from_tabular(task.information, uniform_policy(form))
    except (UnsupportedGameError, ParameterError):  # an agent forgets, in the game or in the form
        return None
    return form


def _run_plain(minimizer: RegretMinimizer, task: TeamTask) -> None:
    """Run CFR+ without measurements, which in games of several players take longer than it does."""
    left = task.seconds_left
    until = inf if left is None else working_seconds() + PLAIN_FRACTION * left
    last = min(task.options.iterations or PLAIN_ITERATIONS, PLAIN_ITERATIONS)
    # Steps between looks at the clock: at most as many as are done, and not too costly.
    longest = max(1, COST_BETWEEN_CLOCK_CHECKS // gradient_cost(minimizer.form))
    while minimizer.iteration < last:
        minimizer.run(min(last - minimizer.iteration, minimizer.iteration or 1, longest))
        if working_seconds() >= until:
            task.clock.changed_course |= minimizer.iteration < last
            return
