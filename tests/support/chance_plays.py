"""Games in which chance plays what is locked, built node by node."""

from __future__ import annotations

import numpy as np

from infoset.efg import chance, decision, extensive_form_from_nodes, terminal
from infoset.game import initial_history


class ChancePlays:
    """Builds a game node by node with serialized moves, in which chance plays the locked ones."""

    def __init__(self, form, behavior):
        self.form = form
        self.behavior = behavior

    def build(self, game):
        root = self.acting(initial_history(game), {})
        return extensive_form_from_nodes(
            root, players=game.num_players, name="by hand"
        ).sequence_form

    def acting(self, history, chosen):
        waiting = [player for player in history.actors if player not in chosen]
        if not waiting:
            return self.chance(history, chosen)
        player = waiting[0]
        legal = history.legal_actions(player)
        tree = self.form.infostate_trees[player]
        number = tree.index_of(history.infostates[player])
        label = tree.acting_labels[int(np.searchsorted(tree.acting, number))]
        after = {action: self.acting(history, {**chosen, player: action}) for action in legal}
        told = self.behavior.get((label, player))
        if told is None:
            return decision(player, label, after)
        return chance({action: (p, after[action]) for action, p in told.items() if p > 0})

    def chance(self, history, chosen):
        if history.is_terminal:
            return terminal(*history.rewards_so_far)
        joint = tuple(chosen.get(player) for player in range(history.game.num_players))
        outcomes = {}
        for world, probability in history.game.transitions(history.world, joint):
            outcomes[world] = outcomes.get(world, 0) + probability
        return chance(
            {
                str(number): (probability, self.acting(history.extend(joint, world), {}))
                for number, (world, probability) in enumerate(outcomes.items())
                if probability > 0
            }
        )
