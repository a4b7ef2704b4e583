"""Comparison of a player's decisions with a policy, while a game is played or afterwards."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from infoset.beliefs import Belief, hand_belief, private_belief
from infoset.errors import UnsupportedGameError
from infoset.evaluation import decision_losses
from infoset.forms import PublicForm, as_public_form
from infoset.game import player_name
from infoset.game.infostate import label_text
from infoset.policy import TabularPolicy
from infoset.typing import Action, Player
from infoset.views.labels import NOTHING_PRIVATE, class_text, hand_class, private_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from infoset.game import Game, History, Infostate


SMALLEST_SHOWN = 0.0005
MAX_HANDS = 8
"""Entries of a belief, the most probable ones."""
MAX_LISTED_TEXTS = 8
"""Maximum number of actions that a line lists."""
MAX_LISTED = 20_000
NUM_SAMPLES = 2_000
"""Histories that are listed for a belief; where there are more, histories drawn."""


class Coach:
    """What a policy does at a player's decisions, and what each action costs against it.

    Costs are those of `infoset.evaluation.decision_losses`: how much less the player expects than
    with the best action, if everybody follows the policy afterwards.

    Parameters
    ----------
    policy
        On any form of the game.
    """

    def __init__(self, policy: TabularPolicy, player: Player) -> None:
        self._form = policy.form
        self._whole = policy
        self._public: PublicForm | None = None
        with suppress(UnsupportedGameError):
            self._public = as_public_form(policy.form)
        self._policy = policy.probabilities[player]
        self._losses = decision_losses(policy, player)
        self.player = player

    def advice(self, infostate: Infostate) -> str:
        """Return the probabilities of the policy at an infostate, and what each action costs."""
        first, actions = self._decision(infostate)
        entries = [
            f"{action} {self._policy[first + place]:.3f}{self._cost_text(first + place)}"
            for place, action in enumerate(actions)
        ]
        return "the coach plays: " + "  ".join(entries)

    def beliefs(self, infostate: Infostate, rules: Game) -> list[str]:
        """Return a line for each other player who knows something in private.

        It has the probabilities of what that player may hold, if it follows the policy: exactly on
        a public form or if all histories can be listed, and otherwise with standard errors.
        """
        if self._public is not None:
            hands = hand_belief(self._public, infostate, self._whole)
            shares = _by_class({label_text(hand): share for hand, share in hands.items()})
            return [f"{self._name(1 - self.player)} holds: {belief_text(shares)}"]
        try:
            belief = private_belief(
                rules,
                infostate,
                policies=self._whole,
                rng=np.random.default_rng(0),
                max_worlds=MAX_LISTED,
                num_samples=NUM_SAMPLES,
            )
        except UnsupportedGameError as error:
            return [f"what the others hold is unknown: {error}"]
        found = {p: private_shares(belief, p) for p in range(rules.num_players) if p != self.player}
        return [
            f"{self._name(other)} holds: {belief_text(shares, belief)}"
            for other, shares in found.items()
            if shares.keys() != {NOTHING_PRIVATE}
        ]

    def _name(self, player: Player) -> str:
        return player_name(self._form, player)

    def cost(self, infostate: Infostate, action: Action) -> float:
        """Return what an action costs, in utility; NaN where the policy never leads."""
        first, actions = self._decision(infostate)
        return float(self._losses[first + actions.index(action)])

    def review(self, history: History) -> Iterator[str]:
        """Yield a line for each decision of the player and its cost, and the sum of the costs."""
        total, num_unknown = 0.0, 0
        path = history.path()
        for number, (before, after) in enumerate(pairwise(path), start=1):
            if self.player not in before.actors:
                continue
            infostate, action = before.infostates[self.player], after.joint_action[self.player]
            cost = self.cost(infostate, action)
            # Unknown where the others never lead: the sum is then a lower bound.
            total += 0.0 if np.isnan(cost) else cost
            num_unknown += bool(np.isnan(cost))
            yield f"{number}. you: {self.verdict(infostate, action)}"
        known = f"{total if total >= SMALLEST_SHOWN else 0:.3g}"
        if num_unknown:
            yield f"your decisions cost at least {known} in all; {num_unknown} of unknown cost"
        else:
            yield f"your decisions cost {known} in all, compared with the best actions"

    def verdict(self, infostate: Infostate, chosen: Action) -> str:
        """Return an action, its cost, the costs of the others, and the mixture of the coach.

        Such as `call (best). raise would cost 0.747`.
        """
        first, actions = self._decision(infostate)
        own = slice(first, first + len(actions))
        losses, shares = self._losses[own].tolist(), self._policy[own].tolist()
        if np.isnan(losses).any():
            return f"{chosen} (cost unknown: the other players never lead here)"
        costs = dict(zip(actions, losses, strict=True))
        cost = costs.pop(chosen)
        is_best = cost < SMALLEST_SHOWN
        equal = [str(action) for action, other in costs.items() if other < SMALLEST_SHOWN]
        about = [
            f"{action} would cost {other:.3g}"
            for action, other in sorted(costs.items(), key=lambda entry: entry[1])
            if other >= SMALLEST_SHOWN
        ]
        if equal:
            about.insert(0, f"{_listed(equal)} would be {'as good' if is_best else 'best'}")
        mixed = [
            f"{action} {share:.3f}"
            for action, share in zip(actions, shares, strict=True)
            if share >= SMALLEST_SHOWN
        ]
        if len(mixed) > 1:
            about.append(f"the coach plays {_listed(mixed)}")
        verdict = f"{chosen} ({'best' if is_best else f'costs {cost:.3g}'})"
        return f"{verdict}. {'; '.join(about)}" if about else verdict

    def _decision(self, infostate: Infostate) -> tuple[int, tuple[Action, ...]]:
        """Return the first sequence at an infostate, and its actions."""
        number = self._form.find(infostate)
        first = self._form.treeplexes[self.player].first_sequence[number]
        return int(first), self._form.actions_at(self.player, number)

    def _cost_text(self, sequence: int) -> str:
        """Return the cost of a sequence's action as text; empty if it costs nothing."""
        loss = self._losses[sequence]
        if np.isnan(loss):
            return " (unknown: the other players never lead here)"
        return f" (costs {loss:.3g})" if loss >= SMALLEST_SHOWN else ""


def _listed(texts: Sequence[str]) -> str:
    """Join texts with commas; of many, list only the first ones."""
    rest = len(texts) - MAX_LISTED_TEXTS
    return ", ".join(texts[:MAX_LISTED_TEXTS]) + (f" and {rest} more" if rest > 0 else "")


def private_shares(belief: Belief, player: Player) -> dict[str, float]:
    """Return the probability of each private text of a player."""
    shares: dict[str, float] = {}
    for infostate, probability in belief.infostate_probabilities(player).items():
        text = private_text(infostate.steps)
        shares[text] = shares.get(text, 0.0) + probability
    return shares


def _by_class(shares: dict[str, float]) -> dict[str, float]:
    """Return the probabilities of classes, such as AKo, if all hands are two cards."""
    classes: dict[str, float] = {}
    for hand, share in shares.items():
        place = hand_class(hand)
        if place is None:
            return shares
        classes[class_text(place)] = classes.get(class_text(place), 0.0) + share
    return classes


def belief_text(shares: dict[str, float], belief: Belief | None = None) -> str:
    """Return the most probable entries, what they leave out, and the errors of an estimate."""
    likely = sorted(shares.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = [(text, share) for text, share in likely if share > 0][:MAX_HANDS]
    is_drawn = belief is not None and not belief.is_exact
    # Histories that are drawn have weights; so many draws of equal weight are as accurate.
    draws = 1 / float((belief.probability**2).sum()) if is_drawn and belief else np.inf
    errors = [f" ± {100 * (share * (1 - share) / draws) ** 0.5:.1f}" for _, share in shown]
    entries = [
        f"{text} {100 * share:.2f}{error if is_drawn else ''} %"
        for (text, share), error in zip(shown, errors, strict=True)
    ]
    rest = 1 - sum(share for _, share in shown)
    if rest > SMALLEST_SHOWN:
        entries.append(f"others {100 * rest:.1f} %")
    note = f" (estimated from {len(belief):,} drawn histories)" if is_drawn and belief else ""
    return "  ".join(entries) + note
