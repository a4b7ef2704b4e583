"""Tabular policies to and from OpenSpiel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from infoset.errors import PolicyMismatchError, UnsupportedGameError
from infoset.interop.openspiel._spec import import_pyspiel
from infoset.interop.openspiel.export import to_openspiel
from infoset.interop.openspiel.game import OpenSpielGame
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, Player

__all__ = ["policy_from_openspiel", "policy_to_openspiel"]

PURPOSE = "exchanging policies with OpenSpiel"
SUM_TOLERANCE = 1e-6


def policy_to_openspiel(policy: TabularPolicy, tree: GameTree) -> Any:
    """Return a policy as a table of OpenSpiel's, for its Python and C++ code.

    Parameters
    ----------
    policy : TabularPolicy
    tree : GameTree
        The compiled game that the policy is for.

    Returns
    -------
    open_spiel.python.policy.TabularPolicy
        For `to_openspiel(tree)`, which for a game loaded from OpenSpiel is that game itself.
        OpenSpiel's `python_policy_to_pyspiel_policy` makes a `pyspiel.TabularPolicy` of it.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    PolicyMismatchError
        If the policy is for another game.
    UnsupportedGameError
        If OpenSpiel's strings do not tell apart two infostates where the policy differs.

    Examples
    --------
    >>> import infoset
    >>> from open_spiel.python.algorithms.exploitability import exploitability
    >>> tree = infoset.build_tree(infoset.load("kuhn_poker"))
    >>> spiel_policy = policy_to_openspiel(infoset.solve(tree, "lp").policy, tree)
    >>> bool(exploitability(spiel_policy.game, spiel_policy) < 1e-9)
    True
    """
    import_pyspiel(PURPOSE)
    if policy.sequence_form.fingerprint != tree.sequence_form.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {policy.sequence_form.name}, the tree is {tree.game}; give the "
            "tree of the policy's game"
        )
    game = to_openspiel(tree)
    decisions = list(list_decisions(tree, game))
    states = {number: decision.state for number, decision in enumerate(decisions)}
    table = import_module("open_spiel.python.policy").TabularPolicy(game, states=states)
    table.action_probability_array[:] = np.nan
    for decision in decisions:
        row = table.policy_for_key(decision.key)
        values = decision.values(policy.probabilities)
        known = row[decision.numbers]
        if not np.isnan(known).all() and not np.array_equal(known, values):
            raise merged_error(tree, decision)
        row[:] = 0.0
        row[decision.numbers] = values
    return table


def policy_from_openspiel(policy: Any, tree: GameTree) -> TabularPolicy:
    """Return a policy of OpenSpiel's as a table for a compiled game.

    Parameters
    ----------
    policy : open_spiel.python.policy.Policy or pyspiel.Policy
        Any policy that gives the action probabilities of a state: tables, and what OpenSpiel's
        solvers return.
    tree : GameTree
        The compiled game; the policy is for `to_openspiel(tree)`.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    PolicyMismatchError
        If the policy says nothing of an infostate, or no distribution over its legal actions.

    Examples
    --------
    >>> import infoset, pyspiel
    >>> tree = infoset.build_tree(infoset.load("openspiel:kuhn_poker"))
    >>> solver = pyspiel.CFRSolver(tree.game.pyspiel_game)
    >>> solver.evaluate_and_update_policy()
    >>> policy = policy_from_openspiel(solver.average_policy(), tree)
    >>> round(infoset.exploitability(policy), 6)
    0.458333
    """
    import_pyspiel(PURPOSE)
    weights = [np.ones(one.num_sequences) for one in tree.infostate_trees]
    for decision in list_decisions(tree, to_openspiel(tree)):
        found = ask(policy, decision)
        values = np.array([found.get(number, 0.0) for number in decision.numbers])
        if not (values >= 0).all() or abs(values.sum() - 1) > SUM_TOLERANCE:
            raise PolicyMismatchError(
                f"the policy gives the actions {decision.numbers} of player {decision.player} at "
                f"{decision.key!r} the probabilities {values.tolist()}; it is to be a policy for "
                f"to_openspiel({tree.game}), with a distribution at every infostate"
            )
        decision.values(weights)[:] = values
    return TabularPolicy.from_weights(tree.sequence_form, weights)


class Decision(NamedTuple):
    """An acting infostate, here and in OpenSpiel.

    Attributes
    ----------
    player : Player
    first_sequence : int
        Where the probabilities of its actions begin.
    numbers : list[int]
        OpenSpiel's numbers of its actions, in their order here.
    state : pyspiel.State
        A state at which the player knows this.
    key : str
        By which OpenSpiel's tables know it.
    """

    player: Player
    first_sequence: int
    numbers: list[int]
    state: Any
    key: str

    def values(self, arrays: Sequence[FloatArray]) -> FloatArray:
        """Return the part of arrays per player [Q] that belongs to its actions."""
        return arrays[self.player][self.first_sequence :][: len(self.numbers)]


def ask(policy: Any, decision: Decision) -> Mapping[int, float]:
    """Return what a policy of OpenSpiel's says of an infostate; nothing where it fails to."""
    pyspiel = import_pyspiel(PURPOSE)
    arguments: tuple[Any, ...] = decision.state, decision.player
    if isinstance(policy, pyspiel.Policy):  # those in C++ name no player
        arguments = (decision.key if decision.state.is_simultaneous_node() else decision.state,)
    try:
        found: Mapping[int, float] = policy.action_probabilities(*arguments)
    except (KeyError, pyspiel.SpielError):
        return {}
    return found


def list_decisions(tree: GameTree, game: Any) -> Iterator[Decision]:
    """Yield the acting infostates, each at its first history, of a tree and its game there."""
    find = finder(tree, game)
    has_strings = game.get_type().provides_information_state_string
    for player, infostates in enumerate(tree.infostate_trees):
        first_history = np.unique(tree.infostate[:, player], return_index=True)[1]
        for infostate in infostates.acting.tolist():
            state, number_of = find(int(first_history[infostate]), player)
            yield Decision(
                player,
                int(infostates.first_sequence[infostate]),
                [number_of[action] for action in infostates.legal_actions(infostate)],
                state,
                state.information_state_string(player)
                if has_strings
                else state.observation_string(player),
            )


Finder: TypeAlias = Callable[[int, Player], tuple[Any, Mapping[Any, int]]]
"""Gives OpenSpiel's state at a history, and the numbers of a player's actions there."""


def finder(tree: GameTree, game: Any) -> Finder:
    """Return what finds histories of a tree in its game of OpenSpiel's."""
    rules = tree.game
    if not isinstance(rules, OpenSpielGame):
        numbers = dict(zip(game.compiled.actions, count(), strict=False))
        return lambda history, player: (game.state_at(history), numbers)

    def find(history: int, player: Player) -> tuple[Any, Mapping[Any, int]]:
        world = tree.graph.worlds[tree.world[history]]
        return rules.state_at(world), rules.action_numbers(world, player)

    return find


def merged_error(tree: GameTree, decision: Decision) -> UnsupportedGameError:
    """Return the error for infostates that OpenSpiel's tables cannot tell apart."""
    return UnsupportedGameError(
        f"OpenSpiel tells player {decision.player} {decision.key!r} at several infostates of "
        f"{tree.game}, and the policy differs between them; its tables have one row for all"
    )
