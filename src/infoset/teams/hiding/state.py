"""State shared by Algorithms 1 and 2: a relaxed policy, its projection, and the best projection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.hiding.arrays import Game, State, Visit, Workspace
from infoset.teams.hiding.relaxed_form import RelaxedForm
from infoset.teams.policies import check_probabilities
from infoset.typing import FloatArray, LongArray, StateArrays
from infoset.utils.arguments import check_count, check_type
from infoset.utils.splitmix import make_stream
from infoset.utils.state import IterativeState

NOISE = 0
DRAWS = 1

FixedPolicies = Mapping[int, FloatArray]
"""Implementable policies [C] of teams that do not learn; only the cells of the team are used."""


class HidingTrace(NamedTuple):
    """Measurements of each of I iterations, for each of T teams."""

    implementable: FloatArray
    """[I, T] J(π̂), the payoff of the projected policy, in the game's units."""
    relaxed: FloatArray
    """[I, T] J(π), the payoff of the relaxed policy."""
    squared_distance: FloatArray
    """[I, T] E ‖π - π̂‖², summed over the stages of a play and not multiplied by γ."""
    penalty_coefficient: FloatArray
    """[I, T] γ, in utility units."""


class HidingState(IterativeState):
    """A relaxed policy, its projection, and buffers: the state that both algorithms share.

    Parameters
    ----------
    relaxed_form
        A form as `relax` returns it.
    penalty
        γ of the first iteration, in utility units.
    seed
        Seed of the initial policy and of all sampling.
    fixed
        Policies of the teams that do not learn.
    """

    def __init__(
        self, relaxed_form: RelaxedForm, penalty: float, seed: int, fixed: FixedPolicies
    ) -> None:
        super().__init__()
        check_type(
            "relaxed_form", relaxed_form, RelaxedForm, "infoset.teams.hiding.relax(form, map)"
        )
        check_count("seed", seed)
        self.relaxed_form = relaxed_form
        self.seed = seed
        self._generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(NOISE,)))
        self._game = _game_of(relaxed_form, _learning_teams(relaxed_form, fixed))
        self._workspace = _make_workspace(relaxed_form)
        self._state = self._first_state(penalty, fixed)

    def _first_state(self, penalty: float, fixed: FixedPolicies) -> State:
        relaxed_form = self.relaxed_form
        projected = relaxed_form.uniform_policy()
        for team, policy in fixed.items():
            own = np.repeat(relaxed_form.coarse_team == team, relaxed_form.original.num_actions)
            projected[own] = policy[own]
        # Teams that do not learn keep this policy: the kernels never decide at their cells.
        lifted = relaxed_form.lift(projected)
        return State(
            regret=np.zeros_like(lifted),
            policy=lifted,
            projected=projected,
            projected_reach=relaxed_form.reach(lifted),
            penalty=np.full(len(relaxed_form.teams), float(penalty)),
            best=projected.copy(),
            best_payoff=np.full(1, -np.inf),
            stream=make_stream(self.seed, DRAWS),
            done=self._done,
        )

    def _trace_rows(self, iterations: int) -> FloatArray:
        """Return an empty trace [I, T, 4] for the kernel to fill."""
        check_count("iterations", iterations)
        return np.empty((iterations, len(self.relaxed_form.teams), len(HidingTrace._fields)))

    def _state_arrays(self) -> StateArrays:
        state = dict(self._state._asdict())
        # `IterativeState` stores the number of iterations.
        del state["done"]
        return state

    def plan(self, iterations: int) -> None:
        """Prepare for `iterations` more iterations; here nothing depends on their number."""

    def policy(self) -> FloatArray:
        """Return [C] the projected policy of the last iteration, which agents can play.

        This is the answer of the algorithm. An average policy would include the first iterations,
        in which the agents have not learned to coordinate.
        """
        return self._state.projected.copy()

    def best_policy(self) -> FloatArray:
        """Return [C] the projected policy with the highest payoff of all iterations so far.

        If several teams learn, payoffs depend on the other teams. It is then the mean of the
        projected policies at each cell, in which iteration t has weight t.
        """
        return self._state.best.copy()

    @property
    def best_payoff(self) -> float:
        """Payoff of the best iteration for the first learning team; -inf before the first.

        If several teams learn, it is the payoff of the last iteration.
        """
        return float(self._state.best_payoff[0])

    def relaxed_policy(self) -> FloatArray:
        """Return [S] the relaxed policy of the last iteration."""
        return self._state.policy.copy()


def _learning_teams(relaxed_form: RelaxedForm, fixed: FixedPolicies) -> LongArray:
    """Return the teams that learn, after checking the fixed policies."""
    num_teams = len(relaxed_form.teams)
    for team, policy in fixed.items():
        check_count("team", team)
        if team >= num_teams:
            raise ParameterError(
                f"there is no team {team} to fix; teams are numbered 0 to {num_teams - 1}"
            )
        check_probabilities(relaxed_form.original, policy)
    learning = [team for team in range(num_teams) if team not in fixed]
    if not learning:
        raise ParameterError(
            "all teams are fixed, so none would learn; leave at least one out of `fixed`"
        )
    return np.array(learning, np.int64)


def _game_of(relaxed_form: RelaxedForm, teams: LongArray) -> Game:
    cell, chance = relaxed_form.relaxed.cell, relaxed_form.nodes.chance
    return Game(
        nodes=relaxed_form.nodes,
        fine=relaxed_form.fine,
        coarse=relaxed_form.coarse,
        known=relaxed_form.known,
        cell_team=relaxed_form.cell_team,
        num_nodes=np.bincount(cell).astype(np.float64),
        of_chance=np.bincount(cell, chance).astype(np.float64),
        uniform_reach=relaxed_form.uniform_reach,
        cells=np.flatnonzero(np.isin(relaxed_form.cell_team, teams)),
        teams=teams,
        outcomes=relaxed_form.outcomes,
    )


def _make_workspace(relaxed_form: RelaxedForm) -> Workspace:
    num_nodes, num_entries = relaxed_form.form.num_nodes, relaxed_form.relaxed.num_entries
    num_cells, num_teams = relaxed_form.relaxed.num_cells, len(relaxed_form.teams)
    return Workspace(
        reach=np.zeros(num_nodes),
        weight=np.zeros(num_nodes),
        others=np.zeros(num_nodes),
        value=np.zeros(num_nodes),
        gain=np.zeros(num_entries),
        observed=np.zeros(num_cells),
        reached=np.zeros(num_cells),
        mass=np.zeros(num_cells),
        distance=np.zeros(num_cells),
        twice_penalty=np.zeros(num_cells),
        total=np.zeros(relaxed_form.original.num_cells),
        relaxed=np.zeros(num_teams),
        implementable=np.zeros(num_teams),
    )


def visit_everything(relaxed_form: RelaxedForm) -> Visit:
    """Return the visit of all nodes and terminals; its arrays are large enough for any visit."""
    num_nodes, num_terminals = relaxed_form.form.num_nodes, len(relaxed_form.nodes.payoff_node)
    return Visit(
        node=np.arange(num_nodes, dtype=np.uint32),
        terminal=np.arange(num_terminals, dtype=np.uint32),
        size=np.array([num_nodes, num_terminals]),
        importance=np.ones(num_nodes),
        terminal_importance=np.ones(num_terminals),
    )
