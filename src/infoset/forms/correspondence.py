"""The same policy on two forms of one game: which sequences correspond, and probabilities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from infoset.errors import PolicyMismatchError, UnknownNameError
from infoset.forms._treeplex_kernels import normalize_behavior
from infoset.forms.form import Form
from infoset.forms.infostate_tree import InfostateTree
from infoset.forms.public_form import PublicForm
from infoset.forms.sequence_form import SequenceForm
from infoset.forms.world_form import WorldForm
from infoset.typing import CHANCE, FloatArray, LongArray, Player
from infoset.utils.arguments import SUM_TOLERANCE


def carry_behavior(
    source: Form, probabilities: tuple[FloatArray, ...], target: Form
) -> list[FloatArray]:
    """Return per player [Q] a behavior policy on another form of the same game.

    It is uniform where only the target has an infostate, as for hands that chance has removed.

    Parameters
    ----------
    source, target
        Forms with equal fingerprints, or two forms of the same game, one of them a sequence form.
    probabilities
        Per player, [Q] the probability of the last action of each sequence of `source`.

    Raises
    ------
    PolicyMismatchError
        If the forms belong to different games, or the policy distinguishes hands that the target
        merges.
    """
    if source is target or source.fingerprint == target.fingerprint:
        return [*probabilities]
    found = []
    for player, plex in enumerate(target.treeplexes):
        there, here = _same_sequences(target, source, player)
        values = plex.uniform_policy()
        chosen = probabilities[player][here]
        # Merged hands share a place, where the last one stays: the others must agree with it.
        values[there] = chosen
        if np.abs(values[there] - chosen).max(initial=0.0) > SUM_TOLERANCE:
            raise PolicyMismatchError(
                f"the policy of player {player} distinguishes hands that this public form "
                "merges: build it by build_public_form(game, merge_symmetric=False)"
            )
        if isinstance(target, PublicForm):  # hands that it merges may differ a little
            values = normalize_behavior(plex.first_sequence, plex.num_actions, values)
        found.append(values)
    return found


def carry_by_labels(
    source: Form, probabilities: tuple[FloatArray, ...], target: Form
) -> tuple[list[FloatArray], float]:
    """Return a behavior policy on a form of another game, and the share of matched infostates.

    Infostates match if their labels and actions are equal. On public forms the label is a hand and
    a line, and lines that differ by a permutation of symmetric suits are the same. The policy is
    uniform at unmatched infostates of `target`. The share is that of the matched ones, over all
    players.

    Parameters
    ----------
    source, target
        Forms with the same number of players.
    probabilities
        Per player, [Q] the probability of the last action of each sequence of `source`.
    """
    found = [plex.uniform_policy() for plex in target.treeplexes]
    known = [np.zeros(plex.num_sequences, bool) for plex in target.treeplexes]
    pairs = _labels_of_both(source, target)
    if isinstance(source, PublicForm) and isinstance(target, PublicForm):
        pairs = _lines_of_both(source, target)  # much faster than texts
    for player, there, here in pairs:
        found[player][there] = probabilities[player][here]
        known[player][there] = True
    plexes = zip(target.treeplexes, known, strict=True)
    matched = sum(int(own[plex.first_sequence].sum()) for plex, own in plexes)
    return found, matched / sum(plex.num_infostates for plex in target.treeplexes)


def _lines_of_both(
    source: PublicForm, target: PublicForm
) -> Iterator[tuple[Player, LongArray, LongArray]]:
    """Yield a player and [actions, hands] its sequences in both forms, for each common line."""
    hands = []
    for own, other in zip(target.hands, source.hands, strict=True):
        number = {label: place for place, label in enumerate(other)}
        hands.append(np.array([number.get(label, -1) for label in own]))
    # [V of the target] the node of the source with its permutation; None if it does not exist.
    at: list[tuple[int, int] | None] = [(0, 0)]
    for parent, seen in zip(
        target.parent[1:].tolist(), target.observation[1:].tolist(), strict=True
    ):
        before = at[parent]
        try:
            at.append(before and source.advance(before, target.observations[seen]))
        except UnknownNameError:
            at.append(None)
    for node, place in enumerate(at):
        player = int(target.player[node])
        if player == CHANCE or place is None or source.player[place[0]] != player:
            continue
        if source.legal_actions(place[0]) != target.legal_actions(node):
            continue
        known = np.flatnonzero(hands[player] >= 0)
        held = hands[player][known]
        if source.symmetry is not None:
            held = source.symmetry.permutations[player][place[1], held]
        there, here = target.places_of_node(node)[1], source.places_of_node(place[0])[1]
        yield player, there[:, known], here[:, held]


def _labels_of_both(source: Form, target: Form) -> Iterator[tuple[Player, LongArray, LongArray]]:
    """Yield a player and the sequences of an infostate in both forms, for each common label."""
    for player, (plex, other) in enumerate(zip(target.treeplexes, source.treeplexes, strict=True)):
        known = dict(source.labeled_infostates(player))
        for number, label in enumerate(target.infostate_labels(player)):
            found = known.get(label)
            if found is None:
                continue
            if source.actions_at(player, found) == target.actions_at(player, number):
                step = np.arange(plex.num_actions[number])
                yield player, plex.first_sequence[number] + step, other.first_sequence[found] + step


def _same_sequences(target: Form, source: Form, player: Player) -> tuple[LongArray, LongArray]:
    """Return pairs of sequences of two forms that are the same."""
    if isinstance(target, PublicForm) and isinstance(source, SequenceForm):
        return sequences_in_tree(target, source, player)
    if isinstance(target, SequenceForm) and isinstance(source, PublicForm):
        here, there = sequences_in_tree(source, target, player)
        return there, here
    if {type(target), type(source)} == {SequenceForm, WorldForm} and target.name == source.name:
        return _sequences_by_infostate(target, source, player)
    advice = "give a policy of the same game, with the same parameters"
    if source.whole is not source:
        advice = "infoset.policy.complete_policy makes it a policy of the original form"
    elif target.whole is not target:
        advice = "infoset.policy.restrict_policy makes it a policy of the changed form"
    raise PolicyMismatchError(f"the policy is for {source.name}, not for {target.name}; {advice}")


def _sequences_by_infostate(
    target: Form, source: Form, player: Player
) -> tuple[LongArray, LongArray]:
    """Return pairs of sequences of two forms whose infostates are equal."""
    one, other = target.treeplexes[player], source.treeplexes[player]
    if one.num_infostates != other.num_infostates:
        raise PolicyMismatchError(
            f"the forms of {target.name} have {one.num_infostates} and {other.num_infostates} "
            f"infostates of player {player}: give forms of the same rules"
        )
    found = np.empty(one.num_infostates, np.int64)
    for number in range(len(found)):
        found[number] = source.find(target.infostate_at(player, number))
    step = other.first_sequence[found] - one.first_sequence
    there = np.arange(1, one.num_sequences)
    return there, there + np.repeat(step, one.num_actions)


def sequences_in_tree(
    public_form: PublicForm, form: SequenceForm, player: Player
) -> tuple[LongArray, LongArray]:
    """Return corresponding sequences in the public form and the tree, without removed hands.

    Raises
    ------
    PolicyMismatchError
        If the infostates of the forms do not correspond.
    """
    tree, plex = form.infostate_trees[player], public_form.treeplexes[player]
    own, infostate = _infostates_of_both(public_form, tree)
    num_actions = plex.num_actions[own]
    if (
        public_form.name != form.name
        or not np.array_equal(np.sort(infostate), tree.acting)
        or not np.array_equal(tree.num_actions[infostate], num_actions)
    ):
        raise PolicyMismatchError(
            f"the public form of {public_form.name} and the sequence form of {form.name} have "
            f"different infostates: give the sequence form of the same game, whose first "
            "transition is the deal"
        )
    # The index of each action at its infostate: 0, 1, ... in each run of `num_actions` entries.
    step = np.arange(num_actions.sum()) - np.repeat(
        np.cumsum(num_actions) - num_actions, num_actions
    )
    first, in_tree = (
        np.repeat(starts, num_actions) + step
        for starts in (plex.first_sequence[own], tree.first_sequence[infostate])
    )
    return first, in_tree


def _infostates_of_both(
    public_form: PublicForm, tree: InfostateTree
) -> tuple[LongArray, LongArray]:
    """Return pairs of infostates of a player's treeplex and of a tree that are the same.

    In a form with symmetry, several infostates of the tree are one of the treeplex.
    """
    if public_form.tree_infostates is not None:
        known = public_form.tree_infostates[tree.player]
        own = np.flatnonzero(known >= 0)
        return own, known[own].astype(np.int64)
    pairs = [*_same_labels(public_form, tree)]
    found = np.array(pairs, np.int64).reshape(len(pairs), 2)
    return found[:, 0], found[:, 1]


def _same_labels(public_form: PublicForm, tree: InfostateTree) -> Iterator[tuple[int, int]]:
    """Yield pairs of infostates whose labels agree.

    The private observation of the first transition is the hand, and the public observations of
    those that follow are the line.
    """
    player, observed = tree.player, tree.observations
    classes, class_map = public_form.hand_classes[player], public_form.class_map
    hands = {label: place for place, label in enumerate(public_form.hands[player])}
    # Infostates are ordered by node, and at a node by class of hands.
    nodes, first = np.unique(public_form.infostates[player][0], return_index=True)
    first_at = dict(zip(nodes.tolist(), first.tolist(), strict=True))
    # [S] the node with its permutation, and the hand; None where the form has none, as at the end
    at: list[tuple[int, int] | None] = [None]
    hand: list[int | None] = [None]
    for infostate, parent in enumerate(tree.parent.tolist()[1:], start=1):
        if parent == 0:
            at.append((0, 0))
            hand.append(hands.get(observed[tree.private_observation[infostate]]))
        else:
            before, seen = at[parent], observed[tree.public_observation[infostate]]
            try:
                at.append(before and public_form.advance(before, seen))
            except UnknownNameError:
                at.append(None)
            hand.append(hand[parent])
        place, held = at[-1], hand[-1]
        if tree.num_actions[infostate] and place and held is not None and place[0] in first_at:
            held = public_form.hand_at(player, held, place[1])
            yield first_at[place[0]] + int(classes[class_map[place[0]], held]), infostate
