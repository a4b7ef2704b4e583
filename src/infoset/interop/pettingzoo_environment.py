"""The class of PettingZoo environments. Importing this module requires PettingZoo."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from infoset.errors import GameRuleError, UnknownNameError
from infoset.game import Game, Infostate, initial_history, transcript
from infoset.typing import NOOP, Action, JointAction, Player


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
            "render_modes": ["ansi"],
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
        self._play_chance()
        self._select()

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

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return the encoded infostate of an agent and the mask of its legal actions."""
        infostate = self.history.infostates[self._player[agent]]
        return {"observation": self._encode(infostate), "action_mask": self._mask(agent)}

    def render(self) -> str | None:
        """Return the full transcript of the play; None without a render mode."""
        return None if self.render_mode is None else transcript(self.history)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

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
