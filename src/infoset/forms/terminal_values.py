"""What each hand earns at each terminal of a public form."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from infoset.forms.hand_symmetry import HandSymmetry
from infoset.forms.public_form import PublicForm
from infoset.typing import FloatArray, Player

_SEPARATED: WeakKeyDictionary[PublicForm, dict[Player, PublicForm]] = WeakKeyDictionary()


def values_at_terminals(form: PublicForm, player: Player, plan: FloatArray) -> FloatArray:
    """Return [T, hands] what each hand of a player earns at each terminal, by the operators.

    It is the sum, over the opponent's hands, of utility times the probability of chance and of the
    opponent, given the player's hand and up to its probability in the prior:

        chance_reach[t] · Σ_h' weight(h') · plan[h' at t] · utility(h, h')

    so hands of weight 0 have values, too.

    Parameters
    ----------
    plan
        [Q] realization plan of the opponent.
    """
    known = _SEPARATED.setdefault(form, {})
    if player not in known:
        known[player] = _separated(form, player)
    gradient = known[player].gradient((plan, plan), player)
    num_terminals, num_hands = len(form.terminals), form.num_hands[player]
    # Nodes with higher numbers have later sequences, so those of the forced moves are the last.
    return gradient[len(gradient) - num_terminals * num_hands :].reshape(num_terminals, num_hands)


def _separated(form: PublicForm, player: Player) -> PublicForm:
    """Return a form in which a player has a forced move before each end, with own weights of 1.

    The gradient at the sequence of this move is then the value at the end. The opponent's
    sequences are those of `form`, in the same order.
    """
    ends, number, prior = form.terminals, len(form.terminals), form.prior
    if prior.joint is None:  # a matrix stays as it is
        weights = [*prior.weights]
        weights[player] = np.ones(len(weights[player]))
        prior = replace(prior, weights=(weights[0], weights[1]))
    added = np.full(number, -1, np.int32)
    return replace(
        form,
        prior=prior,
        player=np.append(form.player, np.full(number, player, np.int32)),
        parent=np.append(form.parent, ends.node),
        action=np.append(form.action, ends.action),
        observation=np.append(form.observation, added),
        action_set=np.append(form.action_set, np.full(number, len(form.action_sets), np.int32)),
        action_sets=(*form.action_sets, (None,)),
        hand_set=np.append(form.hand_set, ends.hand_set),
        terminals=replace(
            ends,
            node=np.arange(form.num_nodes, form.num_nodes + number, dtype=np.int32),
            action=np.zeros(number, np.int32),
        ),
        symmetry=_with_single_hands(form, player),
        tree_infostates=None,
    )


def _with_single_hands(form: PublicForm, player: Player) -> HandSymmetry | None:
    """Return the symmetry in which each hand of a player is a class before the ends."""
    known = form.symmetry
    if known is None:
        return None
    added = np.arange(form.num_hands[player], dtype=np.int32)
    # One more row of classes; the opponent's is not used, because it does not act there.
    rows = [np.concatenate([own, own[:1]]) for own in known.classes]
    rows[player][-1] = added
    last = np.full(len(form.terminals), len(known.classes[0]), np.int32)
    return replace(known, classes=(rows[0], rows[1]), class_map=np.append(known.class_map, last))
