"""Solvers: every method on several games, and transformations around them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from digest_packages.common import (
    Cells,
    evaluation_numbers,
    form_of,
    policy_numbers,
    random_policies,
    result_numbers,
    tree_of,
)
from infoset import solve
from infoset.beliefs import cut_tree
from infoset.forms import lock
from infoset.regret import SCHEMES, Distance, balanced_weights, unit_weights
from infoset.resolving import SubgameRegret, solve_by_decomposition
from infoset.runs import Budget
from infoset.solvers import (
    METHODS,
    LocalMethod,
    PerturbedMethod,
    get_method,
    perturb_game,
    quantal_gap,
    run_method,
    solve_coarse_correlated,
    solve_exactly,
)

__all__ = ["cells", "uncovered"]

# Adapters

REGRET = {
    "cfr": "cfr",
    "cfr-simultaneous": "cfr-simultaneous",
    "cfr+": "cfr+",
    "cfr+-simultaneous": "cfr+-simultaneous",
    "cfr+-quadratic": "cfr+-quadratic",
    "lcfr": "lcfr",
    "dcfr": "dcfr",
    "dcfr+": "dcfr+",
    "pcfr+": "pcfr+",
    "pcfr+-quintic": "pcfr+-quintic",
    "pdcfr+": "pdcfr+",
    "apcfr+": "apcfr+",
    "sapcfr+": "sapcfr+",
    "sapcfr+-quintic": "sapcfr+-quintic",
    "sapdcfr+": "sapdcfr+",
    "hs-dcfr": "hs-dcfr",
    "hs-dcfr-15": "hs-dcfr-15",
    "hs-pcfr+": "hs-pcfr+",
    "hs-pcfr+-15": "hs-pcfr+-15",
    "hs-pdcfr+": "hs-pdcfr+",
}
"""Schemes of the CFR family for any game: current names by ids."""

ANY_GAME = {"auto": "auto", "xfp": "xfp"}
"""Other methods for any game."""

CONSTANT_SUM = {
    "cfr-br": "cfr-br",
    "rtcfr+": "rtcfr+",
    "reg-cfr": "reg-cfr",
    "rnad": "rnad",
    "omd": "omd",
    "ftrl": "ftrl",
    "optimistic-omd": "optimistic-omd",
    "optimistic-ftrl": "optimistic-ftrl",
    "mirror-prox": "mirror-prox",
    "mmd": "mmd",
    "mmd-moving": "mmd-moving",
    "egt": "egt",
}
"""Iterative methods for two-player constant-sum games."""

PROGRAMS = {"lp": "lp", "lp-ipm": "lp-ipm", "lp-refined": "lp-refined"}
"""Linear programs."""


def uncovered() -> list[str]:
    """Return methods without a digest."""
    return sorted(set(METHODS) - {*(REGRET | ANY_GAME | CONSTANT_SUM | PROGRAMS).values()})


def solved(game: str, method: Any, iterations: int | None, **options: Any) -> object:
    """Return the result of a method; without `iterations`, the method stops by its own rule."""
    return result_numbers(solve(form_of(game), method, iterations=iterations, **options))


def hedge(row: Any, values: Any, policy: Any, state: Any) -> None:
    """Play multiplicative weights at every infostate."""
    state[0] += values
    weights = np.exp(row[0] * (state[0] - state[0].max(axis=0)))
    policy[:] = weights / weights.sum(axis=0)


HEDGE = LocalMethod("hedge", hedge, schedule=lambda t: 5 / np.sqrt(t))


def locked(game: str, method: str, player: int) -> object:
    """Return a solution with every third infostate of a player locked to a random policy."""
    form, policy = form_of(game), random_policies(game, 1)[0]
    rows = [row for row in policy.rows() if row.player == player][::3]
    keys = [(row.infostate, row.player) for row in rows]
    fixed = lock(form, {key: policy[key] for key in keys})
    found = run_method(get_method(method), fixed, Budget(iterations=50))
    rest = fixed.to_sequence_form()
    kept = tuple(
        np.flatnonzero(~np.append(False, np.repeat(held, plex.num_actions)))
        for held, plex in zip(fixed.locked, form.treeplexes, strict=True)
    )
    arrays = (rest.terminal_sequence, rest.payoff, kept)
    return arrays, result_numbers(found)


def trembled(game: str, method: str, least: float) -> object:
    """Return a solution with a minimum probability of every action."""
    perturbed = perturb_game(form_of(game), least)
    found = perturbed.solve(method, Budget(iterations=50))
    mixed = perturbed.mix(random_policies(game, 1)[0])
    measured = evaluation_numbers(perturbed.evaluate(mixed))
    return perturbed.min_probabilities, measured, result_numbers(found)


def resumed(game: str, method: str) -> object:
    """Return the result of a run interrupted halfway and resumed from its checkpoint."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        solve(
            form_of(game),
            method,
            iterations=60,
            checkpoint=path,
            checkpoint_seconds=0,
            callback=lambda point: point.iteration >= 25,
        )
        found = solve(form_of(game), method, iterations=60, checkpoint=path)
    return result_numbers(found)


def decomposed(game: str, scheme: str, iterations: int, depth: int) -> object:
    """Return the result of CFR-D with a trunk of the given depth."""
    cut = cut_tree(tree_of(game), depth=depth)
    found = solve_by_decomposition(
        cut, scheme, Budget(iterations=iterations), SubgameRegret(iterations=20)
    )
    values = [found.root_values[root] for root in sorted(found.root_values)]
    return policy_numbers(found.trunk_policy), values, result_numbers(found.result)


def correlated(game: str, scheme: str, keep_every: int) -> object:
    """Return an approximate coarse correlated equilibrium."""
    found = solve_coarse_correlated(
        form_of(game), scheme, Budget(iterations=60), sample_every=keep_every
    )
    joint = (found.joint.values, found.joint.gains, found.joint.cce_gap)
    samples = [policy_numbers(policy) for policy in found.samples]
    return joint, samples, found.weights, result_numbers(found.result)


def exactly(game: str) -> object:
    """Return the exact value of a game and an exact equilibrium."""
    proof = solve_exactly(tree_of(game))
    return proof.lower, proof.upper, proof.probabilities


def to_target(game: str, method: str) -> object:
    """Return the result of a run that stops at a target."""
    return result_numbers(solve(form_of(game), method, target="1%"))


def method_variant(game: str, method: str, **changes: Any) -> object:
    """Return the result of a method with changed fields."""
    return solved(game, replace(METHODS[CONSTANT_SUM[method]], **changes), 40)


def scheme_variant(game: str, scheme: str, **changes: Any) -> object:
    """Return the result of a scheme with changed fields."""
    return solved(game, replace(SCHEMES[scheme], name="changed", **changes), 40)


# The table

TWO_PLAYERS = ("kuhn_poker", "leduc_poker", "goofspiel_4", "rock_paper_scissors")
OTHERS = ("kuhn_poker_3", "shapley")
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "threads": {"threads": 2},
    "float32": {"precision": "float32"},
    "float32-threads": {"precision": "float32", "threads": 2},
}

METHOD_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "mmd/annealed": ("mmd", {"temperature": 1.0, "temperature_exponent": 0.5}),
    "mmd/euclidean": ("mmd", {"distance": Distance("euclidean", unit_weights)}),
    "mmd-moving/period": ("mmd-moving", {"magnet_period": 5, "alternating": False}),
    "omd/entropy": ("omd", {"distance": Distance("entropy", balanced_weights)}),
    "omd/last": ("omd", {"answers_last": True, "step_size": 1.0}),
    "ftrl/entropy": ("ftrl", {"distance": Distance("entropy", unit_weights)}),
    "mirror-prox/entropy": ("mirror-prox", {"distance": Distance("entropy", balanced_weights)}),
    "optimistic-omd/alternating": ("optimistic-omd", {"alternating": True}),
    "egt/euclidean": ("egt", {"distance": Distance("euclidean", balanced_weights)}),
    "rtcfr+/period": ("rtcfr+", {"strength": 0.01, "period": 7}),
    "reg-cfr/period": ("reg-cfr", {"temperature": 0.01, "period": 7}),
    "rnad/gate": ("rnad", {"step_size": 0.2, "period": 7, "gate": 0.5, "alternating": False}),
    "cfr-br/cfr+": ("cfr-br", {"scheme": SCHEMES["cfr+"]}),
}
"""Changed methods by ids: id of the method, and its changed fields."""

SINGLE = ("cfr", "cfr+", "dcfr", "pcfr+", "apcfr+", "hs-pdcfr+")


def cells() -> Cells:
    """Yield the digests of the package."""
    for name, method in (REGRET | ANY_GAME).items():
        for game in TWO_PLAYERS + OTHERS:
            yield f"{name}/{game}", partial(solved, game, method, 60)
    for name, method in CONSTANT_SUM.items():
        for game in TWO_PLAYERS:
            yield f"{name}/{game}", partial(solved, game, method, 60)
    for name, method in PROGRAMS.items():
        for game in TWO_PLAYERS:
            yield f"{name}/{game}", partial(solved, game, method, None)
    yield from precision_cells()
    yield from variant_cells()


def precision_cells() -> Cells:
    """Yield runs in float32, with threads, and resumed."""
    for name in SINGLE:
        for game in ("kuhn_poker", "leduc_poker", "kuhn_poker_3"):
            run = partial(solved, game, REGRET[name], 60, precision="float32")
            yield f"float32/{name}/{game}", run
        yield (
            f"threads/{name}/leduc_poker",
            partial(solved, "leduc_poker", REGRET[name], 40, threads=2),
        )
    yield (
        "threads/float32/leduc_poker",
        partial(solved, "leduc_poker", REGRET["cfr+"], 40, threads=2, precision="float32"),
    )
    for name in ("cfr", "cfr+", "pcfr+"):
        for text, options in OPTIONS.items():
            run = partial(solved, "liars_dice_6", REGRET[name], 8, **options)
            yield f"large/{text}/{name}/liars_dice_6", run
    for name, method in (REGRET | CONSTANT_SUM | {"xfp": ANY_GAME["xfp"]}).items():
        yield f"resumed/{name}/kuhn_poker", partial(resumed, "kuhn_poker", method)


def variant_cells() -> Cells:
    """Yield locked and perturbed games, decomposition, correlated and exact equilibria."""
    for name in ("cfr+", "dcfr", "lp"):
        method = (REGRET | PROGRAMS)[name]
        for game in ("kuhn_poker", "leduc_poker"):
            yield f"locked/{name}/{game}", partial(locked, game, method, 0)
            yield f"least-probability/{name}/{game}", partial(trembled, game, method, 0.02)
    yield "locked/cfr/kuhn_poker_3", partial(locked, "kuhn_poker_3", REGRET["cfr"], 1)
    yield (
        "least-probability/row/leduc_poker",
        partial(solved, "leduc_poker", PerturbedMethod(0.01, REGRET["cfr+"]), 50),
    )
    for name in ("cfr", "cfr+", "cfr+-simultaneous"):
        yield f"cfr-d/{name}/kuhn_poker", partial(decomposed, "kuhn_poker", REGRET[name], 20, 2)
    yield "cfr-d/cfr+/leduc_poker", partial(decomposed, "leduc_poker", REGRET["cfr+"], 2, 4)
    for name in ("cfr", "cfr+", "dcfr"):
        for game in ("kuhn_poker_3", "shapley", "chicken"):
            yield f"coarse-correlated/{name}/{game}", partial(correlated, game, REGRET[name], 7)
    for game in ("kuhn_poker", "rock_paper_scissors", "goofspiel_3", "liars_dice_3"):
        yield f"exact/{game}", partial(exactly, game)
    for game in ("kuhn_poker", "leduc_poker", "kuhn_poker_3"):
        yield f"local/{game}", partial(solved, game, HEDGE, 40)
    for game in ("kuhn_poker", "rock_paper_scissors", "goofspiel_4"):
        for name in ("auto", "cfr+", "egt"):
            method = (REGRET | ANY_GAME | CONSTANT_SUM)[name]
            yield f"target/{name}/{game}", partial(to_target, game, method)
    for name, (method, changes) in METHOD_VARIANTS.items():
        for game in ("kuhn_poker", "leduc_poker"):
            yield f"variant/{name}/{game}", partial(method_variant, game, method, **changes)
    yield "delay/leduc_poker", partial(scheme_variant, "leduc_poker", "cfr+", average_delay=10)
    yield (
        "averages-next/leduc_poker",
        partial(scheme_variant, "leduc_poker", "pcfr+", averages_next=True),
    )
    for temperature in (0.01, 1.0):
        yield (
            f"quantal-gap/{temperature}",
            lambda temperature=temperature: [
                quantal_gap(policy, temperature) for policy in random_policies("leduc_poker", 3)
            ],
        )
