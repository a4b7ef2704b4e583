"""Node locking: fix the policy at some infostates, and solve the rest of the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import cast, overload

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import Behavior
from infoset.forms import (
    CenteredPayoffs,
    InfostateTree,
    PublicForm,
    SequenceForm,
    TerminalReach,
    Treeplex,
    check_sequence_form,
    contract_terminals,
    merge_reach,
    numbers_by_action,
    sequences_at,
)
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import RegretScheme
from infoset.runs import Budget, SolveResult
from infoset.solvers._locked_sequences import locked_sequences
from infoset.solvers.locked_public_game import (
    LockedPublicGame,
    PublicBehavior,
    lock_public_policy,
)
from infoset.solvers.methods import MethodSpec, get_method, run_method
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.arguments import SUM_TOLERANCE, check_type

__all__ = ["LockedGame", "lock_policy"]


@dataclass(frozen=True, eq=False)
class LockedGame:
    """A game in which chance plays for the players at some infostates; see `lock_policy`.

    Attributes
    ----------
    whole, form : SequenceForm
        The whole game, and the game in which the locked choices belong to chance. `form` works
        wherever a sequence form does; its infostates have the same labels as in the whole game.
    policy : TabularPolicy
        A policy for the whole game: the locked probabilities, and uniform elsewhere.
    sequences : tuple[LongArray, ...]
        Per player, the index in the whole game of each sequence of `form`.
    """

    whole: SequenceForm
    form: SequenceForm
    policy: TabularPolicy
    sequences: tuple[LongArray, ...]

    def solve(self, method: str | RegretScheme | MethodSpec, budget: Budget) -> SolveResult:
        """Solve the rest of the game with any method.

        Parameters
        ----------
        method : str, RegretScheme or MethodSpec
            A method as in `infoset.solve`.
        budget : Budget

        Returns
        -------
        SolveResult
            The result, with policies for the whole game. Gains, NashConv and exploitability are
            those of players who follow the locked probabilities.

        Raises
        ------
        InfosetError
            If the method is unknown or does not apply to the game.
        """
        result = run_method(get_method(method), self.form, budget)
        current = result.current_policy
        return replace(
            result,
            policy=self.complete(result.policy),
            current_policy=None if current is None else self.complete(current),
        )

    def complete(self, rest: TabularPolicy) -> TabularPolicy:
        """Return the policy for the whole game that plays `rest` at all infostates not locked.

        Raises
        ------
        PolicyMismatchError
            If `rest` is not a policy for `form`.
        """
        _check_game(rest, self.form)
        filled = [values.copy() for values in self.policy.probabilities]
        for values, own, kept in zip(filled, rest.probabilities, self.sequences, strict=True):
            values[kept] = own
        return TabularPolicy(self.whole, tuple(filled))

    def restrict(self, policy: TabularPolicy) -> TabularPolicy:
        """Return a policy for the whole game as a policy for `form`.

        Its gains are those of players who follow the locked probabilities.

        Raises
        ------
        PolicyMismatchError
            If `policy` is not a policy for the whole game.
        """
        _check_game(policy, self.whole)
        kept = zip(policy.probabilities, self.sequences, strict=True)
        return TabularPolicy(self.form, tuple(values[numbers] for values, numbers in kept))


def _check_game(policy: TabularPolicy, form: SequenceForm) -> None:
    other = policy.form
    if other is not form and other.fingerprint != form.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {other.name}, not for {form.name}; give a policy for {form.name}"
        )


@overload
def lock_policy(form: SequenceForm, behavior: Behavior) -> LockedGame: ...
@overload
def lock_policy(form: PublicForm, behavior: PublicBehavior) -> LockedPublicGame: ...
def lock_policy(
    form: SequenceForm | PublicForm, behavior: Behavior | PublicBehavior
) -> LockedGame | LockedPublicGame:
    """Return the game in which chance plays given probabilities at some infostates.

    This is exact for any number of players and any payoffs: a realization plan of the returned
    game, multiplied by the locked probabilities, is a plan of the whole game with the same payoffs.

    Parameters
    ----------
    form : SequenceForm or PublicForm
    behavior : Mapping[tuple[str, Player], Mapping[Action, float]]
        The probabilities of the actions at each infostate, given by its text and its player.
        Actions that are left out have probability 0. `{key: policy[key] for key in keys}` takes
        the probabilities from a policy. For a public form, see `lock_public_policy`.

    Raises
    ------
    UnknownNameError
        If an infostate or action is unknown.
    ParameterError
        If a player is unknown, or probabilities are negative or do not sum to 1.

    Examples
    --------
    Player 0 of Kuhn poker always bets with a jack, which costs 4/18:

    >>> from infoset.games import load_game
    >>> from infoset.runs import Budget
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> locked = lock_policy(kuhn, {("[J]", 0): {"bet": 1.0}})
    >>> result = locked.solve("lp", Budget())
    >>> round(result.values[0] * 18, 6), result.policy["[J]", 0]
    (-5.0, {'pass': 0.0, 'bet': 1.0})
    """
    if isinstance(form, PublicForm):
        return lock_public_policy(form, cast("PublicBehavior", behavior))
    check_sequence_form(form)
    return _lock_sequence_form(form, cast("Behavior", behavior))


def _lock_sequence_form(form: SequenceForm, behavior: Behavior) -> LockedGame:
    """Return the sequence form in which chance plays at some infostates."""
    check_type("behavior", behavior, Mapping, "probabilities by infostate and player")
    policy, locked = _locked_policy(form, behavior)
    reduced = [
        locked_sequences(plex, values, held)
        for plex, values, held in zip(form.treeplexes, policy.probabilities, locked, strict=True)
    ]
    trees = tuple(map(_reduced_tree, form.infostate_trees, form.treeplexes, locked))
    last, weights = [own.last for own in reduced], [own.weight for own in reduced]
    left = _reduced_form(form, trees, last, weights)
    if form.centered_payoffs is not None:
        centered = _reduced_form(form.centered, trees, last, weights)
        payoffs = CenteredPayoffs(
            centered.terminal_sequence, centered.payoff, centered.payoff_range
        )
        left = replace(left, centered_payoffs=payoffs)
    return LockedGame(form, left, policy, tuple(own.kept for own in reduced))


def _locked_policy(
    form: SequenceForm, behavior: Behavior
) -> tuple[TabularPolicy, tuple[BoolArray, ...]]:
    """Return the policy, uniform where not locked, and per player [I] whether it is locked."""
    filled = [values.copy() for values in uniform_policy(form).probabilities]
    locked = tuple(np.zeros(plex.num_infostates, dtype=bool) for plex in form.treeplexes)
    for key, actions in behavior.items():
        player, infostate = form.look_up(key)
        label = form.infostate_labels(player)[infostate]
        values = numbers_by_action(form, player, infostate, actions)
        if not (values >= 0).all() or abs(values.sum() - 1) > SUM_TOLERANCE:
            raise ParameterError(
                f"the probabilities to lock at {label!r} are {values.tolist()}; give numbers "
                "that are not negative and sum to 1"
            )
        filled[player][sequences_at(form, player, infostate)] = values
        locked[player][infostate] = True
    return TabularPolicy(form, tuple(filled)), locked


def _reduced_form(
    form: SequenceForm,
    trees: tuple[InfostateTree, ...],
    last: list[LongArray],
    weights: list[FloatArray],
) -> SequenceForm:
    """Return the form whose payoffs are multiplied by the locked probabilities."""
    # Add a terminal with payoff zero, because a form whose payoffs are all zero has no terminals.
    terminal = np.concatenate([form.terminal_sequence, np.zeros((1, form.num_players), np.int32)])
    payoff = np.concatenate([form.payoff, np.zeros((1, form.num_players))])
    reach = np.prod([own[terminal[:, p]] for p, own in enumerate(weights)], axis=0)
    columns = [own[terminal[:, p]].astype(np.int32) for p, own in enumerate(last)]
    reduced = contract_terminals(
        name=f"locked({form.name})",
        infostate_trees=trees,
        sequence=np.stack(columns, axis=1),
        chance_reach=reach,
        utility=payoff,
        num_steps=sum(plex.plan_roundings for plex in form.treeplexes),
        source=form.source,
        reach_source=partial(_reduced_reach, form, trees, last, weights),
    )
    return replace(
        reduced,
        # The reduced form was made from payoffs times chance reach, which have other midranges.
        centered_payoffs=None,
        payoff_range=form.payoff_range,
        constant_sum=form.constant_sum,
        payoff_rounding=form.payoff_rounding + reduced.payoff_rounding * _scale(form),
    )


def _reduced_reach(
    form: SequenceForm,
    trees: tuple[InfostateTree, ...],
    last: list[LongArray],
    weights: list[FloatArray],
) -> TerminalReach:
    """Return the chance reach of the reduced form; locked probabilities count as chance."""
    terminal, reach = form.terminal_reach
    reach = reach * np.prod([own[terminal[:, p]] for p, own in enumerate(weights)], axis=0)
    columns = [own[terminal[:, p]] for p, own in enumerate(last)]
    sizes = tuple(tree.num_sequences for tree in trees)
    rows = np.arange(len(terminal), dtype=np.uint32)
    return merge_reach(np.stack(columns).astype(np.uint32), sizes, rows, reach)


def _scale(form: SequenceForm) -> float:
    """Return the largest utility divided by the largest payoff, which includes chance reach."""
    largest = float(np.abs(form.payoff).max(initial=0.0))
    return max(map(abs, form.payoff_range)) / largest if largest > 0 else 0.0


def _reduced_tree(tree: InfostateTree, plex: Treeplex, locked: BoolArray) -> InfostateTree:
    """Return a player's infostates, with chance acting at the locked ones.

    The player observes the action of chance there, because players know their own actions.
    """
    if not locked.any():
        return tree
    is_locked = np.zeros(tree.num_infostates, dtype=bool)
    is_locked[tree.acting[locked]] = True
    after = np.flatnonzero(is_locked[tree.parent] & (tree.action >= 0))
    shown, pairs = _shown(tree, after)
    private = tree.private_observation.copy()
    private[after] = shown
    return replace(
        tree,
        action=np.where(np.isin(np.arange(tree.num_infostates), after), -1, tree.action),
        private_observation=private,
        action_set=np.where(is_locked, -1, tree.action_set),
        observations=tree.observations + pairs,
        names=tuple(map(tree.label, range(tree.num_infostates))),
    )


def _shown(tree: InfostateTree, after: LongArray) -> tuple[IntArray, tuple[object, ...]]:
    """Return the observations after locked infostates: pairs of action and original observation."""
    pairs: dict[object, int] = {}
    numbers = []
    for infostate in after.tolist():
        action = tree.legal_actions(int(tree.parent[infostate]))[tree.action[infostate]]
        seen = int(tree.private_observation[infostate])
        pair = (action, tree.observations[seen] if seen >= 0 else None)
        numbers.append(pairs.setdefault(pair, len(tree.observations) + len(pairs)))
    return np.array(numbers, dtype=np.int32), tuple(pairs)
