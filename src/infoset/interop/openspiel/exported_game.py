"""A game tree as a subclass of `pyspiel.Game`. Importing this module requires OpenSpiel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from infoset.errors import ParameterError
from infoset.game import Step, step_text
from infoset.game.infostate import join_steps, value_text
from infoset.interop.openspiel.compiled_game import ActionNumber, CompiledGame, Place
from infoset.tree import GameTree
from infoset.typing import NOOP, Player

NOTHING = step_text(NOOP, None, None)


class ExportedGame(pyspiel.Game):  # type: ignore[misc]
    """A game for OpenSpiel's algorithms; returned by `to_openspiel`.

    Attributes
    ----------
    compiled : CompiledGame
    """

    def __init__(self, tree: GameTree) -> None:
        self.compiled = CompiledGame(tree)
        super().__init__(game_type(self.compiled), game_info(self.compiled), {})

    def new_initial_state(self) -> ExportedState:
        """Return the initial state."""
        return ExportedState(self)

    def state_at(self, history: int) -> ExportedState:
        """Return the state at a history of the game tree, reached by replaying its moves."""
        state = self.new_initial_state()
        for reached, actions in self.compiled.moves_to(history):
            if len(actions) > 1:
                players = range(self.num_players())
                state.apply_actions([actions.get(player, 0) for player in players])
            elif actions:
                state.apply_action(*actions.values())
            if state.place.is_chance and state.place.history != reached:
                state.apply_action(reached - state.place.first)
        return state

    def max_chance_nodes_in_history(self) -> int:
        """Return the maximum number of chance moves on a path."""
        return self.compiled.longest[1]

    def make_py_observer(self, kind: Any = None, params: Any = None) -> ExportedObserver:
        """Return an observer for OpenSpiel."""
        if params:
            raise ParameterError(f"observers take no parameters; got {params}")
        return ExportedObserver(
            self.compiled, kind or pyspiel.IIGObservationType(perfect_recall=False)
        )


class ExportedState(pyspiel.State):  # type: ignore[misc]
    """A state of an exported game.

    Attributes
    ----------
    place : Place
        The history in the game tree, with pending chance outcomes.
    """

    def __init__(self, game: ExportedGame) -> None:
        super().__init__(game)
        self.place: Place = game.compiled.arrive(0)

    @property
    def compiled(self) -> CompiledGame:
        """The compiled game, shared by all states."""
        compiled: CompiledGame = self.get_game().compiled
        return compiled

    def current_player(self) -> int:
        """Return the acting player, or OpenSpiel's constant for other states."""
        if self.place.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        actors = self.compiled.actors(self.place.history)
        if len(actors) > 1:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return actors[0] if actors else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return not self.place.is_chance and not self.compiled.actors(self.place.history)

    def chance_outcomes(self) -> list[tuple[ActionNumber, float]]:
        """Return the chance outcomes with their probabilities."""
        return list(enumerate(self.compiled.chances(self.place)))

    def returns(self) -> list[float]:
        """Return the sum of each player's rewards so far."""
        paid: list[float] = self.compiled.returns(self.place).tolist()
        return paid

    def rewards(self) -> list[float]:
        """Return each player's reward since the last decision; zeros before a chance move."""
        paid: list[float] = self.compiled.rewards(self.place).tolist()
        return paid

    def __str__(self) -> str:
        world = self.compiled.tree.graph.worlds[self.compiled.tree.world[self.place.history]]
        return f"{world}, chance to move" if self.place.is_chance else str(world)

    def _legal_actions(self, player: Player) -> list[ActionNumber]:
        return sorted(
            self.compiled.numbers(self.compiled.legal_actions(self.place.history, player))
        )

    def _apply_action(self, action: ActionNumber) -> None:
        if self.place.is_chance:
            self.place = self.compiled.choose(self.place, action)
        else:
            self.place = self.compiled.move(self.place, {self.current_player(): action})

    def _apply_actions(self, actions: Sequence[ActionNumber]) -> None:
        self.place = self.compiled.move(self.place, dict(enumerate(actions)))

    def _action_to_string(self, player: Player, action: ActionNumber) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            tree = self.compiled.tree
            return value_text(tree.graph.worlds[tree.world[self.place.first + action]])
        return value_text(self.compiled.actions[action])


class ExportedObserver:
    """Observer of an exported game, for one player's observations or the public ones.

    With perfect recall, it shows all observations so far; otherwise those of the last move. Only a
    player's infostate has a tensor.

    Attributes
    ----------
    tensor : NDArray[np.float32] or None
        The tensor that `set_from` wrote last.
    dict : dict[str, NDArray[np.float32]]
        The tensor, by its name.
    """

    def __init__(self, compiled: CompiledGame, kind: Any) -> None:
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ParameterError(
                "private_info=ALL_PLAYERS is not supported: an observation belongs to one player; "
                "use SINGLE_PLAYER or NONE"
            )
        self._compiled = compiled
        self._recalls = bool(kind.perfect_recall)
        self._public = bool(kind.public_info)
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._is_infostate = self._recalls and self._public and self._private
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if self._is_infostate:
            self.tensor = self.dict["infostate"] = np.zeros(compiled.encoder.size, np.float32)

    def set_from(self, state: ExportedState, player: Player) -> None:
        """Write a player's infostate into `tensor`."""
        if self.tensor is not None:
            infostate = self._compiled.infostate(state.place.history, player)
            self.tensor[:] = self._compiled.encoder(infostate)

    def string_from(self, state: ExportedState, player: Player) -> str:
        """Return the observations as text; empty if nothing was observed at the last move."""
        history = state.place.history
        if self._is_infostate:
            return self._compiled.infostate_text(history, player)
        texts = [self._text(step) for step in self._compiled.infostate(history, player).steps]
        if self._recalls:
            return join_steps(texts)
        is_old = self._compiled.is_between(state.place)
        return "" if is_old or not texts or texts[-1] == NOTHING else texts[-1]

    def _text(self, step: Step) -> str:
        return step_text(
            step.action if self._recalls and self._private else NOOP,
            step.private if self._private else None,
            step.public if self._public else None,
        )


def game_type(compiled: CompiledGame) -> Any:
    """Return OpenSpiel's description of the game."""
    kinds, tree = pyspiel.GameType, compiled.tree
    has_inner_rewards = tree.rewards_so_far[np.diff(tree.first_child) > 0].any()
    return kinds(
        short_name=f"infoset:{tree.game}",
        long_name=str(tree.game),
        dynamics=kinds.Dynamics.SIMULTANEOUS
        if compiled.has_joint_moves
        else kinds.Dynamics.SEQUENTIAL,
        chance_mode=(
            kinds.ChanceMode.EXPLICIT_STOCHASTIC
            if compiled.draws.any()
            else kinds.ChanceMode.DETERMINISTIC
        ),
        information=(
            kinds.Information.PERFECT_INFORMATION
            if compiled.hides_nothing
            else kinds.Information.IMPERFECT_INFORMATION
        ),
        utility=utility_kind(tree),
        reward_model=kinds.RewardModel.REWARDS if has_inner_rewards else kinds.RewardModel.TERMINAL,
        max_num_players=tree.num_players,
        min_num_players=tree.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=False,
        provides_factored_observation_string=True,
    )


def utility_kind(tree: GameTree) -> Any:
    """Return OpenSpiel's category for the utilities, such as zero-sum."""
    kinds, form = pyspiel.GameType.Utility, tree.sequence_form
    utility = tree.rewards_so_far[tree.terminals]
    if form.is_zero_sum:
        return kinds.ZERO_SUM
    if form.constant_sum is not None:
        return kinds.CONSTANT_SUM
    is_common = tree.num_players > 1 and bool((utility == utility[:, :1]).all())
    return kinds.IDENTICAL if is_common else kinds.GENERAL_SUM


def game_info(compiled: CompiledGame) -> Any:
    """Return the sizes and utility bounds of a game, which OpenSpiel requires."""
    minimum, maximum = compiled.tree.sequence_form.payoff_range
    return pyspiel.GameInfo(
        num_distinct_actions=len(compiled.actions),
        max_chance_outcomes=int(compiled.draws.max(initial=0)),
        num_players=compiled.tree.num_players,
        min_utility=minimum,
        max_utility=maximum,
        utility_sum=compiled.tree.sequence_form.constant_sum,
        max_game_length=compiled.longest[0],
    )
