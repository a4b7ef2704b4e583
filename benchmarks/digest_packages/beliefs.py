"""Beliefs: ranges, public belief states, private and public beliefs, subgames and cut trees."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from digest_packages.common import (
    Cells,
    form_numbers,
    game_of,
    infostate_tree_numbers,
    policy_numbers,
    random_policies,
    tree_numbers,
    tree_of,
)
from infoset import load
from infoset.beliefs import (
    PublicBeliefState,
    PublicPrivateBelief,
    counterfactual_form,
    counterfactual_values,
    cut_tree,
    find_leak,
    find_public_state,
    is_closed_under_infosets,
    private_belief,
    public_belief,
    ranges,
    subgame_by_closure,
    subgame_by_histories,
    subgame_by_infosets,
    subgame_by_public_sets,
    value_form,
    value_subgame,
)
from infoset.game import initial_history
from infoset.tree import build_tree

__all__ = ["cells"]

# Adapters

LARGER = {
    "liars_dice_2x6": "liars_dice(numdice=2)",
    "goofspiel_6": "goofspiel(num_cards=6,imp_info=true)",
    "trick_taking_20": "trick_taking(num_cards=20)",
    "phantom_ttt": "phantom_ttt",
    "hanabi": "hanabi(colors=2,ranks=2,hand_size=2)",
}
"""Texts of the games whose beliefs are computed from the rules."""


def rules_of(game: str) -> Any:
    """Return the rules of a game."""
    return load(LARGER[game]) if game in LARGER else game_of(game)


@cache
def histories(game: str, count: int) -> list[Any]:
    """Return histories of random plays at which a player acts."""
    rng, found = np.random.default_rng(13), []
    while len(found) < count:
        history = initial_history(rules_of(game))
        while not history.is_terminal and len(found) < count:
            joint: list[Any] = [None] * history.game.num_players
            for player in history.actors:
                legal = tuple(history.legal_actions(player))
                joint[player] = legal[rng.integers(len(legal))]
            if history.actors:
                found.append(history)
            history = history.sample(tuple(joint), rng)
    return found


def belief_numbers(belief: Any) -> object:
    """Return a distribution over histories and its marginals over infostates."""
    num_players = belief.source.num_players
    numbers = belief.histories if isinstance(belief.histories, np.ndarray) else len(belief)
    return (
        numbers,
        belief.probability,
        belief.rewards_so_far,
        [list(belief.infostate_probabilities(p).values()) for p in range(num_players)],
        belief.is_exact,
        belief.sample(np.random.default_rng(1), 9),
    )


def source_of(game: str, where: str) -> Any:
    """Return the tree or the rules of a game."""
    return tree_of(game) if where == "tree" else rules_of(game)


def private(game: str, where: str, count: int, policies: Any = None, **limits: Any) -> object:
    """Return private beliefs of acting players in random plays."""
    found, rng = [], np.random.default_rng(2)
    for history in histories(game, count):
        infostate = history.infostates[history.actors[0]]
        belief = private_belief(
            source_of(game, where), infostate, policies=policies, rng=rng, **limits
        )
        found.append(belief_numbers(belief))
    return found


def public(game: str, where: str, count: int, policies: Any = None, **limits: Any) -> object:
    """Return public beliefs in random plays."""
    found, rng = [], np.random.default_rng(2)
    for history in histories(game, count):
        belief = public_belief(
            source_of(game, where), history.public_state, policies=policies, rng=rng, **limits
        )
        found.append(belief_numbers(belief))
    return found


def mixed(game: str, where: str, count: int, public_weight: Any, **settings: Any) -> object:
    """Return mixtures of private and public beliefs."""
    belief = PublicPrivateBelief(public_weight, **settings)
    found, rng = [], np.random.default_rng(2)
    for history in histories(game, count):
        infostate = history.infostates[history.actors[0]]
        found.append(belief.public_weight_at(infostate))
        found.append(belief_numbers(belief.at(source_of(game, where), infostate, rng=rng)))
    return found


def by_public_state(game: str) -> object:
    """Return a mixture whose weight depends on the public state."""
    weights = {history.public_state: 0.25 for history in histories(game, 3)}
    return mixed(game, "tree", 8, weights, default=0.75)


def assumed(game: str) -> Any:
    """Return the policies that a belief assumes."""
    return random_policies(game, 1)[0]


def public_states(game: str) -> list[int]:
    """Return some public states of a tree."""
    count = tree_of(game).public_tree.num_public_states
    return list(range(0, count, max(1, count // 12)))


def all_ranges(game: str) -> object:
    """Return ranges of a random policy."""
    policy = random_policies(game, 1)[0]
    return [
        (ranges(policy, state), ranges(policy, state, normalized=True))
        for state in public_states(game)
    ]


def public_belief_states(game: str) -> object:
    """Return public belief states of a random policy."""
    policy, found = random_policies(game, 1)[0], []
    for state in public_states(game):
        belief = PublicBeliefState.from_policy(tree_of(game), policy, state)
        players = range(tree_of(game).num_players)
        first = [int(numbers[0]) for numbers in belief.infostates]
        found.append(
            (
                belief.ranges,
                belief.infostates,
                belief.histories,
                belief.position,
                belief.chance_reach,
                belief.reach,
                belief.probability,
                belief.history_distribution,
                belief.marginals,
                [belief.counterfactual_reach(player) for player in players],
                [belief.counterfactual_rewards(player) for player in players],
                [belief.history_beliefs(player, first[player]) for player in players],
                [belief.infostate_beliefs(player, first[player]) for player in players],
                belief.normalize().ranges,
                PublicBeliefState.with_unit_ranges(tree_of(game), state).reach,
            )
        )
    return found


def subgames(game: str) -> object:
    """Return value-solving subgames as games."""
    policy, found = random_policies(game, 1)[0], []
    for state in public_states(game)[1:5]:
        belief = PublicBeliefState.from_policy(tree_of(game), policy, state)
        tree = build_tree(value_subgame(belief))
        found.append((tree_numbers(tree), form_numbers(tree.sequence_form)))
    return found


def cuts(game: str, depth: int) -> object:
    """Return the parts of a cut tree, their sequence forms, and values below the cut."""
    tree, policy = tree_of(game), random_policies(game, 1)[0]
    cut = cut_tree(tree, depth=depth)
    found: list[object] = [cut.roots, part_numbers(cut.trunk)]
    for part in [*cut.subgames()][:6]:
        belief = PublicBeliefState.from_policy(tree, policy, part.root)
        forms = value_form(part, belief), counterfactual_form(part, belief)
        inside = part.restrict_policy(policy, forms[0])
        back = part.replace_policy(random_policies(game, 2)[1], inside)
        values = counterfactual_values(part, belief, inside)
        found.append(
            (
                part_numbers(part),
                [form_numbers(form) for form in forms],
                policy_numbers(inside),
                policy_numbers(back),
                values,
            )
        )
    return found


def part_numbers(part: Any) -> object:
    """Return the arrays of a part of a tree."""
    return (
        part.public_states,
        part.leaves,
        part.histories,
        part.infostates,
        part.terminals,
        part.leaf_histories,
        part.sequences,
        (part.ends.histories, part.ends.sequence, part.ends.entry, part.ends.chance_reach),
        [infostate_tree_numbers(tree) for tree in part.infostate_trees],
        [part.leaf_sequences(leaf) for leaf in part.leaves.tolist()[:5]],
    )


def memberships(game: str) -> object:
    """Return which histories are in subgames, by four definitions."""
    tree, found = tree_of(game), []
    for history in range(1, tree.num_histories, max(1, tree.num_histories // 7)):
        members = subgame_by_closure(tree, history)
        found.append(
            (
                members,
                subgame_by_histories(tree, history),
                subgame_by_infosets(tree, history),
                subgame_by_public_sets(tree, history),
                is_closed_under_infosets(tree, members),
            )
        )
    return found


def found_public_states(game: str) -> object:
    """Return indices of public states reached in play."""
    return [
        find_public_state(tree_of(game), history.public_state) for history in histories(game, 10)
    ]


def leak(game: str) -> object:
    """Return whether a policy without access to hidden information passes the leak check."""
    return (
        find_leak(rules_of(game), lambda infostate, rng: rng.random(2), seed=2, num_plays=2) is None
    )


# The table

TREES = ("kuhn_poker", "kuhn_poker_3", "leduc_poker", "goofspiel_random", "liars_dice_3")
RULES = (
    ("kuhn_poker", 5),
    ("leduc_poker", 6),
    ("goofspiel_random", 6),
    ("liars_dice_2x6", 4),
    ("goofspiel_6", 3),
    ("hanabi", 2),
)
LIMITS: dict[str, Any] = {"max_worlds": 30, "num_samples": 12}
WEIGHTS = {"0": 0.0, "0.3": 0.3, "1": 1.0, "by-move": (0.6, 0.1)}


def cells() -> Cells:
    """Yield the digests of the package."""
    for game in TREES:
        policies = partial(assumed, game)
        for name, cell in (("private", private), ("public", public)):
            yield f"{name}/tree/{game}", partial(cell, game, "tree", 8)
            for where in ("tree", "rules"):
                yield (
                    f"{name}/inferred/{where}/{game}",
                    lambda cell=cell, game=game, where=where, policies=policies: cell(
                        game, where, 6, policies()
                    ),
                )
        for text, weight in WEIGHTS.items():
            yield f"mixed/{text}/tree/{game}", partial(mixed, game, "tree", 8, weight)
        yield f"mixed/by-public-state/{game}", partial(by_public_state, game)
        yield f"ranges/{game}", partial(all_ranges, game)
        yield f"public-belief-states/{game}", partial(public_belief_states, game)
        yield f"subgames/{game}", partial(subgames, game)
        yield f"memberships/{game}", partial(memberships, game)
        yield f"public-states/{game}", partial(found_public_states, game)
        for depth in (2, 3):
            yield f"cut/{depth}/{game}", partial(cuts, game, depth)
    for game, count in RULES:
        yield f"private/rules/{game}", partial(private, game, "rules", count)
        yield f"public/rules/{game}", partial(public, game, "rules", count)
        yield f"mixed/0.3/rules/{game}", partial(mixed, game, "rules", count, 0.3)
    for game in ("leduc_poker", "liars_dice_2x6", "trick_taking_20", "phantom_ttt"):
        yield f"private/sampled/{game}", partial(private, game, "rules", 3, **LIMITS)
        yield f"public/sampled/{game}", partial(public, game, "rules", 3, **LIMITS)
        yield f"mixed/sampled/{game}", partial(mixed, game, "rules", 3, 0.4, **LIMITS)
    yield "leak/kuhn_poker", partial(leak, "kuhn_poker")
