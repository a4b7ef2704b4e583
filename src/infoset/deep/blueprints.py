"""Blueprints on the device, and the policies into which transformations change them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from infoset.deep.device_games import DeviceGame, State
from infoset.deep.episodes import Rows
from infoset.deep.networks import PolicyValueNetwork, legal_exp, legal_log_softmax
from infoset.deep.tree_rules import TreeRules
from infoset.policy import ActionTable, TabularPolicy, Transformation
from infoset.policy.transformations import NO_ACTION


class Blueprint(eqx.Module):
    """A policy for both players on the device."""

    @abstractmethod
    def probabilities(self, device: DeviceGame, state: State, rows: Rows) -> Array:
        """Return [B, A] the policy at B decisions; 0 for illegal actions."""


class TableBlueprint(Blueprint):
    """A table of probabilities [I, A] at the infostates of `TreeRules`."""

    table: Array

    @classmethod
    def of(cls, rules: TreeRules, policy: TabularPolicy) -> TableBlueprint:
        """Return a tabular policy for the game of the rules."""
        rank = np.asarray(rules.rank)
        sizes = (rank >= 0).sum(axis=1)
        # Without the empty sequences, sequences are sorted by infostate and rank.
        flat = np.concatenate([values[1:] for values in policy.probabilities])
        place = (np.cumsum(sizes) - sizes)[:, None] + rank
        return cls(jnp.asarray(np.where(rank >= 0, flat[place], 0.0), jnp.float32))

    def probabilities(self, device: DeviceGame, state: State, rows: Rows) -> Array:
        """Return the rows of the table."""
        assert isinstance(device, TreeRules)
        return jnp.where(rows.legal, self.table[device.infostate(state)], 0.0)


class NetworkBlueprint(Blueprint):
    """The policy of a network."""

    network: PolicyValueNetwork

    def probabilities(self, device: DeviceGame, state: State, rows: Rows) -> Array:
        """Evaluate the network at the rows."""
        log_policy = legal_log_softmax(self.network(rows.features)[0], rows.legal)
        return legal_exp(log_policy, rows.legal)


def profile_policies(
    device: DeviceGame, transformations: Sequence[Transformation], rows: Rows, policy: Array
) -> Array:
    """Return [M, B, A] the policy of the acting player under each of M = 2n - 1 profiles.

    The profiles are those of `infoset.evaluation.TransformedValues`.

    Parameters
    ----------
    transformations
        n transformations, the first of which is the identity.
    rows
        B decisions.
    policy
        [B, A] the blueprint.
    """
    sizes = jnp.asarray(device.phase_sizes)[rows.player]
    table = ActionTable(
        actions=device.actions,
        column=jnp.where(rows.legal, jnp.arange(device.num_actions), NO_ACTION),
        number=jnp.asarray(device.action_numbers)[rows.player],
        phase_size=jnp.where(rows.legal, sizes, 0).max(axis=1),
    )
    changed = [row.apply(policy, table) for row in transformations[1:]]
    return jnp.stack(
        [
            policy,
            *(
                jnp.where((rows.player == player)[:, None], other, policy)
                # First the profiles in which player 1 plays otherwise, then player 0.
                for player in (1, 0)
                for other in changed
            ),
        ]
    )
