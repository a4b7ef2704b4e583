"""Train MaskablePPO of Stable-Baselines3 on a PettingZoo environment, and measure it exactly.

    pip install sb3-contrib 'infoset[pettingzoo]'
    python train_with_sb3.py

One network learns both seats of Kuhn poker against opponents that are drawn from its own earlier
policies, as in fictitious play. After each round the network is queried at each infostate, which
makes it a tabular policy. The answer is the mean of these policies; its exploitability is exact.
"""

from __future__ import annotations

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

import infoset
from infoset.policy import mix, tabulate
from infoset.tree import InfostateEncoder

ROUNDS, STEPS = 12, 1024


class AgainstEarlierPolicies(gymnasium.Env):
    """The decisions of one seat, drawn at random, against a policy that is drawn from a list."""

    def __init__(self, tree: infoset.GameTree, earlier: list[infoset.TabularPolicy]) -> None:
        self.table, self.earlier = infoset.to_pettingzoo(tree), earlier
        first = self.table.possible_agents[0]
        self.observation_space = self.table.observation_space(first)["observation"]
        self.action_space = self.table.action_space(first)

    def reset(self, *, seed: int | None = None, options: object = None):
        """Deal, and play until the learner decides."""
        super().reset(seed=seed)
        self.table.reset(seed=int(self.np_random.integers(2**32)))
        self.seat = self.table.possible_agents[self.np_random.integers(2)]
        self.opponent = self.earlier[self.np_random.integers(len(self.earlier))]
        self._play_opponent()
        return self._observed(), {}

    def step(self, action):
        """Play the learner's action, and those of the opponent after it."""
        self.table.step(int(action))
        self._play_opponent()
        is_over = self.table.history.is_terminal
        player = self.table.possible_agents.index(self.seat)
        reward = self.table.history.rewards_so_far[player] if is_over else 0.0
        return self._observed(), float(reward), is_over, False, {}

    def action_masks(self):
        """Return which actions are legal, as MaskablePPO asks."""
        return self.table.observe(self.seat)["action_mask"].astype(bool)

    def _observed(self):
        return self.table.observe(self.seat)["observation"]

    def _play_opponent(self):
        while not self.table.history.is_terminal and self.table.agent_selection != self.seat:
            history = self.table.history
            (player,) = history.actors
            legal = history.legal_actions(player)
            shares = self.opponent.action_probabilities(history.infostates[player], legal)
            action = legal[self.np_random.choice(len(legal), p=shares)]
            self.table.step(list(self.table.actions).index(action))


class Trained:
    """The network as a policy of infoset: probabilities of the legal actions at an infostate."""

    def __init__(self, model: MaskablePPO, actions: list, tree: infoset.GameTree) -> None:
        self.model, self.actions = model, actions
        self.encode = InfostateEncoder.from_graph(tree.graph)

    def action_probabilities(self, infostate, legal_actions):
        """Return the probabilities that the network gives to the legal actions."""
        numbers = [self.actions.index(action) for action in legal_actions]
        mask = np.isin(np.arange(len(self.actions)), numbers)[None]
        seen, _ = self.model.policy.obs_to_tensor(self.encode(infostate)[None])
        found = self.model.policy.get_distribution(seen, action_masks=mask)
        shares = found.distribution.probs.detach().numpy()[0][numbers].astype(np.float64)
        return shares / shares.sum()


def main() -> None:
    """Train round by round, and print the exact exploitability of the mean policy."""
    tree = infoset.build_tree("kuhn_poker")
    earlier = [infoset.uniform_policy(tree.sequence_form)]
    env = AgainstEarlierPolicies(tree, earlier)
    model = MaskablePPO("MlpPolicy", env, n_steps=256, seed=0, ent_coef=0.02, device="cpu")
    for _ in range(ROUNDS):
        model.learn(STEPS, reset_num_timesteps=False)
        trained = Trained(model, list(env.table.actions), tree)
        earlier.append(tabulate(tree.sequence_form, [trained] * 2))
        answer = mix(earlier, [1.0] * len(earlier))
        exploitability = infoset.evaluate(answer).exploitability
        print(f"{len(earlier) - 1:2} rounds: exploitability {exploitability:.3f}")


if __name__ == "__main__":
    main()
