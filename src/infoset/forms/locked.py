"""Node locking: fix the policy at some infostates of a form, and leave the rest to choose."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.forms.form import Form, check_form, numbers_by_action
from infoset.forms.infostate_tree import InfostateTree
from infoset.forms.payoffs import FormPayoffs
from infoset.forms.public_form import PublicForm
from infoset.forms.sequence_form import (
    CenteredPayoffs,
    SequenceForm,
    TerminalReach,
    as_sequence_form,
)
from infoset.forms.terminal_contraction import contract_terminals, merge_reach
from infoset.forms.transform import PlanMap, SideEnds, Transform, locked_map
from infoset.forms.transformed_form import TransformedForm
from infoset.forms.treeplex import Layout, Treeplex, action_major_layout
from infoset.typing import Action, BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.arguments import SUM_TOLERANCE, check_type

MANY_SEQUENCES: Final = 1 << 20
"""Minimum number of sequences for payoffs that read plans of a locked public form directly. Smaller
plans fit in the processor's cache, where expanding them to plans of the base is faster."""
MAX_BATCHES: Final = 1.2
"""Maximum number of batches of such payoffs, relative to the base, for which they are faster."""

LockedBehavior: TypeAlias = Mapping[Any, Mapping[Action, float] | FloatArray]
"""Probabilities to lock. Keys name infostates as `policy[key]` does; on a public form a line alone
names the infostates of all hands there. Values are probabilities by action, or an array [actions],
for a line [actions, hands]."""


@dataclass(frozen=True, eq=False, repr=False)
class LockedForm(TransformedForm):
    """A form in which some probabilities are fixed; see `lock`.

    Treeplexes and labels are those of the choices that are left. Policies on it have gains of
    players who follow the locked probabilities.
    """

    probabilities: tuple[FloatArray, ...]
    """Per player, [Q of the base] the locked probabilities, and others that are not used."""
    locked: tuple[BoolArray, ...]
    """Per player, [I of the base] whether each acting infostate is locked."""

    @property
    def kind(self) -> str:
        """How utilities are stored: as in the base."""
        return self.base.kind

    def _in_base(self, probabilities: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return probabilities in the base: the locked ones, and those given elsewhere."""
        found = []
        for player, own in enumerate(probabilities):
            if not self.locked[player].any():
                found.append(own)
                continue
            held = np.append(False, np.repeat(self.locked[player], self._sizes(player)))
            # The remaining sequences stay in order.
            whole = self.probabilities[player].copy()
            whole[~held] = own
            found.append(whole)
        return tuple(found)

    def _sizes(self, player: int) -> LongArray:
        return self.base.treeplexes[player].num_actions.astype(np.int64)

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """Per player, the order in which kernels store sequences; the base's without locks."""
        base = self.base
        layouts = base.layouts_by_depth if isinstance(base, PublicForm) else base.layouts
        return tuple(
            layout if plex is below else action_major_layout(plex, states)
            for plex, below, layout, states in zip(
                self.treeplexes,
                self.base.treeplexes,
                layouts,
                self.public_states,
                strict=True,
            )
        )

    def _composed_payoffs(self, precision: str = "float64") -> FormPayoffs:
        direct = None
        size = sum(plex.num_sequences for plex in self.base.treeplexes)
        if isinstance(self.base, PublicForm) and size >= MANY_SEQUENCES:
            maps = self.transform.maps
            direct = self.base.mapped_payoffs(maps, self.layouts, precision, MAX_BATCHES)
        return direct or super()._composed_payoffs(precision)

    def to_sequence_form(self) -> SequenceForm:
        """Return the sequence form in which chance plays the locked probabilities.

        Its sequences have the same numbers. Linear programs need it, because it lists the payoffs
        of pairs of sequences.

        Raises
        ------
        UnsupportedGameError
            If the base does not list them.
        """
        return contract_locked(as_sequence_form(self.base), self.transform.maps, self.locked)


def lock(form: Form, behavior: LockedBehavior) -> LockedForm:
    """Return the form in which some probabilities are fixed, for any number of players.

    This is exact for any payoffs: a realization plan of the returned form, multiplied by the locked
    probabilities, is a plan of the whole form with the same payoffs. Every method solves it, in
    compiled chunks. The results of `solve` have policies for the whole form. Their gains, NashConv
    and exploitability are those of players who follow the locked probabilities.

    Parameters
    ----------
    behavior : Mapping
        The probabilities at each infostate, which is named as in `policy[key]`: by its text and
        player, or on a public form by hand and line. A line alone stands for all hands. Actions
        that are left out have probability 0. `{key: policy[key] for key in keys}` takes the
        probabilities from a policy. Later entries replace earlier ones.

    Examples
    --------
    Player 0 of Kuhn poker always bets with a jack, which costs 4/18:

    >>> import infoset
    >>> kuhn = infoset.build_tree("kuhn_poker").sequence_form
    >>> result = infoset.solve(lock(kuhn, {("[J]", 0): {"bet": 1.0}}), "lp")
    >>> round(result.values[0] * 18, 6), result.policy["[J]", 0]
    (-5.0, {'pass': 0.0, 'bet': 1.0})

    The same on the public form, where a line alone would lock all hands:

    >>> form = infoset.build_public_form("kuhn_poker")
    >>> locked = lock(form, {("J", "(start)"): {"bet": 1.0}})
    >>> round(infoset.solve(locked, "cfr+", iterations=2000).values[0] * 18, 2)
    -5.0
    """
    check_form(form)
    check_type("behavior", behavior, Mapping, "probabilities by infostate")
    # Players without locks do not need memory.
    filled = [np.broadcast_to(np.ones(1), plex.num_sequences) for plex in form.treeplexes]
    locked = tuple(np.zeros(plex.num_infostates, bool) for plex in form.treeplexes)
    for key, given in behavior.items():
        player, infostates = form.look_up_all(key)
        values = _checked(form, player, infostates, key, given)
        # [actions, infostates]
        places = (
            form.treeplexes[player].first_sequence[infostates] + np.arange(len(values))[:, None]
        )
        if not filled[player].flags.writeable:
            filled[player] = form.treeplexes[player].uniform_policy()
        filled[player][places] = values
        # Merged hands share a place, where the last one stays: the others must agree with it.
        if not np.array_equal(filled[player][places], values):
            raise ParameterError(
                f"the probabilities to lock at {key!r} distinguish hands that {form.name} merges: "
                "build the form by build_public_form(game, merge_symmetric=False)"
            )
        locked[player][infostates] = True
    return lock_infostates(form, tuple(filled), locked)


def lock_infostates(
    form: Form, probabilities: tuple[FloatArray, ...], locked: tuple[BoolArray, ...]
) -> LockedForm:
    """Return the form in which probabilities [Q] are fixed at some acting infostates [I]."""
    maps, treeplexes, infostates = [], [], []
    for player, plex in enumerate(form.treeplexes):
        if not locked[player].any():
            maps.append(PlanMap.identity(plex.num_sequences))
            infostates.append(np.arange(plex.num_infostates, dtype=np.int32))
            treeplexes.append(plex)
            continue
        own, kept = locked_map(plex, probabilities[player], locked[player])
        left = np.flatnonzero(~locked[player])
        maps.append(own)
        infostates.append(left.astype(np.int32))
        treeplexes.append(
            Treeplex(
                parent_sequence=own.last[plex.parent_sequence[left]].astype(np.int32),
                first_sequence=own.last[plex.first_sequence[left]].astype(np.int32),
                num_actions=plex.num_actions[left],
                num_sequences=len(kept),
            )
        )
    return LockedForm(
        name=f"locked({form.name})",
        base=form,
        transform=Transform(tuple(maps), SideEnds.none(form.num_players)),
        treeplexes=tuple(treeplexes),
        infostates=tuple(infostates),
        added=((),) * form.num_players,
        probabilities=probabilities,
        locked=locked,
    )


def _checked(
    form: Form,
    player: int,
    infostates: LongArray,
    key: Hashable,
    given: Mapping[Action, float] | FloatArray,
) -> FloatArray:
    """Return [actions, infostates] the probabilities to lock."""
    count = int(form.treeplexes[player].num_actions[infostates[0]])
    if isinstance(given, np.ndarray):
        values = np.asarray(given, np.float64)
        values = values[:, None] if values.ndim == len(infostates) == 1 else values
    else:
        column = numbers_by_action(form, player, int(infostates[0]), given)
        values = np.repeat(column[:, None], len(infostates), axis=1)
    if values.shape != (count, len(infostates)):
        raise ParameterError(
            f"the probabilities to lock at {key!r} have shape {values.shape}; give an array of "
            f"shape {(count, len(infostates))}, [actions, hands], or probabilities by action"
        )
    errors = np.abs(values.sum(axis=0) - 1)
    if not (values >= 0).all() or (errors > SUM_TOLERANCE).any():
        worst = int(np.argmax(errors + (values < 0).any(axis=0)))
        raise ParameterError(
            f"the probabilities to lock at {key!r} are {values[:, worst].tolist()}; give numbers "
            "that are not negative and sum to 1"
        )
    return values


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
    last: Sequence[IntArray | LongArray],
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
    last: Sequence[IntArray | LongArray],
    weights: list[FloatArray],
) -> TerminalReach:
    """Return the chance reach of the reduced form; locked probabilities count as chance."""
    terminal, reach = form.terminal_reach
    reach = reach * np.prod([own[terminal[:, p]] for p, own in enumerate(weights)], axis=0)
    columns = [own[terminal[:, p]] for p, own in enumerate(last)]
    # Each tuple of the form is a separate outcome, merged below with others of equal columns.
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
    # The infostates that follow an action of the player, now of chance, at a locked one.
    after = np.flatnonzero(is_locked[tree.parent] & (tree.action >= 0))
    shown, pairs = _shown(tree, after)
    private = tree.private_observation.copy()
    private[after] = shown
    return replace(
        tree,
        action=np.where(np.isin(np.arange(tree.num_infostates), after), -1, tree.action),
        private_observation=private,
        action_set=np.where(is_locked, -1, tree.action_set),
        observations=(*tree.observations, *pairs),
        # Infostates are called as before, although their steps differ.
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
