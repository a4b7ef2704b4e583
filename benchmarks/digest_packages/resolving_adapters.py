"""Games made from forms: locked, cut, and with a gadget; re-solving, and CFR-D.

As in `form_adapters`, all calls of the library that a restructuring may rename are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import infoset
from digest_packages.form_adapters import (
    FloatArray,
    Form,
    Policy,
    Steps,
    is_public,
    measure,
    steps_on,
    uniform,
)
from infoset.beliefs import PublicBeliefState, cut_tree, part_between
from infoset.evaluation import PublicContinuation
from infoset.forms import PublicForm
from infoset.forms import cut as cut_form
from infoset.forms import lock as lock_form
from infoset.policy import TabularPolicy, complete_policy, restrict_policy
from infoset.resolving import (
    ContinualResolving,
    PublicPart,
    SubgameRegret,
    accumulated_gifts,
    best_response_values,
    gadget_form,
    resolve_public_subgame,
    solve_by_decomposition,
)
from infoset.resolving.public_part import dealt_weight, nodes_after
from infoset.runs import Budget
from infoset.tree import GameTree

# Locked games


def lock(form: Form, policy: Policy, infostates: Sequence[FloatArray]) -> Any:
    """Return a game in which a policy is locked at some infostates, per player."""
    behavior: dict[Any, Any] = {}
    for player, numbers in enumerate(infostates):
        plex = form.treeplexes[player]
        for number in np.asarray(numbers).tolist():
            first, size = int(plex.first_sequence[number]), int(plex.num_actions[number])
            chosen = policy.probabilities[player][first : first + size].tolist()
            if is_public(form):
                node, hand = (int(column[number]) for column in form.infostates[player])
                key: Any = form.hands[player][hand], form.label(node)
                actions = form.legal_actions(node)
            else:
                tree = form.infostate_trees[player]
                key = tree.acting_labels[number], player
                actions = tree.legal_actions(int(tree.acting[number]))
            behavior[key] = dict(zip(actions, chosen, strict=True))
    return lock_form(form, behavior)


def steps_locked(game: Any, scheme: str) -> Steps:
    """Return the iterations on a locked game; policies are those of the whole game."""
    own = steps_on(game, scheme)
    return Steps(
        own.run,
        lambda: complete_policy(own.current()),
        lambda: complete_policy(own.average()),
        lambda policy: measure_locked(game, policy),
    )


def measure_locked(game: Any, policy: Policy) -> Any:
    """Return the evaluation of a policy of the whole game for players who follow the lock."""
    return measure(restrict_policy(game, policy))


def solve_game(game: Any, method: str, iterations: int | None) -> Any:
    """Return the result of a method on a locked, cut or gadget game."""
    return infoset.solve(game, method, iterations=iterations)


# Cut and gadget games of public forms


def continuation(policy: Policy) -> Any:
    """Return the leaf function of a policy after the leaves."""
    return PublicContinuation(policy)


def fixed_values(form: PublicForm, depth: int, seed: int) -> dict[int, Any]:
    """Return random values of the leaves at a depth, whatever the ranges are."""
    rng = np.random.default_rng(seed)
    leaves = cut_form(form, continuation(uniform(form)), depth=depth).trunk.leaves.node
    low, high = form.payoff_range
    found = {}
    for node in leaves.tolist():
        columns = []
        for classes in form.hand_classes:
            own = classes[form.class_map[node]]
            columns.append(rng.uniform(low, high, int(own.max()) + 1)[own])
        found[node] = columns[0], columns[1]
    return found


def cut(form: PublicForm, leaf_values: Any, depth: int) -> Any:
    """Return a public form that is cut after some actions."""
    return cut_form(form, leaf_values, depth=depth)


def steps_cut(game: Any, scheme: str) -> Steps:
    """Return the iterations on a cut or gadget game; policies are those of the trunk."""
    return steps_on(game, scheme)


def complete(game: Any, trunk_policy: Policy, below: Policy) -> Policy:
    """Return a policy of the whole form: that of the trunk, and another below."""
    filled = game.extend(trunk_policy.probabilities, below.probabilities)
    return TabularPolicy(game.trunk.whole, filled)


def public_node(form: PublicForm, player: int, place: int) -> int:
    """Return a public node other than the root at which a player acts."""
    nodes = form.decisions[player]
    return int(nodes[nodes > 0][place])


def public_gadget(
    form: PublicForm,
    node: int,
    player: int,
    ranges: tuple[FloatArray, FloatArray],
    opponent_values: FloatArray | None,
    depth: int | None = None,
    leaf_values: Any = None,
) -> Any:
    """Return a subgame of a public form, with the gadget `resolving` if values are given."""
    gadget, other = "resolving", opponent_values
    if opponent_values is None:
        gadget, other = "none", ranges[1 - player]
    leaves = () if depth is None else nodes_after(form, node, depth)
    part = PublicPart(form, node, leaves, leaf_values)
    own, theirs = ranges[player], ranges[1 - player]
    ones = np.ones(form.num_hands[player]), np.ones(form.num_hands[1 - player])
    total = dealt_weight(form, node, player, own, theirs) / dealt_weight(form, node, player, *ones)
    return part.gadget_form(player, own / total, other, gadget, is_zero_sum=True)


def resolve_public(
    blueprint: Policy, node: int, player: int, gadget: str, iterations: int, **options: Any
) -> Any:
    """Return a re-solved subgame: its `policy`, `opponent_values` and `result`."""
    return resolve_public_subgame(
        blueprint, node, player, budget=Budget(iterations=iterations), gadget=gadget, **options
    )


# Gadget games and re-solving on trees


@dataclass(frozen=True)
class TreeGadget:
    """A subgame of a tree, with what a gadget needs: range, values or range, and gifts."""

    part: Any
    player: int
    own_range: FloatArray
    opponent: FloatArray
    gifts: FloatArray | None


def tree_gadget(tree: GameTree, blueprint: Policy, state: int, player: int, gadget: str) -> Any:
    """Return the subgame at a public state, with values of a best response to a blueprint."""
    part = part_between(tree, state)
    belief = PublicBeliefState.from_policy(tree, blueprint, state)
    own_range, gifts = belief.ranges[player], None
    own = blueprint.probabilities[player][part.sequences[player]]
    opponent = best_response_values(part, player, own_range, own)
    if gadget == "none":
        opponent = belief.ranges[1 - player]
    elif gadget == "reach-max-margin":
        gifts = accumulated_gifts(tree, player, blueprint, state)
    return TreeGadget(part, player, own_range, opponent, gifts)


def tree_gadget_form(found: TreeGadget, gadget: str, leaf_values: Any = None) -> Form:
    """Return the form of a subgame with a gadget."""
    return gadget_form(
        found.part,
        found.player,
        found.own_range,
        found.opponent,
        leaf_values,
        gadget,
        gifts=found.gifts,
    )


def response_values(found: TreeGadget, policy: FloatArray) -> FloatArray:
    """Return what a best response to a policy [Q'] earns at the opponent's root infostates."""
    return best_response_values(found.part, found.player, found.own_range, policy)


def states_to_resolve(tree: GameTree, player: int, count: int) -> list[int]:
    """Return public states other than the root at which a player acts."""
    own = tree.infostate_trees[player]
    states = np.unique(own.public_state[own.acting])
    states = states[states > 0]
    return states[:: max(1, len(states) // count)][:count].tolist()


def continual(tree: GameTree, blueprint: Policy, iterations: int, **options: Any) -> Policy:
    """Return the policy of continual re-solving by one search at each public state."""
    search = ContinualResolving(tree, blueprint, iterations=iterations, **options)
    return search.search_policy()


def decomposition(tree: GameTree, scheme: str, iterations: int, gadget: str, depth: int) -> Any:
    """Return the result of CFR-D: `trunk_policy`, `root_values` and `result`."""
    return solve_by_decomposition(
        cut_tree(tree, depth=depth),
        scheme,
        Budget(iterations=iterations),
        SubgameRegret(iterations=20),
        gadget,
    )
