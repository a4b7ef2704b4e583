"""Slow, independent perfect-information values and PIMC on the rules of a game."""

from __future__ import annotations

from functools import cache

import numpy as np


def plain_values(game, opponents="max_n", player=None):
    """Return a recursive function for the values [N] from a world state on.

    Each player maximizes its own value, and the values of equally good actions are averaged. If
    `paranoid`, all other players minimize the value of one player.
    """

    @cache
    def value(world):
        actors = [p for p in game.actors(world) if len(game.legal_actions(world, p)) > 1]
        assert len(actors) <= 1
        if not actors:
            joint = tuple(
                game.legal_actions(world, p)[0] if p in game.actors(world) else None
                for p in range(game.num_players)
            )
            return expected(world, joint)
        (who,) = actors
        found = [after(world, who, action) for action in game.legal_actions(world, who)]
        if opponents == "paranoid":
            pick = max if who == player else min
            return pick(found, key=lambda v: v[player])
        best = max(v[who] for v in found)
        return np.mean([v for v in found if v[who] >= best - 1e-9], axis=0)

    def after(world, who, action):
        joint = tuple(
            action
            if p == who
            else (game.legal_actions(world, p)[0] if p in game.actors(world) else None)
            for p in range(game.num_players)
        )
        return expected(world, joint)

    def expected(world, joint):
        total = np.zeros(game.num_players)
        for target, probability in game.transitions(world, joint):
            reward = np.array(game.rewards(world, joint, target), float)
            total = total + float(probability) * (reward + value(target))
        return total

    value.after = after
    return value


def plain_pimc(game, belief, infostate):
    """Return the policy of PIMC in the limit of all worlds."""
    player, value = infostate.player, plain_values(game)
    held = belief.at(game, infostate)
    actions = next(
        history.legal_actions(player)
        for history, known in zip(held.histories, held.infostates(player), strict=True)
        if known == infostate
    )
    scores = dict.fromkeys(actions, 0.0)
    for history, probability in zip(held.histories, held.probability, strict=True):
        for action in set(actions) & set(history.legal_actions(player)):
            gain = (
                history.rewards_so_far[player] + value.after(history.world, player, action)[player]
            )
            scores[action] += probability * float(gain)
    best = max(scores.values())
    is_best = np.array([scores[action] > best - 1e-9 for action in actions])
    return is_best / is_best.sum()


def limited_pimc_values(searcher, infostate, leaf):
    """Return {action: value} of PIMC with a depth limit in the limit of all worlds.

    leaf : function that maps a history to values of all players.
    """
    player, moves = infostate.player, searcher.depth
    is_paranoid = searcher.opponents == "paranoid"

    def value(history, left):
        if history.is_terminal:
            return np.array(history.rewards_so_far, float)
        choosers = [p for p in history.actors if len(history.legal_actions(p)) > 1]
        if not choosers:
            return after(history, {}, left)
        if left == 0:
            return np.array(leaf(history), float)
        (who,) = choosers
        found = [after(history, {who: a}, left - 1) for a in history.legal_actions(who)]
        if is_paranoid:
            return (max if who == player else min)(found, key=lambda v: v[player])
        best = max(v[who] for v in found)
        return np.mean([v for v in found if v[who] >= best - 1e-9], axis=0)

    def after(history, actions, left):
        forced = {p: history.legal_actions(p)[0] for p in history.actors}
        joint = history.joint({**forced, **actions})
        return sum(
            float(probability) * value(history.extend(joint, world), left)
            for world, probability in history.outcomes(joint)
            if probability
        )

    held = searcher.belief.at(searcher.model.game, infostate)
    actions = searcher.model.legal_actions(infostate)
    total, weight = dict.fromkeys(actions, 0.0), dict.fromkeys(actions, 0.0)
    for history, probability in zip(held.histories, held.probability, strict=True):
        for action in set(actions) & set(history.legal_actions(player)):
            total[action] += probability * after(history, {player: action}, moves - 1)[player]
            weight[action] += probability
    return {action: total[action] / weight[action] for action in actions}
