"""Policies that a network computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import jax.numpy as jnp
import numpy as np

from infoset.deep.fine_tuning import fine_tune
from infoset.deep.network_inputs import NetworkInput
from infoset.deep.networks import PolicyValueNetwork, legal_log_softmax
from infoset.forms import AnyForm
from infoset.game import Infostate
from infoset.policy import TabularPolicy
from infoset.typing import Action, BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class NetworkPolicy:
    """The policy of a network, for both players."""

    network: PolicyValueNetwork
    inputs: NetworkInput
    """How infostates and actions correspond to the network's inputs and outputs."""
    is_fine_tuned: bool = False
    """Whether improbable actions are dropped and the others rounded, see `fine_tune`."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 digest of the weights, by which critics recognize their blueprint."""
        digest = sha256()
        for array in (*self.network.weights, *self.network.biases):
            digest.update(np.asarray(array).astype("<f4").tobytes())
        return digest.hexdigest()

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate.

        Raises
        ------
        UnknownNameError
            If the infostate or an action does not occur in the game of the network.
        """
        columns = self._columns(legal_actions)
        legal = np.zeros((1, len(self.inputs.actions)), bool)
        legal[0, columns] = True
        probabilities: FloatArray = self._table([infostate], legal)[0, columns]
        return probabilities

    def many_action_probabilities(
        self, infostates: Sequence[Infostate], legal_actions: Sequence[Sequence[Action]]
    ) -> list[FloatArray]:
        """Return [R] the probabilities at several infostates, by one evaluation of the network.

        Raises
        ------
        UnknownNameError
            If an infostate or an action does not occur in the game of the network.
        """
        columns = [self._columns(legal) for legal in legal_actions]
        # Sizes are rounded up to powers of two, because each new size is compiled.
        size = 1 << max(len(infostates) - 1, 0).bit_length()
        missing = size - len(infostates)
        legal = np.zeros((size, len(self.inputs.actions)), bool)
        for row, of_row in enumerate([*columns, *[columns[0]] * missing]):
            legal[row, of_row] = True
        table = self._table([*infostates, *[infostates[0]] * missing], legal)
        return [table[row, of_row] for row, of_row in enumerate(columns)]

    def tabulate(self, form: AnyForm) -> TabularPolicy[AnyForm]:
        """Return the policy at all infostates of a game, by one evaluation of the network.

        Raises
        ------
        UnknownNameError
            If an infostate or an action does not occur in the game of the network.
        """
        places = [
            (player, number)
            for player in range(form.num_players)
            # Several labels may name one infostate, which is evaluated once.
            for number in dict.fromkeys(dict(form.labeled_infostates(player)).values())
        ]
        columns = [self._columns(form.actions_at(*place)) for place in places]
        legal = np.zeros((len(places), len(self.inputs.actions)), bool)
        for row, of_row in enumerate(columns):
            legal[row, of_row] = True
        table = self._table([form.infostate_at(*place) for place in places], legal)
        answers = iter(table[row, of_row] for row, of_row in enumerate(columns))
        weights = [np.ones(plex.num_sequences) for plex in form.treeplexes]
        for (player, number), answer in zip(places, answers, strict=True):
            first = int(form.treeplexes[player].first_sequence[number])
            weights[player][first : first + len(answer)] = answer
        return TabularPolicy.from_weights(form, weights)

    def _columns(self, legal_actions: Sequence[Action]) -> list[int]:
        return [self.inputs.output(action) for action in legal_actions]

    def _table(self, infostates: Sequence[Infostate], legal: BoolArray) -> FloatArray:
        """Return [R, A] the probabilities at infostates; 0 for illegal actions."""
        features = jnp.asarray(self.inputs.features(infostates))
        log_policy = legal_log_softmax(self.network(features)[0], jnp.asarray(legal))
        table = np.where(legal, np.exp(np.asarray(log_policy, np.float64)), 0.0)
        table /= table.sum(axis=1, keepdims=True)
        return fine_tune(table) if self.is_fine_tuned else table
