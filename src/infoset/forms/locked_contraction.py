"""The sequence form in which chance plays locked probabilities, with its payoffs as a list."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from infoset.forms.infostate_tree import InfostateTree
from infoset.forms.sequence_form import CenteredPayoffs, SequenceForm, TerminalReach
from infoset.forms.terminal_contraction import contract_terminals, merge_reach
from infoset.forms.transform import PlanMap
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray


def contract_locked(
    form: SequenceForm, maps: tuple[PlanMap, ...], locked: tuple[BoolArray, ...]
) -> SequenceForm:
    """Return the sequence form in which chance plays at infostates that are locked.

    Parameters
    ----------
    maps
        Per player, how plans of the returned form become plans of `form`.
    locked
        Per player, [I] whether each acting infostate is locked.
    """
    trees = tuple(map(_reduced_tree, form.infostate_trees, locked))
    last, weights = [own.last for own in maps], [own.weight for own in maps]
    left = _reduced_form(form, trees, last, weights)
    if form.centered_payoffs is not None:
        centered = _reduced_form(form.centered, trees, last, weights)
        payoffs = CenteredPayoffs(
            centered.terminal_sequence, centered.payoff, centered.payoff_range
        )
        left = replace(left, centered_payoffs=payoffs)
    return left


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


def _reduced_tree(tree: InfostateTree, locked: BoolArray) -> InfostateTree:
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
