"""Export of games to OpenSpiel, and exchange of tabular policies in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from infoset.efg import rules_of
from infoset.errors import PolicyMismatchError, UnsupportedGameError
from infoset.game import Game
from infoset.interop.openspiel.game import OpenSpielGame
from infoset.interop.openspiel.states import import_pyspiel
from infoset.policy import TabularPolicy
from infoset.tree import GameTree, build_tree
from infoset.typing import FloatArray, Player

if TYPE_CHECKING:
    from infoset.interop.openspiel.exported_game import ExportedGame


PURPOSE = "exchanging policies with OpenSpiel"
SUM_TOLERANCE = 1e-6


def to_openspiel(game: Game | GameTree, *, cached: bool = True) -> Any:
    """Convert a game to a `pyspiel.Game` for OpenSpiel's algorithms in Python and C++.

    A state of the result is a position in the game tree, so states are quick to copy and have the
    same infostates as in this library. The actions of all players share one numbering. A transition
    to several world states becomes a separate chance move. Simultaneous moves remain simultaneous;
    for algorithms that need sequential moves, use `pyspiel.convert_to_turn_based`. A game that was
    loaded from OpenSpiel is returned unchanged.

    Parameters
    ----------
    cached
        If True, OpenSpiel's `cached_tree` stores the states in C++ when they are first visited, and
        repeated traversals are as fast as those of OpenSpiel's own games. The wrapper is only used
        for games with imperfect information and without simultaneous moves, because it declares
        every game to be such a game. It has no `make_py_observer`.

    Returns
    -------
    pyspiel.Game

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    GameTooLargeError
        If the game does not fit in memory.
    ParameterError
        If `game` is not a game. The message shows how to convert an extensive form or a name.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> state = to_openspiel(load_game("kuhn_poker")).new_initial_state()
    >>> state.apply_action(0)
    >>> state.information_state_string(0), state.legal_actions()
    ('0: [J]', [0, 1])
    """
    pyspiel = import_pyspiel("using a game in OpenSpiel")
    rules = rules_of(game)
    if isinstance(rules, OpenSpielGame):
        return rules.pyspiel_game
    exported = export(game)
    kind = exported.get_type()
    is_cacheable = (
        kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        and kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    )
    return pyspiel.convert_to_cached_tree(exported) if cached and is_cacheable else exported


def export(game: Game | GameTree) -> ExportedGame:
    """Return a game as a Python subclass of `pyspiel.Game`."""
    from infoset.interop.openspiel.exported_game import ExportedGame

    return ExportedGame(game if isinstance(game, GameTree) else build_tree(game))


def policy_to_openspiel(policy: TabularPolicy, tree: Game | GameTree) -> Any:
    """Convert a policy to an OpenSpiel table for OpenSpiel's Python and C++ code.

    Parameters
    ----------
    tree
        The policy's game; for rules, the tree is built.

    Returns
    -------
    open_spiel.python.policy.TabularPolicy
        A policy of `to_openspiel(tree)`, which is OpenSpiel's own game if the game was loaded from
        OpenSpiel. OpenSpiel's `python_policy_to_pyspiel_policy` converts it to a
        `pyspiel.TabularPolicy`.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    PolicyMismatchError
        If the policy is for another game.
    UnsupportedGameError
        If the policy differs between infostates with the same OpenSpiel string.

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
    tree = _tree_of(tree)
    if policy.form.fingerprint != tree.sequence_form.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {policy.form.name}, but the tree is of {tree.game}; give "
            "the tree of the policy's game"
        )
    decisions = list(list_decisions(tree))
    states = {number: decision.state for number, decision in enumerate(decisions)}
    new_table = import_module("open_spiel.python.policy").TabularPolicy
    table = new_table(to_openspiel(tree), states=states)
    # NaN marks rows that are not written yet: several infostates may share one.
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


def policy_from_openspiel(policy: Any, tree: Game | GameTree) -> TabularPolicy:
    """Convert an OpenSpiel policy to a tabular policy of a game tree.

    Parameters
    ----------
    policy : open_spiel.python.policy.Policy or pyspiel.Policy
        Any policy that returns the action probabilities of a state, such as a table or a policy
        that an OpenSpiel solver returns.
    tree
        The game; for rules, the tree is built. The policy belongs to `to_openspiel(tree)`.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    PolicyMismatchError
        If the policy does not return a distribution over the legal actions of some infostate.

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
    tree = _tree_of(tree)
    weights = [np.ones(one.num_sequences) for one in tree.infostate_trees]
    for decision in list_decisions(tree):
        found = ask(policy, decision)
        values = np.array([found.get(number, 0.0) for number in decision.numbers])
        if not (values >= 0).all() or abs(values.sum() - 1) > SUM_TOLERANCE:
            raise PolicyMismatchError(
                f"the policy gives the actions {decision.numbers} of player {decision.player} at "
                f"{decision.key!r} the probabilities {values.tolist()}; pass a policy for "
                f"to_openspiel({tree.game}), with a distribution at every infostate"
            )
        decision.values(weights)[:] = values
    return TabularPolicy.from_weights(tree.sequence_form, weights)


def _tree_of(game: Game | GameTree) -> GameTree:
    return game if isinstance(game, GameTree) else build_tree(rules_of(game))


class Decision(NamedTuple):
    """An acting infostate and its counterpart in OpenSpiel."""

    player: Player
    first_sequence: int
    """Position of its first action in a policy array [Q]."""
    numbers: list[int]
    """OpenSpiel's numbers of its actions, in the order of this library."""
    state: Any
    """An OpenSpiel state at the infostate."""
    key: str
    """The string that identifies it in OpenSpiel's tables."""

    def values(self, arrays: Sequence[FloatArray]) -> FloatArray:
        """Return the entries of the decision's actions in policy arrays (one [Q] per player)."""
        return arrays[self.player][self.first_sequence :][: len(self.numbers)]


def ask(policy: Any, decision: Decision) -> Mapping[int, float]:
    """Return the action probabilities of an OpenSpiel policy; empty if the policy has none here."""
    pyspiel = import_pyspiel(PURPOSE)
    arguments: tuple[Any, ...] = decision.state, decision.player
    if isinstance(policy, pyspiel.Policy):  # policies written in C++ do not take a player
        arguments = (decision.key if decision.state.is_simultaneous_node() else decision.state,)
    try:
        found: Mapping[int, float] = policy.action_probabilities(*arguments)
    except (KeyError, pyspiel.SpielError):
        return {}
    return found


def list_decisions(tree: GameTree) -> Iterator[Decision]:
    """Yield the acting infostates of a tree, each at its first history, with OpenSpiel states."""
    find = finder(tree)
    for player, infostates in enumerate(tree.infostate_trees):
        first_history = np.unique(tree.infostate[:, player], return_index=True)[1]
        for infostate in infostates.acting.tolist():
            state, number_of = find(int(first_history[infostate]), player)
            has_strings = state.get_game().get_type().provides_information_state_string
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
"""Function that returns OpenSpiel's state at a history and the numbers of a player's actions."""


def finder(tree: GameTree) -> Finder:
    """Return a function from histories of a tree to OpenSpiel states."""
    rules = tree.game
    if not isinstance(rules, OpenSpielGame):
        game = export(tree)
        numbers = dict(zip(game.compiled.actions, count(), strict=False))
        return lambda history, player: (game.state_at(history), numbers)

    def find(history: int, player: Player) -> tuple[Any, Mapping[Any, int]]:
        world = tree.graph.worlds[tree.world[history]]
        return rules.state_at(world), rules.action_numbers(world, player)

    return find


def merged_error(tree: GameTree, decision: Decision) -> UnsupportedGameError:
    """Return the error for infostates that share a row of OpenSpiel's table."""
    return UnsupportedGameError(
        f"OpenSpiel has one information state, {decision.key!r}, for several infostates of player "
        f"{decision.player} in {tree.game}, but the policy differs between these infostates and "
        "cannot be written to one row of OpenSpiel's table"
    )
