"""Policies that a network computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from infoset.deep._encoded_shape_kernels import scatter_actions
from infoset.deep.device_games import StepEncoder
from infoset.deep.encoded_shapes import EncodedShapes
from infoset.deep.fine_tuning import fine_tune
from infoset.deep.network_inputs import NetworkInput
from infoset.deep.networks import PolicyValueNetwork, legal_log_softmax
from infoset.forms import AnyForm, InfostateShapes
from infoset.game import Infostate
from infoset.policy import TabularPolicy
from infoset.typing import Action, BoolArray, FloatArray

MAX_BATCH = 1 << 14
"""Maximum number of infostates in one evaluation of a network on a world form."""


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
        size = _padded(len(infostates))
        missing = size - len(infostates)
        legal = np.zeros((size, len(self.inputs.actions)), bool)
        for row, of_row in enumerate([*columns, *[columns[0]] * missing]):
            legal[row, of_row] = True
        table = self._table([*infostates, *[infostates[0]] * missing], legal)
        return [table[row, of_row] for row, of_row in enumerate(columns)]

    def tabulate(self, form: AnyForm) -> TabularPolicy[AnyForm]:
        """Return the policy at all infostates of a game.

        On a world form, infostates are encoded by shapes, and the network is evaluated in batches.

        Raises
        ------
        UnknownNameError
            If an infostate or an action does not occur in the game of the network.
        PolicyMismatchError
            If the network was trained on the rules of another game.
        """
        self.inputs.check_form(form)
        weights = [np.ones(plex.num_sequences) for plex in form.treeplexes]
        if form.infostate_shapes is None:
            self._fill(weights, form)
        else:
            for own, shapes in zip(weights, form.infostate_shapes, strict=True):
                encoder = self.inputs.step_encoder(shapes.player)
                if encoder is None:
                    self._fill_one_by_one(own, shapes)
                else:
                    self._fill_by_shapes(own, shapes, encoder)
        return TabularPolicy.from_weights(form, weights)

    def _fill(self, weights: list[FloatArray], form: AnyForm) -> None:
        """Fill in the probabilities of all players, per player [Q], by one evaluation."""
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
        for (player, number), answer in zip(places, answers, strict=True):
            first = int(form.treeplexes[player].first_sequence[number])
            weights[player][first : first + len(answer)] = answer

    def _fill_by_shapes(
        self, weights: FloatArray, shapes: InfostateShapes, encoder: StepEncoder
    ) -> None:
        """Fill in the probabilities [Q] of a player from encodings by shapes."""
        encoded = EncodedShapes.of(shapes, encoder, self.inputs.num_features)
        columns = np.full((len(shapes.action_sets), len(self.inputs.actions)), -1, np.int32)
        legal = np.zeros(columns.shape, bool)
        for number in encoded.action_sets:
            found = self._columns(shapes.action_sets[number])
            columns[number, : len(found)] = found
            legal[number, found] = True
        for batch in encoded.batches(min(MAX_BATCH, _padded(encoded.num_infostates))):
            table = self._probabilities(batch.features, legal[batch.action_set])
            scatter_actions(
                table, batch.action_set[: batch.num_filled], batch.first_sequence, columns, weights
            )

    def _fill_one_by_one(self, weights: FloatArray, shapes: InfostateShapes) -> None:
        """Fill in the probabilities [Q] of a player from encodings of each infostate."""
        end = 1
        for begin in range(0, shapes.num_infostates, MAX_BATCH):
            numbers = range(begin, min(begin + MAX_BATCH, shapes.num_infostates))
            infostates = [shapes.infostate_at(number) for number in numbers]
            actions = [shapes.actions_at(number) for number in numbers]
            # Infostates, and with them their sequences, are numbered in preorder.
            for answer in self.many_action_probabilities(infostates, actions):
                weights[end : end + len(answer)] = answer
                end += len(answer)

    def _columns(self, legal_actions: Sequence[Action]) -> list[int]:
        return [self.inputs.output(action) for action in legal_actions]

    def _table(self, infostates: Sequence[Infostate], legal: BoolArray) -> FloatArray:
        """Return [R, A] the probabilities at infostates; 0 for illegal actions."""
        return self._probabilities(self.inputs.features(infostates), legal)

    def _probabilities(self, features: NDArray[np.float32], legal: BoolArray) -> FloatArray:
        """Return [R, A] the probabilities for features [R, F]; 0 for illegal actions."""
        logits, _ = self.network(jnp.asarray(features))
        log_policy = legal_log_softmax(logits, jnp.asarray(legal))
        table = np.where(legal, np.exp(np.asarray(log_policy, np.float64)), 0.0)
        table /= table.sum(axis=1, keepdims=True)
        return fine_tune(table) if self.is_fine_tuned else table


def _padded(count: int) -> int:
    """Return the smallest power of two that is not less than a count."""
    return 1 << max(count - 1, 0).bit_length()
