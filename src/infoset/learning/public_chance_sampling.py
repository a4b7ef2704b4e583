"""Monte Carlo CFR on public forms: public chance is sampled, and all hands are computed."""

from __future__ import annotations

from collections.abc import Mapping
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
from infoset.learning.public_chance import Drawn, PublicChance
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, realize_below, update_regrets
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player, StateArrays
from infoset.utils.arguments import check_count
from infoset.utils.interrupts import interrupts_held
from infoset.utils.splitmix import make_stream
from infoset.utils.state import IterativeState, name_by_player

__all__ = ["PublicChanceSampling"]


class PublicChanceSampling(IterativeState):
    """Self-play of chance-sampled CFR on a public form, in which the players alternate.

    In an episode, one outcome of each public chance move is drawn. One player computes its
    counterfactual values against all hands of the opponent in what is left of the public tree,
    divided by the probabilities of the draws, and updates its regrets there for all of its hands.
    The expected values are those of CFR.

    Parameters
    ----------
    form : PublicForm
        A game with any payoffs; averages approach an equilibrium if these have a constant sum.
    settings : mapping
        The parameters of the learner, by name.
    clip_regrets : bool
        Whether negative cumulative regrets are reset to 0, as in regret matching+.
    seed : int

    Notes
    -----
    Source: Johanson, Bard, Lanctot, Gibson and Bowling (2012), "Efficient Nash equilibrium
    approximation through Monte Carlo counterfactual regret minimization" (public chance sampling).
    """

    def __init__(
        self, form: PublicForm, settings: Mapping[str, Any], clip_regrets: bool, seed: int
    ) -> None:
        super().__init__()
        self.form = form
        self.seed = seed
        self._settings = settings
        self._row = SCHEMES["cfr+" if clip_regrets else "cfr"].schedule(1, 1)[0]
        self._chance = PublicChance(form)
        self._players = tuple(_Player(form, player, self._chance) for player in range(2))
        self._stream = make_stream(seed)

    @property
    def cost_per_iteration(self) -> int:
        """Approximate number of array elements read in an episode."""
        share = float(self._chance.probability.mean())
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
                self.learn(self.iteration % 2, self._chance.draw(self._stream))
                self._done += 1

    def learn(self, player: Player, drawn: Drawn) -> None:
        """Update the regrets and the average of a player, given the outcomes of chance."""
        own, other = self._players[player], self._players[1 - player]
        groups = own.groups_at(drawn)
        realize_policy(other.groups_at(drawn), other.parent, other.policy, other.plan)
        own.average[0] += 1.0
        realize_below(self._row, True, groups, own.parent, own.policy, own.plan, own.average)
        gradient = own.gradient(drawn, other.plan)
        no_predictions = np.zeros(0), np.zeros((2, 0))
        update_regrets(
            groups, own.parent, self._row, -1.0, gradient, own.regret, own.policy, *no_predictions
        )

    def _state_arrays(self) -> StateArrays:
        arrays = name_by_player(
            policy=[own.policy for own in self._players],
            regret=[own.regret for own in self._players],
            average=[own.average for own in self._players],
        )
        return {"stream": self._stream, **arrays}

    def policy(self) -> TabularPolicy:
        """Return the average policy, weighted by own reach; uniform where no episode has been."""
        return self._to_policy([own.average for own in self._players])

    def current_policy(self) -> TabularPolicy:
        """Return the policies of the next episode."""
        return self._to_policy([own.policy for own in self._players])

    def _to_policy(self, weights: list[FloatArray]) -> TabularPolicy:
        pairs = zip(self.form.layouts, weights, strict=True)
        return TabularPolicy.from_weights(
            self.form, [layout.to_sequences(own) for layout, own in pairs]
        )


class _Player:
    """What a player knows and has learned, in the order of the layout.

    Entries of `plan` are up to date at the infostates of the last draws only.
    """

    def __init__(self, form: PublicForm, player: Player, chance: PublicChance) -> None:
        layout = form.layouts[player]
        self.parent = layout.parent
        self.policy = layout.uniform_policy()
        self.regret, self.average = np.zeros((2, len(self.policy)))
        self.plan = np.ones(len(self.policy))
        self._gradient = np.zeros(len(self.policy))
        positions = [own.position for own in form.layouts]
        # Regrets would depend on a constant in the payoffs: hands have different chances of draws.
        centered = form.centered
        self._terminal = terminals_of_terms(centered, player)
        self._payoffs = with_weights(
            public_payoffs(centered, player, positions), 1.0 / chance.probability[self._terminal]
        )
        self._node, self._groups = _groups_by_node(
            layout.groups, form.public_states[player][layout.infostate]
        )

    def groups_at(self, drawn: Drawn) -> IndexArray:
        """Return the parts of groups at the nodes that are left, parents first."""
        return self._groups[drawn.nodes[self._node]]

    def gradient(self, drawn: Drawn, plan: FloatArray) -> FloatArray:
        """Return [Q] the estimated gradient against the opponent's plan [Q]."""
        chosen = np.flatnonzero(drawn.terminals[self._terminal])
        public_gradient(with_terms(self._payoffs, chosen), plan, self._gradient)
        return self._gradient


def _groups_by_node(groups: IndexArray, node: IntArray) -> tuple[LongArray, IndexArray]:
    """Return the public node of each part of a group, and the parts in the order of the groups.

    node: [I] the public node of each infostate, in the order of the groups.
    """
    nodes, parts = [np.zeros(0, np.int64)], [np.zeros((0, 5), np.int64)]
    for base, stride, actions, infostate, size in groups.astype(np.int64):
        here = node[infostate : infostate + size]
        first = np.flatnonzero(is_new(here))
        sizes = np.diff(np.append(first, size))
        same = np.ones_like(first)
        columns = (base + first, stride * same, actions * same, infostate + first, sizes)
        nodes.append(here[first].astype(np.int64))
        parts.append(np.stack(columns, axis=1))
    return np.concatenate(nodes), np.concatenate(parts).astype(np.uint32)
