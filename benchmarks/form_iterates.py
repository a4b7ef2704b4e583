"""Iterates and values of locked, cut and gadget games, to compare two versions of the library.

    python benchmarks/form_iterates.py --write FILE.npz      # compute and save
    python benchmarks/form_iterates.py --compare FILE.npz    # compute and compare with saved ones
    python benchmarks/form_iterates.py --compare FILE.npz --only locked/public

Digests tell only whether all bits are equal. Where a change adds numbers in another order, iterates
may differ by rounding. Differences stay small if no two actions of an infostate are equally good,
so these games have random payoffs, priors, blueprints and locked probabilities.

For each game, the file has realization plans after 1, 10 and 100 iterations, current and average
ones, and values, gains and guarantees, divided by the range of the payoffs. The comparison prints
the largest difference of both for each game, and fails above the limits: 1e-12 for plans and 1e-9
for values. Long runs of some schemes on large games amplify rounding to more than that. The file
therefore has the effect of relative errors of 1e-15 in the payoffs on each array, and ten times
this effect is accepted; such games are marked. Writing takes a minute of processor time, and
comparing a third of it.

Calls of the library are in `digest_packages/form_adapters.py` and `resolving_adapters.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from digest_packages import form_adapters as adapters
from digest_packages import resolving_adapters as games

ITERATIONS = (1, 10, 100)
LIMITS = {"plans": 1e-12, "values": 1e-9}
NOISE, ACCEPTED = 1e-15, 10
"""Relative errors of payoffs, and the accepted multiple of their effect."""

EFFECT = "effect of noise on "
"""Beginning of the names of effects in a file."""

Numbers: TypeAlias = dict[str, Any]
"""Arrays by name; names begin with a key of `LIMITS`."""

Cell: TypeAlias = Callable[[int, float], Numbers]
"""Computes the numbers of a game, given the seed of its random payoffs and the noise."""


def main() -> None:
    """Compute the numbers, then save or compare them."""
    arguments = parse_arguments()
    chosen = {name: cell for name, cell in cells() if arguments.only in name}
    if arguments.write:
        write(chosen, arguments.write)
    else:
        sys.exit(0 if compare(chosen, arguments.compare, arguments.only) else 1)


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", type=Path, help="save the numbers to a file")
    mode.add_argument("--compare", type=Path, help="compare the numbers with those of a file")
    parser.add_argument("--only", default="", help="limit to games whose ids contain this text")
    return parser.parse_args()


def write(chosen: dict[str, Cell], path: Path) -> None:
    """Save the numbers of games, and the effects of noise on them."""
    arrays = Numbers()
    for name, cell in chosen.items():
        seed = SEEDS.get(name, 0)
        found = cell(seed, 0.0)
        noisy = [cell(seed, noise) for noise in (NOISE, -NOISE)]
        for part, numbers in found.items():
            arrays[f"{name}:{part}"] = numbers
            effect = max(difference(numbers, other[part]) for other in noisy)
            arrays[f"{EFFECT}{name}:{part}"] = np.array(effect)
    np.savez_compressed(path, **arrays)
    print(f"{len(chosen)} games, {len(arrays) // 2} arrays")


def compare(chosen: dict[str, Cell], path: Path, only: str = "") -> bool:
    """Print the largest differences from a file; return whether all are within the limits."""
    known, effects = read(path)
    wanted = {name for name in known if only in name}
    for name in sorted(chosen.keys() ^ wanted):
        print(f"{'missing' if name in wanted else 'extra'}: {name}")
    is_equal, worst = chosen.keys() == wanted, dict.fromkeys(LIMITS, 0.0)
    for name in [name for name in chosen if name in wanted]:
        found = chosen[name](SEEDS.get(name, 0), 0.0)
        gaps, beyond = compared(found, known[name], effects[name])
        marks = [f"  {kind} are sensitive to rounding" for kind in sensitive(effects[name])]
        marks += [f"  BEYOND THE LIMIT: {', '.join(beyond)}"] if beyond else []
        print(f"plans {gaps['plans']:.1e}, values {gaps['values']:.1e}  {name}{''.join(marks)}")
        is_equal &= not beyond
        worst = {kind: max(gap, worst[kind]) for kind, gap in gaps.items()}
    print(f"{len(chosen)} games; largest differences: {worst}")
    return is_equal


def read(path: Path) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
    """Return the numbers in a file by game, and the effects of noise."""
    known: dict[str, Numbers] = {}
    effects: dict[str, Numbers] = {}
    with np.load(path) as saved:
        for key in saved.files:
            name, _, part = key.removeprefix(EFFECT).partition(":")
            target = effects if key.startswith(EFFECT) else known
            target.setdefault(name, {})[part] = saved[key]
    return known, effects


def compared(
    found: Numbers, known: Numbers, effects: Numbers
) -> tuple[dict[str, float], list[str]]:
    """Return the largest difference of plans and of values, and the arrays beyond their limits."""
    gaps, beyond = dict.fromkeys(LIMITS, 0.0), []
    for part in sorted(found.keys() | known.keys()):
        kind = part.partition("/")[0]
        both = part in found and part in known
        gap = difference(found[part], known[part]) if both else np.inf
        gaps[kind] = max(gaps[kind], gap)
        if not (both and gap <= max(LIMITS[kind], ACCEPTED * float(effects[part]))):
            beyond.append(part)
    return gaps, beyond


def sensitive(effects: Numbers) -> list[str]:
    """Return the kinds of arrays for which more than the limit is accepted."""
    return [
        kind
        for kind, limit in LIMITS.items()
        if any(e * ACCEPTED > limit for part, e in effects.items() if part.startswith(kind))
    ]


def difference(one: Any, other: Any) -> float:
    """Return the largest difference of two arrays; infinite if shapes or NaN differ."""
    if one.shape != other.shape or (np.isnan(one) != np.isnan(other)).any():
        return np.inf
    return float(np.nan_to_num(np.abs(one - other)).max(initial=0.0))


# Numbers


def stepped(steps: adapters.Steps, width: float | None, players: tuple[int, ...]) -> Numbers:
    """Return plans after some iterations and, given the range of the payoffs, values."""
    found, done = Numbers(), 0
    for target in ITERATIONS:
        steps.run(target - done)
        done = target
        average = steps.average()
        for kind, policy in (("current", steps.current()), ("average", average)):
            plans = adapters.plans_of(policy)
            for player in players:
                found[f"plans/{target}/{kind}/{player}"] = plans[player]
        if width is not None:
            found[f"values/{target}"] = evaluation_array(steps.measure(average), width)
    return found


def evaluation_array(measured: Any, width: float) -> Any:
    """Return values, gains and guarantees, divided by the range of the payoffs."""
    numbers = [*measured.values, *measured.gains, *(measured.security_levels or ())]
    return np.array(numbers) / width


def without_ties(kind: str, name: str, seed: int, noise: float) -> Any:
    """Return a form with random payoffs."""
    if kind == "public":
        return adapters.public_without_ties(adapters.public_form(name), seed, noise)
    return adapters.tree_form(adapters.tree_without_ties(adapters.game_tree(name), seed, noise))


def locked(kind: str, name: str, scheme: str, seed: int, noise: float) -> Numbers:
    """Return numbers of a game in which every third infostate of all players is locked."""
    form = without_ties(kind, name, seed, noise)
    infostates = [np.arange(p, x.num_infostates, 3) for p, x in enumerate(form.treeplexes)]
    policy = adapters.random_policy_on(form, seed + 22)
    game, width = games.lock(form, policy, infostates), adapters.payoff_width(form)
    found = stepped(games.steps_locked(game, scheme), width, tuple(range(form.num_players)))
    other = adapters.random_policy_on(form, seed + 23)
    found["values/policy"] = evaluation_array(games.measure_locked(game, other), width)
    solved = games.solve_game(game, scheme, 100).measured
    found["values/solved"] = evaluation_array(solved, width)
    return found


def cut(name: str, depth: int, values: str, scheme: str, seed: int, noise: float) -> Numbers:
    """Return numbers of a public form that is cut."""
    form = without_ties("public", name, seed, noise)
    if values == "continuation":
        leaf_values = games.continuation(adapters.random_policy_on(form, seed + 24))
    else:
        leaf_values = games.fixed_values(form, depth, seed + 25)
    game, width = games.cut(form, leaf_values, depth), adapters.payoff_width(form)
    found = stepped(games.steps_cut(game, scheme), width, (0, 1))
    solved = games.solve_game(game, scheme, 100)
    whole = games.complete(game, solved.policy, adapters.random_policy_on(form, seed + 24))
    found["values/solved"] = evaluation_array(solved.measured, width)
    found["values/whole"] = evaluation_array(adapters.measure(whole), width)
    return found


def public_gadget(
    name: str, player: int, gadget: str, depth: int | None, scheme: str, seed: int, noise: float
) -> Numbers:
    """Return numbers of a subgame of a public form that is solved again."""
    form = without_ties("public", name, seed, noise)
    blueprint, width = adapters.random_policy_on(form, seed + 26), adapters.payoff_width(form)
    node, other = games.public_node(form, player, 0), 1 - player
    places = adapters.place_values(blueprint)
    ranges = [places.own_reach(node, 0), places.own_reach(node, 1)]
    worth = None
    if gadget == "resolving":
        ranges[other] = np.ones(form.num_hands[other])
        worth = np.nan_to_num(places.response_values(node, other), nan=0.0)
    limit: dict[str, Any] = {}
    if depth is not None:
        limit = {"depth": depth, "leaf_values": games.continuation(blueprint)}
    game = games.public_gadget(form, node, player, (ranges[0], ranges[1]), worth, **limit)
    found = stepped(games.steps_cut(game, scheme), width, (player,))
    solved = games.resolve_public(blueprint, node, player, gadget, 100, method=scheme, **limit)
    found["plans/policy"] = adapters.plans_of(solved.policy)[player]
    found["values/offered"] = solved.opponent_values / width
    found["values/solved"] = evaluation_array(solved.result.measured, width)
    found["values/policy"] = evaluation_array(adapters.measure(solved.policy), width)
    return found


def tree_gadget(name: str, gadget: str, seed: int, noise: float) -> Numbers:
    """Return numbers of subgames of a tree that are solved again."""
    tree, found = adapters.tree_without_ties(adapters.game_tree(name), seed, noise), Numbers()
    blueprint = adapters.random_policy_on(adapters.tree_form(tree), seed + 28)
    width = adapters.payoff_width(adapters.tree_form(tree))
    for player in range(2):
        for state in games.states_to_resolve(tree, player, 3):
            made = games.tree_gadget(tree, blueprint, state, player, gadget)
            steps = adapters.steps_on(games.tree_gadget_form(made, gadget), "cfr+")
            # The opponent may choose between infostates at which it gains nothing: no values.
            for part, numbers in stepped(steps, None, (player,)).items():
                found[f"{part}/{player}-{state}"] = numbers
            average = steps.average().probabilities[player]
            earned = games.response_values(made, average)
            found[f"values/earned/{player}-{state}"] = earned / width
    return found


def continual(name: str, gadget: str, depth: int | None, seed: int, noise: float) -> Numbers:
    """Return numbers of continual re-solving on a tree."""
    tree = adapters.tree_without_ties(adapters.game_tree(name), seed, noise)
    form = adapters.tree_form(tree)
    blueprint = adapters.random_policy_on(form, seed + 30)
    opponent = "previous" if depth else "best_response"
    policy = games.continual(tree, blueprint, 100, gadget=gadget, opponent=opponent, depth=depth)
    plans = adapters.plans_of(policy)
    measured = evaluation_array(adapters.measure(policy), adapters.payoff_width(form))
    return {"plans/0": plans[0], "plans/1": plans[1], "values/policy": measured}


def decomposed(name: str, gadget: str, scheme: str, seed: int, noise: float) -> Numbers:
    """Return numbers of CFR-D."""
    tree, found = adapters.tree_without_ties(adapters.game_tree(name), seed, noise), Numbers()
    width = adapters.payoff_width(adapters.tree_form(tree))
    for iterations in (1, 10):
        solved = games.decomposition(tree, scheme, iterations, gadget, 2)
        for player, plan in enumerate(adapters.plans_of(solved.trunk_policy)):
            found[f"plans/{iterations}/{player}"] = plan
        for root, own in solved.root_values.items():
            found[f"values/{iterations}/root-{root}"] = np.concatenate(own) / width
        found[f"values/{iterations}"] = evaluation_array(solved.result.measured, width)
    return found


# The table

SEEDS = {
    "locked/public/leduc_poker/cfr": 5,
    "locked/public/leduc_poker/cfr+": 1,
    "locked/public/liars_dice_3/cfr": 6,
    "locked/public/liars_dice_3/dcfr": 9,
    "locked/public/liars_dice_3/pcfr+": 1,
    "locked/public/river/cfr": 8,
    "locked/public/river/dcfr": 6,
    "locked/public/river/pcfr+": 1,
    "locked/public/river_merged/cfr": 8,
    "locked/public/river_merged/dcfr": 8,
    "locked/public/river_rake/cfr": 1,
    "locked/public/river_rake/dcfr": 1,
    "locked/sequence/leduc_poker/cfr": 5,
    "locked/sequence/leduc_poker/cfr+": 3,
    "locked/sequence/leduc_poker/pcfr+": 3,
    "locked/sequence/random_3/cfr": 1,
    "locked/sequence/random_3/dcfr": 1,
    "cut/continuation/river_merged/dcfr": 3,
    "cut/fixed/river_merged/dcfr": 2,
    "cut/continuation/river_rake/cfr+": 1,
    "cut/continuation/river_rake/dcfr": 1,
    "gadget/public/none/end/leduc_poker/0": 4,
    "gadget/public/none/end/river_merged/0": 2,
    "gadget/tree/none/kuhn_poker": 1,
    "gadget/tree/max-margin/kuhn_poker": 3,
    "gadget/tree/reach-max-margin/kuhn_poker": 3,
    "gadget/tree/none/liars_dice_3": 2,
    "continual/none/depth-1/liars_dice_3": 2,
    "gadget/tree/resolving/liars_dice_3": 3,
    "continual/max-margin/end/liars_dice_3": 1,
    "gadget/tree/reach-max-margin/liars_dice_3": 8,
    "continual/reach-max-margin/depth-1/liars_dice_3": 7,
    "continual/reach-max-margin/end/liars_dice_3": 2,
}
"""Seeds of games whose numbers are sensitive to rounding with the seed 0, but not with these."""

SCHEMES = ("cfr", "cfr+", "dcfr", "pcfr+")
LOCKED = {
    "public": ("leduc_poker", "liars_dice_3", "river", "river_merged", "river_rake"),
    "sequence": ("leduc_poker", "general_sum", "kuhn_poker_3", "random_3"),
}
CUT = {"leduc_poker": 2, "river": 1, "river_merged": 2, "river_rake": 1, "turn_merged": 2}
"""Depths at which public forms are cut."""


def cells() -> Iterator[tuple[str, Cell]]:
    """Yield the ids of games, and the functions that compute their numbers."""
    for kind, names in LOCKED.items():
        for name, scheme in product(names, SCHEMES):
            yield f"locked/{kind}/{name}/{scheme}", partial(locked, kind, name, scheme)
    for (name, depth), values in product(CUT.items(), ("continuation", "fixed")):
        for scheme in ("cfr+", "dcfr") if name != "turn_merged" else ("cfr+",):
            yield f"cut/{values}/{name}/{scheme}", partial(cut, name, depth, values, scheme)
    for name, player in product(("leduc_poker", "river", "river_merged"), range(2)):
        for gadget, depth in product(("resolving", "none"), (None, 1)):
            text = "end" if depth is None else f"depth-{depth}"
            yield (
                f"gadget/public/{gadget}/{text}/{name}/{player}",
                partial(public_gadget, name, player, gadget, depth, "cfr+"),
            )
    for player in range(2):
        yield (
            f"gadget/public/none/end/river_rake/{player}",
            partial(public_gadget, "river_rake", player, "none", None, "dcfr"),
        )
    gadgets = ("none", "resolving", "max-margin", "reach-max-margin")
    for name, gadget in product(("kuhn_poker", "leduc_poker", "liars_dice_3"), gadgets):
        yield f"gadget/tree/{gadget}/{name}", partial(tree_gadget, name, gadget)
        if name != "leduc_poker":
            for depth in (1, None):
                text = "end" if depth is None else f"depth-{depth}"
                yield f"continual/{gadget}/{text}/{name}", partial(continual, name, gadget, depth)
    for name, gadget in product(("kuhn_poker", "liars_dice_3"), ("none", "resolving")):
        yield f"cfr-d/{gadget}/{name}", partial(decomposed, name, gadget, "cfr+")
    for name in ("kuhn_poker_3", "general_sum"):
        yield f"cfr-d/none/{name}", partial(decomposed, name, "none", "cfr")


if __name__ == "__main__":
    main()
