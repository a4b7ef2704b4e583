"""A game tree as a subclass of `pyspiel.Game`. Importing this module requires OpenSpiel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyspiel
from numpy.typing import NDArray

from infoset.errors import ParameterError
from infoset.game import Step, step_text
from infoset.game.infostate import join_steps, value_text
from infoset.interop.openspiel.compiled_game import ActionNumber, CompiledGame, Position
from infoset.interop.openspiel.states import CHANCE_MOVES, NOBODY_MOVES
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
        shared = {"compiled": self.compiled, "mover": self.compiled.mover}
        self._state_class = type(ExportedState.__name__, (ExportedState,), shared)

    def new_initial_state(self) -> ExportedState:
        """Return the initial state."""
        state: ExportedState = self._state_class(self)
        return state

    def state_at(self, history: int) -> ExportedState:
        """Return the state at a history of the game tree, reached by replaying its moves."""
        state = self.new_initial_state()
        for reached, actions in self.compiled.moves_to(history):
            if len(actions) > 1:
                players = range(self.num_players())
                state.apply_actions([actions.get(player, 0) for player in players])
            elif actions:
                state.apply_action(*actions.values())
            if state.position != reached:  # the outcome of chance is still to be chosen
                state.apply_action(reached - self.compiled.first_outcome(state.position))
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

    OpenSpiel copies a state by making an initial one and copying its `__dict__`. Each game has its
    own subclass with the shared tables, so that the dictionary contains only a number.
    """

    compiled: ClassVar[CompiledGame]
    """The compiled game, an attribute of the subclass."""
    mover: ClassVar[memoryview]
    """`compiled.mover`, also an attribute of the subclass."""
    position: Position = 0
    """The position in the game tree."""

    def current_player(self) -> int:
        """Return the acting player, or OpenSpiel's constant for other states."""
        return self.mover[self.position]

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.mover[self.position] == NOBODY_MOVES

    def chance_outcomes(self) -> list[tuple[ActionNumber, float]]:
        """Return the chance outcomes with their probabilities."""
        return list(enumerate(self.compiled.chances(self.position)))

    def returns(self) -> list[float]:
        """Return the sum of each player's rewards so far."""
        return self.compiled.returns(self.position)

    def rewards(self) -> list[float]:
        """Return each player's reward since the last decision; zeros before a chance move."""
        return self.compiled.rewards(self.position)

    def __str__(self) -> str:
        tree = self.compiled.tree
        world = tree.graph.worlds[tree.world[self.compiled.history(self.position)]]
        return f"{world}, chance to move" if self.is_chance_node() else str(world)

    def _legal_actions(self, player: Player) -> list[ActionNumber]:
        return self.compiled.legal_numbers(self.position, player)

    def _apply_action(self, action: ActionNumber) -> None:
        if self.mover[self.position] == CHANCE_MOVES:
            self.position = self.compiled.first_outcome(self.position) + action
        else:
            self.position = self.compiled.move(self.position, action)

    def _apply_actions(self, actions: Sequence[ActionNumber]) -> None:
        self.position = self.compiled.move(self.position, tuple(actions))

    def _action_to_string(self, player: Player, action: ActionNumber) -> str:
        if player == CHANCE_MOVES:
            tree = self.compiled.tree
            outcome = self.compiled.first_outcome(self.position) + action
            return value_text(tree.graph.worlds[tree.world[outcome]])
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
            history = self._compiled.history(state.position)
            infostate = self._compiled.infostate(history, player)
            self.tensor[:] = self._compiled.encoder(infostate)

    def string_from(self, state: ExportedState, player: Player) -> str:
        """Return the observations as text; empty if nothing was observed at the last move."""
        history = self._compiled.history(state.position)
        if self._is_infostate:
            return self._compiled.infostate_text(history, player)
        texts = [self._text(step) for step in self._compiled.infostate(history, player).steps]
        if self._recalls:
            return join_steps(texts)
        is_old = self._compiled.is_between(state.position)
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
