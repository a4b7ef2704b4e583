"""Comparison of a player's decisions with a policy, while a game is played or afterwards."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from infoset.evaluation import decision_losses
from infoset.policy import TabularPolicy
from infoset.typing import Action, Player

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infoset.game import History, Infostate

__all__ = ["Coach"]

SMALLEST_SHOWN = 0.0005


class Coach:
    """What a policy does at a player's decisions, and what each action costs against it.

    Costs are those of `infoset.evaluation.decision_losses`: how much less the player expects than
    with the best action, if everybody follows the policy afterwards.

    Parameters
    ----------
    policy : TabularPolicy
        On any form of the game.
    player : Player
    """

    def __init__(self, policy: TabularPolicy, player: Player) -> None:
        self._form = policy.form
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

    def cost(self, infostate: Infostate, action: Action) -> float:
        """Return what an action costs, in utility; NaN where the policy never leads."""
        first, actions = self._decision(infostate)
        return float(self._losses[first + actions.index(action)])

    def review(self, history: History) -> Iterator[str]:
        """Yield a line for each decision of the player, and the sum of the costs."""
        total, num_unknown = 0.0, 0
        path = history.path()
        for number, (before, after) in enumerate(pairwise(path), start=1):
            if self.player not in before.actors:
                continue
            infostate, action = before.infostates[self.player], after.joint_action[self.player]
            cost = self.cost(infostate, action)
            total += 0.0 if np.isnan(cost) else cost
            num_unknown += bool(np.isnan(cost))
            yield f"{number}. you: {action}; {self.advice(infostate)}"
        known = f"{total if total >= SMALLEST_SHOWN else 0:.3g}"
        if num_unknown:
            yield f"your decisions cost at least {known} in all; {num_unknown} of unknown cost"
        else:
            yield f"your decisions cost {known} in all, compared with the best actions"

    def _decision(self, infostate: Infostate) -> tuple[int, tuple[Action, ...]]:
        """Return the first sequence at an infostate, and its actions."""
        number = self._form.find(infostate)
        first = self._form.treeplexes[self.player].first_sequence[number]
        return int(first), self._form.actions_at(self.player, number)

    def _cost_text(self, sequence: int) -> str:
        """Return the cost of a sequence's action as text; empty if it costs nothing."""
        loss = self._losses[sequence]
        if np.isnan(loss):
            return " (unknown: the others never lead here)"
        return f" (costs {loss:.3g})" if loss >= SMALLEST_SHOWN else ""
