"""Games made from forms, and re-solving: locked, cut, and with a gadget; CFR-D.

Unlike the games of `form_iterates.py`, these have ties.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

from digest_packages import form_adapters as adapters
from digest_packages import resolving_adapters as games
from digest_packages.common import Cells, evaluation_numbers, policy_numbers, result_numbers
from infoset.resolving import GADGETS

__all__ = ["cells"]


@cache
def locked_game(kind: str, name: str) -> Any:
    """Return a game in which a random policy is locked at every third infostate of a player."""
    form = adapters.form_by_id(kind, name)
    infostates = [np.zeros(0, np.int64) for _ in range(form.num_players)]
    infostates[-1] = np.arange(0, form.treeplexes[-1].num_infostates, 3)
    return games.lock(form, adapters.random_policy_on(form, 8), infostates)


@cache
def cut_game(name: str, depth: int, values: str) -> Any:
    """Return a public form that is cut, with values of a random policy or fixed ones."""
    form = adapters.public_form(name)
    if values == "continuation":
        leaf_values: Any = games.continuation(adapters.random_policy_on(form, 9))
    else:
        leaf_values = games.fixed_values(form, depth, 10)
    return games.cut(form, leaf_values, depth)


def stepped(steps: adapters.Steps) -> object:
    """Return policies after 1, 10 and 30 iterations, and their evaluation."""
    found, done = list[object](), 0
    for target in (1, 10, 30):
        steps.run(target - done)
        done = target
        average = steps.average()
        found.append((policy_numbers(steps.current()), policy_numbers(average)))
        found.append(evaluation_numbers(steps.measure(average)))
    return found


def locked_steps(kind: str, name: str, scheme: str) -> object:
    """Return iterates on a locked game."""
    return stepped(games.steps_locked(locked_game(kind, name), scheme))


def locked_solved(kind: str, name: str, method: str, iterations: int | None) -> object:
    """Return the result of a method on a locked game, and measurements of policies."""
    game, form = locked_game(kind, name), adapters.form_by_id(kind, name)
    policies = adapters.uniform(form), adapters.random_policy_on(form, 3)
    measured = [evaluation_numbers(games.measure_locked(game, one)) for one in policies]
    return result_numbers(games.solve_game(game, method, iterations)), measured


def cut_steps(name: str, depth: int, values: str, scheme: str) -> object:
    """Return iterates on a cut public form."""
    return stepped(games.steps_cut(cut_game(name, depth, values), scheme))


def cut_solved(name: str, depth: int, values: str, method: str) -> object:
    """Return the result of a method on a cut public form, completed to a policy of the whole."""
    game = cut_game(name, depth, values)
    found = games.solve_game(game, method, 40)
    below = adapters.random_policy_on(adapters.public_form(name), 9)
    whole = games.complete(game, found.policy, below)
    return result_numbers(found), policy_numbers(whole)


def resolved_public(name: str, player: int, gadget: str, method: str, depth: int | None) -> object:
    """Return solutions of subgames of a public form."""
    form, found = adapters.public_form(name), list[object]()
    blueprint = adapters.random_policy_on(form, 12)
    options: dict[str, Any] = {"method": method}
    if depth is not None:
        options |= {"depth": depth, "leaf_values": games.continuation(blueprint)}
    for place in (0, -1):
        node = games.public_node(form, player, place)
        solved = games.resolve_public(blueprint, node, player, gadget, 30, **options)
        found.append((policy_numbers(solved.policy), solved.opponent_values))
        found.append(result_numbers(solved.result))
    return found


def tree_gadgets(name: str, gadget: str) -> object:
    """Return iterates of gadget games on a tree, and what a best response earns."""
    tree, found = adapters.game_tree(name), list[object]()
    blueprint = adapters.random_policy_on(adapters.tree_form(tree), 13)
    for player in range(2):
        for state in games.states_to_resolve(tree, player, 3):
            made = games.tree_gadget(tree, blueprint, state, player, gadget)
            steps = adapters.steps_on(games.tree_gadget_form(made, gadget), "cfr+")
            steps.run(30)
            average = steps.average().probabilities[player]
            found.append((made.own_range, made.opponent, made.gifts, average))
            found.append(games.response_values(made, average))
    return found


def continual(name: str, gadget: str, opponent: str, depth: int | None) -> object:
    """Return the policy of continual re-solving on a tree, and its evaluation."""
    tree = adapters.game_tree(name)
    blueprint = adapters.random_policy_on(adapters.tree_form(tree), 13)
    found = games.continual(tree, blueprint, 30, gadget=gadget, opponent=opponent, depth=depth)
    return policy_numbers(found), evaluation_numbers(adapters.measure(found))


def decomposed(name: str, gadget: str, scheme: str) -> object:
    """Return the result of CFR-D."""
    found = games.decomposition(adapters.game_tree(name), scheme, 6, gadget, 2)
    values = [found.root_values[root] for root in sorted(found.root_values)]
    return policy_numbers(found.trunk_policy), values, result_numbers(found.result)


# The table

SCHEMES = ("cfr", "cfr+", "dcfr")
LOCKED = {
    "public": ("leduc_poker", "liars_dice_3", "river", "river_merged", "river_rake"),
    "sequence": ("leduc_poker", "general_sum", "kuhn_poker_3", "random_3"),
}
CUT = {"leduc_poker": 2, "river": 1, "river_merged": 2, "river_rake": 1, "turn_merged": 3}
"""Depths at which public forms are cut."""


def cells() -> Cells:
    """Yield the digests of the package."""
    for kind, names in LOCKED.items():
        for name, scheme in product(names, SCHEMES):
            yield f"locked-steps/{scheme}/{kind}/{name}", partial(locked_steps, kind, name, scheme)
            yield (
                f"locked/{scheme}/{kind}/{name}",
                partial(locked_solved, kind, name, scheme, 40),
            )
    yield (
        "locked/lp/sequence/leduc_poker",
        partial(locked_solved, "sequence", "leduc_poker", "lp", None),
    )
    for (name, depth), values in product(CUT.items(), ("continuation", "fixed")):
        for scheme in ("cfr+", "dcfr"):
            yield (
                f"cut-steps/{scheme}/{values}/{name}",
                partial(cut_steps, name, depth, values, scheme),
            )
        yield f"cut/cfr+/{values}/{name}", partial(cut_solved, name, depth, values, "cfr+")
    yield from resolving_cells()


def resolving_cells() -> Cells:
    """Yield re-solving on public forms and on trees, and CFR-D."""
    for name, player in product(("leduc_poker", "river", "river_merged"), range(2)):
        for gadget, depth in product(("resolving", "none"), (None, 1)):
            text = "end" if depth is None else f"depth-{depth}"
            yield (
                f"public/{gadget}/{text}/{player}/{name}",
                partial(resolved_public, name, player, gadget, "cfr+", depth),
            )
    for player in range(2):
        yield (
            f"public/none/end/{player}/river_rake",
            partial(resolved_public, "river_rake", player, "none", "dcfr", None),
        )
    for name, gadget in product(("kuhn_poker", "leduc_poker", "liars_dice_3"), GADGETS):
        yield f"gadget/{gadget}/{name}", partial(tree_gadgets, name, gadget)
        for depth in (1, None):
            opponent = "previous" if depth else "best_response"
            text = "end" if depth is None else f"depth-{depth}"
            if name != "leduc_poker":
                yield (
                    f"continual/{gadget}/{text}/{name}",
                    partial(continual, name, gadget, opponent, depth),
                )
    yield (
        "continual/resolving/profile/kuhn_poker",
        partial(continual, "kuhn_poker", "resolving", "profile", 1),
    )
    for name in ("kuhn_poker", "liars_dice_3"):
        for gadget in ("none", "resolving", "max-margin"):
            yield f"cfr-d/{gadget}/{name}", partial(decomposed, name, gadget, "cfr+")
    for name in ("kuhn_poker_3", "general_sum"):
        yield f"cfr-d/none/{name}", partial(decomposed, name, "none", "cfr")
