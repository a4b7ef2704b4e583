"""Monte Carlo CFR on public forms, which samples public chance but not the learner's hands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from infoset.forms import (
    PublicForm,
    is_new,
    public_gradient,
    public_payoffs,
    realize_policy,
    terminals_of_terms,
    with_terms,
    with_weights,
)
from infoset.learning._public_sampling_kernels import count_groups
from infoset.learning.public_chance import Drawn, PublicChance
from infoset.learning.public_hands import PublicHands
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, update_regrets
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player, StateArrays
from infoset.utils.arguments import check_count
from infoset.utils.interrupts import interrupts_held
from infoset.utils.splitmix import make_stream
from infoset.utils.state import IterativeState, name_by_player


class PublicChanceSampling(IterativeState):
    """Self-play of Monte Carlo CFR on a public form, in which the players alternate.

    Each episode samples one outcome of each public chance move. Chance sampling evaluates the
    learning player against all hands and actions of the opponent. External sampling evaluates it
    against one hand, sampled with the probability of its deal, and one action at each decision of
    the opponent, sampled from the current policy of this hand. The learning player computes
    counterfactual values of all its hands and actions in the sampled part of the public tree,
    divided by the sampling probabilities, and updates its regrets there. The expected values are
    those of CFR.

    An episode changes the policy only at sampled nodes, whose ancestors are also sampled. The
    average at these nodes is updated before each change, so it is exact for all hands: the mean of
    the policies of a player's episodes, weighted by own reach.

    Parameters
    ----------
    form
        A game with any payoffs; averages approach an equilibrium if these have a constant sum.
    settings : mapping
        The parameters of the learner, by name.
    clip_regrets
        Whether negative cumulative regrets are reset to 0, as in regret matching+.
    all_opponents
        Whether all hands and actions of the opponent are evaluated, as in chance sampling.

    Notes
    -----
    Sources: Johanson, Bard, Lanctot, Gibson and Bowling (2012), "Efficient Nash equilibrium
    approximation through Monte Carlo counterfactual regret minimization" (public chance sampling,
    and opponent/public chance sampling); Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo
    sampling for regret minimization in extensive games" (external sampling).
    """

    def __init__(
        self,
        form: PublicForm,
        settings: Mapping[str, Any],
        seed: int,
        *,
        clip_regrets: bool = False,
        all_opponents: bool = True,
    ) -> None:
        super().__init__()
        self.form = form
        self.seed = seed
        self._settings = settings
        self._row = SCHEMES["cfr+" if clip_regrets else "cfr"].schedule(1, 1)[0]
        self._chance = PublicChance(form)
        self._players = tuple(_Player(form, player, self._chance) for player in range(2))
        self._all_opponents = all_opponents
        self._stream = make_stream(seed)

    @cached_property
    def cost_per_iteration(self) -> int:
        """Approximate number of array elements read in an episode."""
        probability = self._chance.probability
        if not self._all_opponents:
            uniform = [_uniform_reach(self.form, player) for player in range(2)]
            # External sampling also draws the opponent's actions, uniformly in this estimate.
            probability = probability * np.mean(uniform, axis=0)
        share = float(probability.mean())
        sequences = sum(len(own.policy) for own in self._players)
        return 1 + sequences // 2 + round(share * (self.form.gradient_cost / 2 + 6 * sequences))

    @property
    def num_pairs(self) -> int:
        """Number of pairs of a trigger and a sequence, as in `SelfPlay`: 0."""
        return 0

    def settings(self) -> dict[str, Any]:
        """Return the parameters that, together with the game, determine every episode, by name."""
        return {**self._settings, "seed": self.seed}

    def run(self, episodes: int) -> None:
        """Run `episodes` more episodes."""
        check_count("episodes", episodes)
        for _ in range(episodes):
            with interrupts_held():
                player = self.iteration % 2
                self.learn(player, self._draw(self._players[1 - player]))
                self._done += 1

    def _draw(self, other: _Player) -> Drawn:
        """Return the sample of an episode, given the opponent of the learning player."""
        if self._all_opponents:
            return self._chance.draw(self._stream)
        hand = other.hands.draw(self._stream)
        taken = other.hands.draw_actions(hand, other.policy, self._stream)
        return self._chance.draw(self._stream, taken)._replace(hand=hand)

    def learn(self, player: Player, drawn: Drawn) -> None:
        """Update the regrets and the average of a player in the sampled part of the tree."""
        own, other = self._players[player], self._players[1 - player]
        groups = own.groups_at(drawn)
        # The plan of the empty sequence is 1 in every episode; `count` passes it down.
        own.cumulative_plan[0] += 1.0
        own.count(groups)
        # The reach of sampled actions cancels with their probability: the plan of one hand stays 1.
        if drawn.hand is None:
            realize_policy(other.groups_at(drawn), other.parent, other.policy, other.plan)
        gradient = own.gradient(drawn, other)
        no_predictions = np.zeros(0), np.zeros((2, 0))
        update_regrets(
            groups,
            own.parent,
            self._row,
            -1.0,
            gradient,
            own.regret,
            own.policy,
            own.tolerance,
            *no_predictions,
        )

    def _state_arrays(self) -> StateArrays:
        arrays = name_by_player(
            policy=[own.policy for own in self._players],
            regret=[own.regret for own in self._players],
            cumulative_plan=[own.cumulative_plan for own in self._players],
            parent_counted=[own.parent_counted for own in self._players],
        )
        return {"stream": self._stream, **arrays}

    def policy(self) -> TabularPolicy:
        """Return the average policy, weighted by own reach; uniform where own reach is zero."""
        return self._to_policy([own.all_counted() for own in self._players])

    def current_policy(self) -> TabularPolicy:
        """Return the policies of the next episode."""
        return self._to_policy([own.policy for own in self._players])

    def _to_policy(self, weights: list[FloatArray]) -> TabularPolicy:
        pairs = zip(self.form.layouts, weights, strict=True)
        return TabularPolicy.from_weights(
            self.form, [layout.to_sequences(own) for layout, own in pairs]
        )


class _Player:
    """The learning state of a player, in the order of the layout.

    Entries of `plan` are up to date only at the infostates of the last sample. For
    `cumulative_plan` and `parent_counted`, see `count_groups`.
    """

    def __init__(self, form: PublicForm, player: Player, chance: PublicChance) -> None:
        layout = form.layouts[player]
        self.hands = PublicHands(form, player)
        self.parent = layout.parent
        self.policy = layout.uniform_policy()
        self.regret, self.cumulative_plan = np.zeros((2, len(self.policy)))
        self.parent_counted = np.zeros(len(self.parent))
        # The regrets of samples differ from 0 by more than rounding.
        self.tolerance = np.zeros(len(self.parent))
        self.plan = np.ones(len(self.policy))
        self._gradient = np.zeros(len(self.policy))
        # Centered: otherwise regrets would depend on a constant added to the payoffs, because draws
        # have different probabilities for different hands.
        centered = form.centered
        self._terminal = terminals_of_terms(centered, player)
        self._payoffs = with_weights(
            public_payoffs(centered, player, form.layouts), 1.0 / chance.probability[self._terminal]
        )
        self._weights_of_hand = np.zeros_like(self._payoffs.other_weight)
        self._all_groups = layout.groups
        self._node, self._groups = _groups_by_node(
            layout.groups, form.public_states[player][layout.infostate]
        )

    def groups_at(self, drawn: Drawn) -> IndexArray:
        """Return the parts of groups at the sampled nodes, parents first."""
        return self._groups[drawn.nodes[self._node]]

    def count(self, groups: IndexArray) -> None:
        """Update the cumulative plan at parts of groups; see `count_groups`."""
        count_groups(groups, self.parent, self.policy, self.cumulative_plan, self.parent_counted)

    def all_counted(self) -> FloatArray:
        """Return [Q] the cumulative plan, updated everywhere, without changing the state."""
        plan, counted = self.cumulative_plan.copy(), self.parent_counted.copy()
        count_groups(self._all_groups, self.parent, self.policy, plan, counted)
        return plan

    def gradient(self, drawn: Drawn, other: _Player) -> FloatArray:
        """Return [Q] the estimated gradient against the opponent's plan, or against one hand."""
        payoffs = with_terms(self._payoffs, np.flatnonzero(drawn.terminals[self._terminal]))
        if drawn.hand is None:
            public_gradient(payoffs, other.plan, self._gradient)
            return self._gradient
        # Other hands have weight 0. The weight of the sampled hand is divided by its probability.
        width = len(other.hands.probability)
        # Weights are rows of hands, one row after another: those of one hand are `width` apart.
        of_hand = slice(drawn.hand, None, width)
        self._weights_of_hand[of_hand] = (
            payoffs.other_weight[of_hand] / other.hands.probability[drawn.hand]
        )
        one_hand = payoffs._replace(other_weight=self._weights_of_hand)
        public_gradient(one_hand, other.plan, self._gradient)
        self._weights_of_hand[of_hand] = 0.0
        return self._gradient


def _uniform_reach(form: PublicForm, player: Player) -> FloatArray:
    """Return [T] a player's own reach of each terminal under the uniform policy."""
    layout = form.layouts[player]
    plan = np.ones(layout.num_sequences)
    realize_policy(layout.groups, layout.parent, layout.uniform_policy(), plan)
    start = form.sequences[player].start[form.terminal_sequence[:, player]]
    reach: FloatArray = plan[layout.positions(start)]
    return reach


def _groups_by_node(groups: IndexArray, node: IntArray) -> tuple[LongArray, IndexArray]:
    """Return the public node of each part of a group, and the parts in the order of the groups.

    node: [I] the public node of each infostate, in the order of the groups.
    """
    nodes, parts = [np.zeros(0, np.int64)], [np.zeros((0, 5), np.int64)]
    for base, stride, actions, infostate, size in groups.astype(np.int64):
        here = node[infostate : infostate + size]
        # A group spans public nodes; each run of infostates of one node becomes a part.
        first = np.flatnonzero(is_new(here))
        sizes = np.diff(np.append(first, size))
        same = np.ones_like(first)
        # The five columns of a group, as in `Layout`; a part keeps the stride of its group.
        columns = (base + first, stride * same, actions * same, infostate + first, sizes)
        nodes.append(here[first].astype(np.int64))
        parts.append(np.stack(columns, axis=1))
    return np.concatenate(nodes), np.concatenate(parts).astype(np.uint32)
