"""What a player knows of the opponent's hand, exactly, from the ranges of a public form."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from infoset.beliefs.assumed_policies import MODEL_NOISE, unreached_error
from infoset.forms import PublicForm, behavior_to_plan, normalize_behavior
from infoset.game import Infostate
from infoset.policy import TabularPolicy, transfer_policy


def hand_belief(
    form: PublicForm,
    infostate: Infostate,
    policy: TabularPolicy | None = None,
    *,
    model_noise: float = MODEL_NOISE,
) -> dict[Hashable, float]:
    """Return the probability of each hand of the opponent, given a player's infostate.

        P(h' | h, line) = prior(h, h') · P(actions of the opponent with h') / sum over h'

    It is `private_belief` without a list of histories, in time linear in the pairs of hands.

    Parameters
    ----------
    infostate
        Of either player, on or off turn.
    policy
        The policy that the opponent is assumed to follow, on any form of the game; by default
        nothing is inferred from actions, and the deal and removed cards alone count.
    model_noise
        Weight of uniform play in the policy if it never leads to the line, as in `private_belief`.

    Returns
    -------
    dict[Hashable, float]
        By label; hands that are impossible are left out.

    Raises
    ------
    PolicyMismatchError
        If the policy belongs to another game.
    UnsupportedGameError
        If the line has probability zero.

    Examples
    --------
    A player of Kuhn poker who holds a queen against a bet:

    >>> import infoset
    >>> from infoset.game import Infostate, Step
    >>> form = infoset.build_public_form("kuhn_poker")
    >>> queen = Infostate(1, (Step(None, "Q", None), Step(None, None, "bet")))
    >>> hand_belief(form, queen)
    {'J': 0.5, 'K': 0.5}
    """
    node, permutation, hand = form.locate(infostate)
    player, other = infostate.player, 1 - infostate.player
    hand = form.hand_at(player, hand, permutation)
    prior = form.prior.matrix()
    dealt = prior[hand] if player == 0 else prior[:, hand]
    possible = np.where(form.possible_hands(node, other), dealt, 0.0)
    weight = possible
    if policy is not None:
        plex = form.treeplexes[other]
        chosen = transfer_policy(policy, form).probabilities[other]
        last = form.sequences[other].last[node : node + 1].astype(np.int64)
        # Uniform play is mixed in only if the policy never leads to the line.
        for noise in (0.0, model_noise):
            if noise:
                ones = np.ones(len(chosen))
                uniform = normalize_behavior(plex.first_sequence, plex.num_actions, ones)
                chosen = (1 - noise) * chosen + noise * uniform
            plan = behavior_to_plan(
                plex.parent_sequence, plex.first_sequence, plex.num_actions, chosen
            )
            weight = possible * plan[form.places(other, last)[0]]
            if weight.any():
                break
    total = weight.sum()
    if not total > 0:
        raise unreached_error(form.name, player)
    # A node may stand for lines that differ by a permutation of suits: the hand that takes the
    # place of each hand on the line of the node.
    places = [form.hand_at(other, at, permutation) for at in range(len(weight))]
    found = (weight[places] / total).tolist()
    return {label: share for label, share in zip(form.hands[other], found, strict=True) if share}
