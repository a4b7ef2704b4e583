"""What both algorithms move: a relaxed policy, its projection, and the best projection so far."""

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

__all__ = ["FixedPolicies", "HidingState", "HidingTrace", "visit_everything"]

NOISE = 0
DRAWS = 1

FixedPolicies = Mapping[int, FloatArray]
"""Implementable policies [C] of teams that do not learn; only their own cells count."""


class HidingTrace(NamedTuple):
    """What each of I iterations came to, per team.

    Attributes
    ----------
    implementable : FloatArray
        [I, T] what the projection earns, in the game's units.
    relaxed : FloatArray
        [I, T] what the relaxed policy earns.
    squared_distance : FloatArray
        [I, T] how far they are apart, E ‖π - π̂‖² summed over the stages of a play, without γ.
    penalty_coefficient : FloatArray
        [I, T] γ.
    """

    implementable: FloatArray
    relaxed: FloatArray
    squared_distance: FloatArray
    penalty_coefficient: FloatArray


class HidingState(IterativeState):
    """A relaxed policy, its projection, and what is needed to move them.

    Parameters
    ----------
    relaxed_form : RelaxedForm
        The game, its teams, and what they are lent; see `relax`.
    penalty : float
        The first penalty, in units of utility.
    seed : int
        Of what is first and all that is drawn.
    fixed : FixedPolicies

    Raises
    ------
    ParameterError
        If something is not of its kind, all teams are fixed, or a policy is none.
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

    def _workspace_for_trace(self, iterations: int) -> FloatArray:
        """Return [I, T, 4] rows to fill."""
        check_count("iterations", iterations)
        return np.empty((iterations, len(self.relaxed_form.teams), len(HidingTrace._fields)))

    def _state_arrays(self) -> StateArrays:
        state = dict(self._state._asdict())
        del state["done"]
        return state

    def policy(self) -> FloatArray:
        """Return [C] the projection of the last iteration: what agents can play.

        It is the answer: an average would count early iterations, in which nothing was learned.
        """
        return self._state.projected.copy()

    def best_policy(self) -> FloatArray:
        """Return [C] the projection that earned most of all iterations so far.

        Where several teams learn it is the last one: what a team earns is up to the others then.
        """
        return self._state.best.copy()

    @property
    def best_payoff(self) -> float:
        """What `best_policy` earns the first team that learns; -∞ before the first iteration."""
        return float(self._state.best_payoff[0])

    def relaxed_policy(self) -> FloatArray:
        """Return [S] the relaxed policy of the last iteration, whose projection is `policy`."""
        return self._state.policy.copy()


def _learning_teams(relaxed_form: RelaxedForm, fixed: FixedPolicies) -> LongArray:
    """Return the teams that learn, once what is said of the others is checked."""
    num_teams = len(relaxed_form.teams)
    for team, policy in fixed.items():
        check_count("team", team)
        if team >= num_teams:
            raise ParameterError(f"there is no team {team} to fix; there are 0 to {num_teams - 1}")
        check_probabilities(relaxed_form.original, policy)
    learning = [team for team in range(num_teams) if team not in fixed]
    if not learning:
        raise ParameterError("all teams are fixed, so nobody learns; leave one out of `fixed`")
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
    """Return the visit of all nodes and terminals; there is room in it for any other."""
    num_nodes, num_terminals = relaxed_form.form.num_nodes, len(relaxed_form.nodes.payoff_node)
    return Visit(
        node=np.arange(num_nodes, dtype=np.uint32),
        terminal=np.arange(num_terminals, dtype=np.uint32),
        size=np.array([num_nodes, num_terminals]),
        importance=np.ones(num_nodes),
        terminal_importance=np.ones(num_terminals),
    )
