"""Regret minimization: schedules, layouts, gradients, minimizers, and prox mappings."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from digest_packages.common import Cells, form_of, random_policies, tree_of
from digest_packages.solvers import REGRET, hedge
from infoset.forms import block_gradient, block_payoffs
from infoset.regret import (
    SCHEMES,
    Distance,
    LocalMinimizer,
    PlayerMinimizer,
    RegretMinimizer,
    TreeplexProx,
    balanced_weights,
    rule_of_scheme,
    unit_weights,
)
from infoset.tree import derive_public_form

__all__ = ["cells"]

# Adapters

DISTANCES = {
    "entropy": lambda: Distance("entropy", unit_weights),
    "euclidean": lambda: Distance("euclidean", unit_weights),
    "entropy-balanced": lambda: Distance("entropy", balanced_weights),
    "euclidean-balanced": lambda: Distance("euclidean", balanced_weights),
}


def schedule(scheme: str) -> object:
    """Return schedule rows of some iterations of a scheme."""
    row = SCHEMES[REGRET[scheme]]
    return row.schedule(1, 40), row.schedule(900, 5)


def layouts(game: str) -> object:
    """Return sequence layouts, block payoffs and their gradients."""
    form = form_of(game)
    found = form.layouts
    arrays = [
        (layout.groups, layout.parent, layout.position, layout.infostate, layout.blocks)
        for layout in found
    ]
    pairs = [
        tuple(block_payoffs(form.terminal_sequence, form.payoff[:, player], found, player))
        for player in range(2)
    ]
    gradients = []
    for player in range(2):
        plan = random_policies(game, 1)[0].realization_plan(1 - player)
        gradient = np.zeros(form.treeplexes[player].num_sequences)
        positions = found[1 - player].to_positions(plan)
        block_gradient(
            block_payoffs(form.terminal_sequence, form.payoff[:, player], found, player),
            positions,
            gradient,
        )
        gradients.append(gradient)
    return arrays, pairs, gradients


def gradients(game: str) -> object:
    """Return gradients of random policies."""
    form = form_of(game)
    return [
        form.gradient(policy.realization_plans(), player)
        for policy in random_policies(game, 2)
        for player in range(form.num_players)
    ]


def minimized(game: str, scheme: str, precision: str) -> object:
    """Return the state of a minimizer."""
    minimizer = RegretMinimizer(form_of(game), SCHEMES[REGRET[scheme]], precision)
    minimizer.run(30)
    players = range(form_of(game).num_players)
    return (
        minimizer.average_plans(),
        minimizer.current_plans(),
        minimizer.current_probabilities(),
        [minimizer.regrets(player) for player in players],
    )


def public(game: str, scheme: str, precision: str) -> object:
    """Return the state of a minimizer on a public form, and gradients of its plans."""
    form = derive_public_form(tree_of(game))
    minimizer = RegretMinimizer(form, SCHEMES[REGRET[scheme]], precision)
    minimizer.run(30)
    plans = minimizer.average_plans()
    return (
        plans,
        minimizer.current_probabilities(),
        [form.gradient(plans, player) for player in range(2)],
    )


def one_player(game: str, scheme: str) -> object:
    """Return the state of a single-player minimizer on random gradients."""
    plex = form_of(game).treeplexes[0]
    minimizer = PlayerMinimizer(plex, SCHEMES[REGRET[scheme]])
    rng = np.random.default_rng(2)
    for _ in range(12):
        minimizer.observe(rng.normal(size=plex.num_sequences))
    return minimizer.plan(), minimizer.probabilities(), minimizer.average_plan()


def local(game: str, scheme: str, least: float) -> object:
    """Return the state of a member of the CFR family as a local rule."""
    form, row = form_of(game), SCHEMES[REGRET[scheme]]
    rule, rows, num_arrays = rule_of_scheme(row)
    bounds = None
    if least:
        bounds = tuple(np.full(plex.num_sequences, least) for plex in form.treeplexes)
        for bound in bounds:
            bound[0] = 0.0
    minimizer = LocalMinimizer(
        form, rule, row, num_arrays=num_arrays, schedule=rows, min_probabilities=bounds
    )
    minimizer.run(25)
    return minimizer.average_plans(), minimizer.current_probabilities()


def python_rule(game: str) -> object:
    """Return the state of a local rule written in Python."""
    minimizer = LocalMinimizer(
        form_of(game), hedge, SCHEMES[REGRET["cfr"]], num_arrays=1, schedule=np.sqrt
    )
    minimizer.run(15)
    return minimizer.average_plans(), minimizer.current_probabilities()


def prox(game: str, distance: Any) -> object:
    """Return prox responses and distances on treeplexes."""
    found: list[object] = []
    policies = random_policies(game, 3)
    rng = np.random.default_rng(6)
    for player, plex in enumerate(form_of(game).treeplexes):
        mapping = TreeplexProx(plex, distance())
        gradient = rng.normal(size=plex.num_sequences)
        center, magnet = (policy.probabilities[player] for policy in policies[:2])
        asked = (
            {"temperature": 0.3},
            {"temperature": 0.3, "magnet": magnet},
            {"inverse_step_size": 2.0, "center": center},
            {"temperature": 0.1, "magnet": magnet, "inverse_step_size": 1.5, "center": center},
        )
        found += [tuple(mapping.respond(gradient, **options)) for options in asked]
        plan = policies[2].realization_plan(player)
        behavior = policies[2].probabilities[player]
        found.append(mapping.divergence(behavior, plan))
        found.append(mapping.divergence(behavior, plan, center))
        found.append((mapping.bounds, distance().weights_of(plex)))
    return found


# The table

GAMES = ("kuhn_poker", "leduc_poker", "goofspiel_4", "rock_paper_scissors")


def cells() -> Cells:
    """Yield the digests of the package."""
    for scheme in REGRET:
        yield f"schedule/{scheme}", partial(schedule, scheme)
        yield f"player/{scheme}/leduc_poker", partial(one_player, "leduc_poker", scheme)
        for game in ("kuhn_poker", "leduc_poker", "kuhn_poker_3"):
            yield f"minimizer/{scheme}/{game}", partial(minimized, game, scheme, "float64")
            yield f"minimizer-float32/{scheme}/{game}", partial(minimized, game, scheme, "float32")
        for least in (0.0, 0.01):
            yield f"local/{scheme}/{least}", partial(local, "leduc_poker", scheme, least)
    for scheme, game in product(("cfr", "cfr+", "dcfr", "apcfr+"), ("leduc_poker", "liars_dice_3")):
        yield f"public/{scheme}/{game}", partial(public, game, scheme, "float64")
        yield f"public-float32/{scheme}/{game}", partial(public, game, scheme, "float32")
    for game in ("kuhn_poker", "kuhn_poker_3"):
        yield f"local-python/{game}", partial(python_rule, game)
    for game in GAMES:
        yield f"layouts/{game}", partial(layouts, game)
        for name, distance in DISTANCES.items():
            yield f"prox/{name}/{game}", partial(prox, game, distance)
    for game in (*GAMES, "kuhn_poker_3", "shapley"):
        yield f"gradients/{game}", partial(gradients, game)
