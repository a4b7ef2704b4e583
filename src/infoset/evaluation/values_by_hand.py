"""Values of each hand on a public form: of a policy, of a best response, and the gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.forms import PublicForm, as_public_form, best_response_sweep, public_hand_gradient
from infoset.policy import TabularPolicy, check_policy
from infoset.typing import FloatArray, Player
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers


@dataclass(frozen=True, eq=False, repr=False)
class HandEvaluation(ShortRepr):
    """What each hand of one player earns by a policy, and by a best response to the opponent's.

    All values are given the hand, before anybody acts: the value of hand h is

        sum over h' of prior(h, h') · u(h, h') / sum over h' of prior(h, h'),

    where u is the expected utility if the players hold h and h' and follow the policy. So the mean
    of `values`, weighted by `probabilities`, is the value of the policy, and that of `gains` is the
    player's gain. A best response to the opponent's policy is a best response of each hand.
    """

    public_form: PublicForm
    """The game."""
    player: Player
    probabilities: FloatArray
    """[hands] the probability that the player is dealt each hand; they sum to 1."""
    values: FloatArray
    """[hands] expected utility of each hand under the policy, in the game's units. NaN for hands
    that are never dealt, here and in the other arrays."""
    best_response_values: FloatArray
    """[hands] expected utility of each hand if it is played by a best response."""
    gains: FloatArray
    """[hands] difference of the two, at least 0."""

    def _facts(self) -> Facts:
        dealt = self.probabilities > 0
        about = {
            "player": self.player,
            "hands": len(self.values),
            "values from": format_numbers((self.values[dealt].min(), self.values[dealt].max())),
            "largest gain": float(self.gains[dealt].max()),
        }
        return Facts(self.public_form.name, about, "see .values, .gains, .by_label()")

    def by_label(self) -> dict[str, tuple[float, float, float, float]]:
        """Return probability, value, best-response value and gain of each hand, by its text."""
        columns = self.probabilities, self.values, self.best_response_values, self.gains
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return dict(zip(map(str, self.public_form.hands[self.player]), rows, strict=True))


def evaluate_hands(policy: TabularPolicy) -> tuple[HandEvaluation, HandEvaluation]:
    """Return what each hand of each player earns by a policy and by a best response.

    `infoset.evaluate_hands` does the same for games by name and policies from files.

    Raises
    ------
    UnsupportedGameError
        If it is not on a public form.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("kuhn_poker"))
    >>> first, second = evaluate_hands(uniform_policy(form))
    >>> {hand: round(gain, 3) for hand, (_, _, _, gain) in first.by_label().items()}
    {'J': 0.375, 'Q': 0.375, 'K': 0.375}
    >>> first.values.round(3).tolist()
    [-0.875, 0.125, 1.125]
    """
    check_policy(policy)
    return _of_player(policy, 0), _of_player(policy, 1)


def _of_player(policy: TabularPolicy, player: Player) -> HandEvaluation:
    """Return what each hand of a player earns."""
    form = as_public_form(policy.form)
    plans, plex = policy.realization_plans(), form.treeplexes[player]
    # Hands that symmetric suits exchange share a root and have equal values.
    root_of, root = form.hand_classes[player][0], plex.num_sequences
    own_root = root_of[form.infostates[player][1]]
    # The sequences [Q], of which the empty one has no hand and no payoffs here, and the roots.
    gradient = public_hand_gradient(form, plans[1 - player], player)
    earned = gradient[1:root] * plans[player][1:]
    values = gradient[root:] + np.bincount(
        np.repeat(own_root, plex.num_actions), earned, len(gradient) - root
    )
    # Values that would end in the empty sequence go to the roots, which keep hands apart.
    parent = np.where(plex.parent_sequence > 0, plex.parent_sequence, root + own_root)
    best_response_sweep(parent.astype(np.int32), plex.first_sequence, plex.num_actions, gradient)
    prior = form.prior.matrix().sum(axis=1 - player)
    of_root: FloatArray = np.bincount(root_of, prior).astype(np.float64)
    found = [_given(own, of_root)[root_of] for own in (values, gradient[root:])]
    gains = np.maximum(found[1] - found[0], 0.0)
    return HandEvaluation(form, player, prior, found[0], found[1], gains)


def _given(earned: FloatArray, prior: FloatArray) -> FloatArray:
    """Return what hands earn, given that they are dealt; NaN for those that never are."""
    values: FloatArray = np.divide(earned, prior, out=np.full(len(prior), np.nan), where=prior > 0)
    return values
