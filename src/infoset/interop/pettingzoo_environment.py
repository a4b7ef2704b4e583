"""The classes of PettingZoo environments. Importing this module requires PettingZoo."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from infoset.errors import GameRuleError, UnknownNameError
from infoset.game import Game, History, Infostate, initial_history, transcript
from infoset.typing import NOOP, Action, JointAction, Player
from infoset.utils.text import printable

RENDER_MODES = ("ansi", "human")
"""Render modes: `ansi` returns the transcript of a play, `human` prints it while it grows."""


class GameEnvironment(AECEnv):  # type: ignore[misc]
    """An AEC environment, in which agents act one by one; see `to_pettingzoo`.

    Attributes
    ----------
    history : History
        The current history.
    actions : tuple[Action, ...]
        The labels of the actions by number.
    """

    def __init__(
        self,
        game: Game,
        *,
        encode: Callable[[Infostate], NDArray[Any]],
        space: gymnasium.Space[Any],
        actions: tuple[Action, ...],
        is_parallelizable: bool,
        render_mode: str | None,
    ) -> None:
        super().__init__()
        self.metadata = {
            "name": str(game),
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": is_parallelizable,
        }
        self.render_mode = render_mode
        self.actions = actions
        self.possible_agents = [f"player_{player}" for player in range(game.num_players)]
        self.history = initial_history(game)
        self._encode = encode
        self._number = {action: number for number, action in enumerate(actions)}
        self._player = {agent: player for player, agent in enumerate(self.possible_agents)}
        self._action_spaces = {
            agent: gymnasium.spaces.Discrete(len(actions)) for agent in self.possible_agents
        }
        mask = gymnasium.spaces.Box(0, 1, (len(actions),), np.int8)
        self._observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {"observation": deepcopy(space), "action_mask": deepcopy(mask)}
            )
            for agent in self.possible_agents
        }
        self._rng = np.random.default_rng()

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's observations, the same object each time."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's actions, the same object each time."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a play; a seed determines the chance moves of this play and of later ones."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._paid = (0.0,) * len(self.agents)
        self._chosen: dict[Player, Action] = {}
        self.history = initial_history(self.history.game)
        self._num_printed = 0
        self._play_chance()
        self._select()
        self._show()

    def step(self, action: int | None) -> None:
        """Take an action of the selected agent, or None if the play is over for it."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        if not self.history.is_terminal:  # else chance ended the play before anyone could act
            self._chosen[self._player[agent]] = self._label(agent, action)
            if len(self._chosen) == len(self.history.actors):
                self._transition(self.history.joint(self._chosen))
                self._play_chance()
        if self.history.is_terminal:
            self.terminations = dict.fromkeys(self.agents, True)
        self._pay()
        self._select()
        self._show()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return the encoded infostate of an agent and the mask of its legal actions."""
        infostate = self.history.infostates[self._player[agent]]
        return {"observation": self._encode(infostate), "action_mask": self._mask(agent)}

    def render(self) -> str | None:
        """Return the full transcript of the play in the mode `ansi`; print it in `human`."""
        if self.render_mode == "ansi":
            return transcript(self.history)
        self._num_printed = 0
        self._show()
        return None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _show(self) -> None:
        """In the mode `human`, print the lines of the transcript that are not yet printed."""
        if self.render_mode == "human":
            lines = transcript(self.history).splitlines()
            sys.stdout.writelines(f"{printable(line)}\n" for line in lines[self._num_printed :])
            self._num_printed = len(lines)

    def _transition(self, joint_action: JointAction) -> None:
        self.history = self.history.sample(joint_action, self._rng)
        self._chosen = {}

    def _play_chance(self) -> None:
        while not self.history.actors and not self.history.is_terminal:
            self._transition((NOOP,) * len(self.possible_agents))

    def _pay(self) -> None:
        """Pay the rewards since the last step."""
        so_far = self.history.rewards_so_far
        for agent, player in self._player.items():
            self.rewards[agent] = float(so_far[player] - self._paid[player])
        self._paid = tuple(map(float, so_far))
        self._accumulate_rewards()

    def _select(self) -> None:
        """Select the next agent and set the action masks."""
        waiting = sorted(set(self.history.actors) - self._chosen.keys())
        self.agent_selection = self.possible_agents[waiting[0] if waiting else 0]
        self.infos = {agent: {"action_mask": self._mask(agent)} for agent in self.agents}

    def _mask(self, agent: str) -> NDArray[np.int8]:
        """Return [actions] 1 for the agent's legal actions; all 0 after it has acted."""
        mask, player = np.zeros(len(self.actions), np.int8), self._player[agent]
        if player not in self._chosen:
            for action in self.history.legal_actions(player):
                if action not in self._number:
                    raise UnknownNameError.of("action", str(action), map(str, self.actions))
                mask[self._number[action]] = 1
        return mask

    def _label(self, agent: str, action: int | None) -> Action:
        """Return the label of a legal action; raise if the number is not that of a legal action."""
        legal = np.flatnonzero(self._mask(agent)).tolist()
        if action not in legal:
            shown = ", ".join(f"{number} ({self.actions[number]})" for number in legal)
            raise GameRuleError(
                "an agent takes an action whose entry in action_mask is 1",
                found=f"got action {action}; legal actions are {shown}",
                world=self.history.world,
                player=self._player[agent],
            )
        return self.actions[int(action)]


class ParallelGameEnvironment(ParallelEnv):  # type: ignore[misc]
    """A parallel environment, in which all agents act at every step; see `to_pettingzoo_parallel`.

    Attributes
    ----------
    environment : GameEnvironment
        The same play as an AEC environment.
    """

    def __init__(self, environment: GameEnvironment) -> None:
        self.environment = environment
        self.metadata = environment.metadata
        self.render_mode = environment.render_mode
        self.possible_agents = environment.possible_agents

    @property
    def actions(self) -> tuple[Action, ...]:
        """The labels of the actions by number."""
        return self.environment.actions

    @property
    def history(self) -> History:
        """The current history."""
        return self.environment.history

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's observations, the same object each time."""
        return self.environment.observation_space(agent)

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's actions, the same object each time."""
        return self.environment.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a play; a seed determines the chance moves of this play and of later ones."""
        self.environment.reset(seed, options)
        self.agents = self.environment.agents[:]
        return self._observations(), self.environment.infos

    def step(self, actions: Mapping[str, int]) -> tuple[dict[str, Any], ...]:
        """Take the actions of the agents who act; the actions of other agents are ignored.

        Returns
        -------
        observations, rewards, terminations, truncations, infos : dict
            By agent.
        """
        environment = self.environment
        rewards = dict.fromkeys(self.agents, 0.0)
        for _ in range(max(1, len(environment.history.actors))):  # 1 if chance ended the play
            environment.step(actions.get(environment.agent_selection))
            for agent in self.agents:
                rewards[agent] += environment.rewards[agent]
        answers = (
            self._observations(),
            rewards,
            dict(environment.terminations),
            dict(environment.truncations),
            environment.infos,
        )
        if environment.history.is_terminal:
            self.agents = []
        return answers

    def render(self) -> str | None:
        """Return the full transcript of the play in the mode `ansi`; print it in `human`."""
        return self.environment.render()

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _observations(self) -> dict[str, Any]:
        return {agent: self.environment.observe(agent) for agent in self.agents}
