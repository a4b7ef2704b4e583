"""Policies of product forms: flat arrays of probabilities, and conversion from and to tables."""

from __future__ import annotations

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.forms import SequenceForm
from infoset.policy import TabularPolicy, check_policy, uniform_policy
from infoset.teams.product_form import ProductForm, Source
from infoset.teams.product_form._product_form_kernels import reach_nodes
from infoset.teams.product_form.form import InformationMap, check_information
from infoset.tree import GameTree
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import SUM_TOLERANCE, check_type
from infoset.utils.ragged import offsets, spread


def expected_payoffs(information: InformationMap, probability: FloatArray) -> FloatArray:
    """Return [P] the expected payoff of each agent.

    Parameters
    ----------
    probability
        [entries] probabilities of the actions; those of cell m begin at
        `information.first_entry[m]`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> information = build_product_form(
    ...     load_game("cooperative_matching_pennies")
    ... ).information
    >>> always_pass = np.array([1, 0, 1, 0, 0, 0, 1, 0, 0, 1.0])
    >>> expected_payoffs(information, always_pass).tolist()
    [0.0, 0.0]
    """
    check_probabilities(information, probability)
    arrays = information.form.arrays
    first_entry = information.first_entry[information.cell]
    _, reach = reach_nodes(arrays, first_entry, np.asarray(probability, np.float64))
    return np.asarray(reach[arrays.payoff_edge] @ arrays.payoff)


def check_probabilities(information: InformationMap, probability: FloatArray) -> None:
    """Raise unless probabilities are a policy for an information map."""
    check_information(information)
    if np.shape(probability) != (information.num_entries,):
        raise ParameterError(
            f"probabilities for the information map {information.name!r} have shape "
            f"{np.shape(probability)}; there are {information.num_entries} actions in its cells, "
            "and each needs one probability"
        )
    sums = np.add.reduceat(probability, information.first_entry[:-1])
    wrong = np.flatnonzero(~(np.abs(sums - 1) <= SUM_TOLERANCE))
    if len(wrong) or not (np.asarray(probability) >= 0).all():
        where = f"those of cell {wrong[0]} sum to {sums[wrong[0]]}" if len(wrong) else "one is < 0"
        raise ParameterError(
            f"probabilities for the information map {information.name!r} are not a policy: "
            f"{where}; the probabilities of each cell must be non-negative and sum to 1"
        )


def random_probabilities(information: InformationMap, rng: np.random.Generator) -> FloatArray:
    """Return [entries] a policy drawn uniformly from the simplex of each cell."""
    check_information(information)
    check_type("rng", rng, np.random.Generator, "a generator, such as np.random.default_rng(0)")
    weight = rng.standard_exponential(information.num_entries)
    sums = np.add.reduceat(weight, information.first_entry[:-1])
    return np.asarray(weight / np.repeat(sums, information.num_actions))


def from_tabular(information: InformationMap, policy: TabularPolicy) -> FloatArray:
    """Return [entries] a policy of a game as a policy for an information map of its product form.

    Parameters
    ----------
    information
        Agents must know at least what they know in the game.

    Raises
    ------
    ParameterError
        If agents know less than in the game, or the form was not built from a game.
    PolicyMismatchError
        If the policy belongs to another tree.
    """
    check_information(information)
    check_policy(policy)
    source = _source(information.form)
    if policy.form is not source.tree.sequence_form:
        raise PolicyMismatchError(
            f"the policy and {information.form} were built from different trees; build both from "
            "one tree: build_product_form(tree), tree.sequence_form"
        )
    first = _first_sequences(information.form)
    of_cell = first[information.first_node]
    if (first != of_cell[information.cell]).any():
        raise ParameterError(
            f"under the information map {information.name!r} agents know less than in the game, so "
            "they cannot follow a policy of the game; give a map that refines form.information"
        )
    # The last value is for nodes where an agent only waits: one action, with probability 1.
    values = np.concatenate([*policy.probabilities, [1.0]])
    # The entries of a cell are, in order, the sequences of its infostate.
    row, position = spread(information.num_actions)
    return np.asarray(values[of_cell[row] + position])


def to_tabular(information: InformationMap, probability: FloatArray) -> TabularPolicy:
    """Return a policy for an information map as a policy of the game that its form was built from.

    Infostates without a node, such as those after the payoff is decided, get the uniform policy.

    Parameters
    ----------
    information
        Agents must know no more than in the game.
    probability
        [entries]

    Raises
    ------
    ParameterError
        If agents know more than in the game, the form was not built from a game, or the policy is
        invalid.
    """
    check_probabilities(information, probability)
    form = information.form
    sequence_form = _source(form).tree.sequence_form
    first = _first_sequences(form)
    _, nodes, infostate = np.unique(first, return_index=True, return_inverse=True)
    if (information.cell != information.cell[nodes][infostate]).any():
        raise ParameterError(
            f"under the information map {information.name!r} agents know more than in the game, so "
            "a policy for this map cannot be played; project it on the original map first"
        )
    values = np.concatenate([*uniform_policy(sequence_form).probabilities, [1.0]])
    row, position = spread(form.num_actions[nodes])
    entry = information.first_entry[information.cell[nodes]][row] + position
    values[first[nodes][row] + position] = probability[entry]
    parts = np.split(values, _player_offsets(sequence_form)[1:])
    # The last part is the value of nodes where an agent only waits.
    return TabularPolicy(sequence_form, tuple(parts[:-1]))


def _source(form: ProductForm) -> Source:
    if form.source is None:
        raise ParameterError(
            f"{form} was not built from a game's histories, so its policies cannot be converted to "
            "tables; build the form with build_product_form(game), if its histories fit in memory"
        )
    return form.source


def _first_sequences(form: ProductForm) -> LongArray:
    """Return [N] the first sequence of each node's actions, numbered over all players.

    At nodes where an agent only waits, the number is one past the last sequence.
    """
    source = _source(form)
    first = _player_offsets(source.tree.sequence_form)
    result = np.full(form.num_nodes, first[-1])
    for player, own in enumerate(source.tree.sequence_form.infostate_trees):
        nodes = np.flatnonzero((form.arrays.agent == player) & (source.infostate >= 0))
        result[nodes] = first[player] + own.first_sequence[_numbers(source, player, nodes)]
    return result


def _player_offsets(form: SequenceForm) -> LongArray:
    """Return [P + 1] the first sequence of each player in the list of all sequences."""
    return offsets(np.array([treeplex.num_sequences for treeplex in form.treeplexes]))


def _numbers(source: Source, player: int, nodes: LongArray) -> LongArray:
    """Return [n] the index in its treeplex of the player's infostate at each of some nodes."""
    known = source.infostate[nodes]
    if isinstance(source.tree, GameTree):
        return known
    # Treeplexes have the root as number 0, and after it the information sets where it acts.
    acting = np.unique(source.tree.acting_infoset[:, player])
    return 1 + np.searchsorted(acting[acting >= 0], known)
