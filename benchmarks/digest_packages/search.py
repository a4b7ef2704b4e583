"""Searchers: every searcher on every model of a game, with fixed budgets and seeds."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from digest_packages.common import (
    Cells,
    form_of,
    game_of,
    graph_of,
    policy_numbers,
    random_policies,
    tree_of,
)
from infoset import load
from infoset.beliefs import PublicPrivateBelief
from infoset.evaluation import mean_true_state_sampling_ratio
from infoset.game import initial_history
from infoset.matches import average_search
from infoset.policy import tabulate
from infoset.search import (
    SEARCHERS,
    DiceModel,
    GraphModel,
    RulesModel,
    TricksModel,
    make_searcher,
    pimc_policy,
    search_model,
)
from infoset_studies.liars_dice_policies import pimc_table
from infoset_studies.liars_dice_values import bid_response, bidding_reach, match_value

__all__ = ["cells", "uncovered"]

# Adapters

SEARCHER_NAMES = {"pimc": "pimc", "epimc": "epimc", "ismcts": "ismcts"}
"""Current names by ids."""

LARGER = {
    "liars_dice_2x6": "liars_dice(numdice=2)",
    "liars_dice_5x6": "liars_dice(numdice=5)",
    "trick_taking_12": "trick_taking(num_cards=12,hand_size=4)",
    "trick_taking_20": "trick_taking(num_cards=20)",
}
"""Texts of the games that are searched without exploration."""


def uncovered() -> list[str]:
    """Return searchers without a digest."""
    return sorted(set(SEARCHERS) - {*SEARCHER_NAMES.values()})


def rules_of(game: str) -> Any:
    """Return the rules of a game."""
    return load(LARGER[game]) if game in LARGER else game_of(game)


@cache
def model_of(kind: str, game: str) -> Any:
    """Return a model of a game."""
    if kind == "graph":
        return GraphModel(graph_of(game))
    if kind == "tree":
        return GraphModel(tree_of(game))
    return {"dice": DiceModel, "cards": TricksModel, "rules": RulesModel, "any": search_model}[
        kind
    ](rules_of(game))


def belief_of(kind: str, game: str) -> PublicPrivateBelief:
    """Return a belief by its name in ids."""
    if kind == "inferred":
        return PublicPrivateBelief(0.3, policies=random_policies(game, 1)[0])
    if kind == "sampled":
        return PublicPrivateBelief(0.4, max_worlds=3, num_samples=20)
    public_weight = {"private": 0.0, "mixed": 0.5, "public": 1.0, "by-move": (0.6, 0.0)}[kind]
    return PublicPrivateBelief(public_weight)


def searcher_of(name: str, kind: str, game: str, belief: str, **numbers: Any) -> Any:
    """Return a searcher."""
    model = model_of(kind, game)
    if SEARCHER_NAMES[name] == "ismcts":
        numbers = {"preset": "openspiel", **numbers}
    return make_searcher(SEARCHER_NAMES[name], model, belief=belief_of(belief, game), **numbers)


@cache
def decisions(game: str, count: int) -> list[tuple[Any, tuple[Any, ...]]]:
    """Return infostates of random plays with at least two actions, and these actions."""
    rng, found = np.random.default_rng(11), {}
    while len(found) < count:
        history = initial_history(rules_of(game))
        while not history.is_terminal and len(found) < count:
            joint: list[Any] = [None] * history.game.num_players
            for player in history.actors:
                legal = tuple(history.legal_actions(player))
                joint[player] = legal[rng.integers(len(legal))]
                if len(legal) > 1:
                    found[history.infostates[player]] = legal
            history = history.sample(tuple(joint), rng)
    return list(found.items())[:count]


def record_numbers(record: Any) -> object:
    """Return the numbers of a search record except seconds."""
    counted = ("visits", "num_simulations", "num_worlds", "is_exact")
    return (
        record.values,
        record.num_nodes,
        [getattr(record, name) for name in counted if hasattr(record, name)],
    )


def searched(name: str, kind: str, game: str, belief: str, count: int, **numbers: Any) -> object:
    """Return policies and records of searches at infostates of random plays."""
    searcher = searcher_of(name, kind, game, belief, **numbers)
    rng, found = np.random.default_rng(3), []
    for infostate, _ in decisions(game, count):
        policy = searcher.search(infostate, rng)
        found.append((policy, record_numbers(searcher.last_search)))
    infostate, legal = decisions(game, count)[0]
    often = searcher.search_many(infostate, rng, 5)
    return found, often, searcher.action_probabilities(infostate, legal)


def tabulated(name: str, kind: str, game: str, belief: str, **numbers: Any) -> object:
    """Return a searcher tabulated by one call at every infostate."""
    searcher = searcher_of(name, kind, game, belief, seed=2, **numbers)
    form = form_of(game)
    return policy_numbers(tabulate(form, [searcher] * form.num_players))


def averaged(name: str, kind: str, game: str, belief: str, **numbers: Any) -> object:
    """Return the average policy of a searcher."""
    searcher = searcher_of(name, kind, game, belief, **numbers)
    found = average_search(tree_of(game), searcher, tolerance=0.1, max_repeats=60, seed=1)
    return policy_numbers(found.policy), found.repeats, found.standard_errors, found.last_changes


def roots(kind: str, game: str, belief: str, count: int) -> object:
    """Return the root positions of searches at infostates of random plays."""
    model, held = model_of(kind, game), belief_of(belief, game)
    found, rng = [], np.random.default_rng(4)
    for infostate, _ in decisions(game, count):
        places = model.roots(infostate, held, rng)
        values = None
        if kind != "rules":
            player = infostate.player
            values = model.perfect_information_values(places.states, player)
        found.append((tuple(places), model.action_indices(infostate, places), values))
    return found


def pimc_in_the_limit(game: str, belief: str, opponents: str) -> object:
    """Return the exact policy of PIMC at all infostates."""
    return policy_numbers(pimc_policy(tree_of(game), belief_of(belief, game), opponents=opponents))


def bids(game: str, public_weight: Any, **numbers: Any) -> object:
    """Return the closed form of PIMC in liar's dice and its values."""
    rules = rules_of(game)
    table = pimc_table(rules, public_weight, **numbers)
    other = pimc_table(rules, 0.0)
    responses = [bid_response(table, player) for player in range(2)] if rules.numdice < 3 else []
    reach = [bidding_reach(table, other, player) for player in range(2)]
    return (
        table.probability,
        match_value(table, other),
        match_value(other, table),
        [(response.value, response.hand_values) for response in responses],
        reach,
        [mean_true_state_sampling_ratio(rows, table.prior) for rows in reach],
        table.own_reach([rules.calls[1], rules.calls[3]], 0),
    )


# The table

HOSTILE = {"selfish": "max_n", "hostile": "paranoid"}
BONUSES = {"ln": "ln", "2ln": "2ln"}
MODELS = (
    ("graph", "kuhn_poker", 8),
    ("graph", "leduc_poker", 10),
    ("tree", "leduc_poker", 6),
    ("dice", "liars_dice_2x6", 5),
    ("cards", "trick_taking_6", 6),
    ("cards", "trick_taking_12", 5),
    ("rules", "kuhn_poker", 6),
    ("rules", "trick_taking_6", 2),
)
SIMULTANEOUS = (("graph", "goofspiel_random", 6), ("graph", "goofspiel_4", 5))
MANY_PLAYERS = (
    ("graph", "kuhn_poker_3", 6),
    ("graph", "random_3", 4),
    ("rules", "kuhn_poker_3", 2),
)
LISTED = ("private", "mixed", "public", "by-move")


def beliefs_for(kind: str) -> tuple[str, ...]:
    """Return the beliefs for a model; graphs and trees always list all worlds."""
    return LISTED if kind in ("graph", "tree") else (*LISTED, "sampled")


def cells() -> Cells:
    """Yield the digests of the package."""
    yield from ismcts_cells()
    yield from world_cells()
    for kind, game, count in MODELS + SIMULTANEOUS + MANY_PLAYERS:
        for belief in beliefs_for(kind):
            yield f"roots/{kind}/{game}/{belief}", partial(roots, kind, game, belief, count)
    yield "roots/graph/leduc_poker/inferred", partial(roots, "graph", "leduc_poker", "inferred", 6)
    yield from closed_form_cells()


def ismcts_cells() -> Cells:
    """Yield digests of ISMCTS."""
    for kind, game, count in MODELS + SIMULTANEOUS + MANY_PLAYERS:
        number = 25 if kind == "rules" else 400
        for belief in beliefs_for(kind):
            run = partial(searched, "ismcts", kind, game, belief, count, num_simulations=number)
            yield f"ismcts/{kind}/{game}/{belief}", run
    for name, settings in {
        "exploration": {"exploration": 2.0},
        "bonus": {"bonus": BONUSES["2ln"]},
        "reward-scale": {"reward_scale": 26.0},
        "rollouts": {"num_rollouts": 4},
        "max-visits": {"final_policy": "max-visits"},
    }.items():
        for game in ("leduc_poker", "kuhn_poker_3"):
            run = partial(
                searched, "ismcts", "graph", game, "mixed", 6, num_simulations=300, **settings
            )
            yield f"ismcts/{name}/{game}", run
    inferred = partial(
        searched, "ismcts", "graph", "leduc_poker", "inferred", 6, num_simulations=300
    )
    yield "ismcts/graph/leduc_poker/inferred", inferred
    large = partial(searched, "ismcts", "dice", "liars_dice_5x6", "mixed", 3, num_simulations=500)
    yield "ismcts/dice/liars_dice_5x6/mixed", large
    for game in ("kuhn_poker", "leduc_poker"):
        once = partial(tabulated, "ismcts", "any", game, "private", num_simulations=50)
        yield f"ismcts/tabulated/{game}", once
    average = partial(averaged, "ismcts", "any", "kuhn_poker", "mixed", num_simulations=30)
    yield "ismcts/averaged/kuhn_poker", average
    for game in ("kuhn_poker", "leduc_poker", "kuhn_poker_3"):
        relative = {"num_simulations": 300, "reward_scale": None}
        run = partial(searched, "ismcts", "graph", game, "mixed", 3, **relative)
        yield f"ismcts/relative-scale/{game}", run


def world_cells() -> Cells:
    """Yield digests of PIMC and EPIMC."""
    for kind, game, count in MODELS:
        for belief in beliefs_for(kind):
            for number in (7, None):
                if number is None and (belief == "sampled" or game == "trick_taking_12"):
                    continue
                text = "exact" if number is None else "drawn"
                run = partial(searched, "pimc", kind, game, belief, count, num_worlds=number)
                yield f"pimc/{kind}/{game}/{belief}/{text}", run
        for depth in (1, 2, 3):
            if kind in ("cards", "dice") and game != "trick_taking_6" and depth > 1:
                continue
            run = partial(searched, "epimc", kind, game, "mixed", count, num_worlds=5, depth=depth)
            yield f"epimc/{kind}/{game}/depth-{depth}", run
    for name in ("pimc", "epimc"):
        for opponents, present in HOSTILE.items():
            run = partial(
                searched, name, "graph", "kuhn_poker_3", "mixed", 6, num_worlds=6, opponents=present
            )
            yield f"{name}/graph/kuhn_poker_3/{opponents}", run
            for game in ("random_2", "random_3"):
                for number, text in ((5, "drawn"), (None, "exact")):
                    run = partial(
                        searched,
                        name,
                        "graph",
                        game,
                        "mixed",
                        6,
                        num_worlds=number,
                        opponents=present,
                    )
                    yield f"{name}/graph/{game}/{opponents}/{text}", run
        inferred = partial(searched, name, "graph", "leduc_poker", "inferred", 6, num_worlds=9)
        yield f"{name}/graph/leduc_poker/inferred", inferred
        once = partial(tabulated, name, "any", "kuhn_poker", "mixed", num_worlds=11)
        yield f"{name}/tabulated/kuhn_poker", once
        exact = partial(tabulated, name, "any", "leduc_poker", "mixed", num_worlds=None)
        yield f"{name}/tabulated/leduc_poker", exact
        average = partial(averaged, name, "any", "kuhn_poker", "private", num_worlds=3)
        yield f"{name}/averaged/kuhn_poker", average


def closed_form_cells() -> Cells:
    """Yield policies of PIMC computed without search."""
    for game in (
        "kuhn_poker",
        "leduc_poker",
        "liars_dice_3",
        "kuhn_poker_3",
        "random_2",
        "random_3",
    ):
        for belief in ("private", "mixed", "public", "by-move"):
            for opponents, present in HOSTILE.items():
                yield (
                    f"pimc/table/{game}/{belief}/{opponents}",
                    partial(pimc_in_the_limit, game, belief, present),
                )
    for game in ("liars_dice_3", "liars_dice_2x6"):
        for text, public_weight in (("0", 0.0), ("0.5", 0.5), ("1", 1.0), ("by-move", (0.6, 0.2))):
            yield f"closed-form/{game}/{text}", partial(bids, game, public_weight)
        drawn = partial(bids, game, 0.3, num_worlds=9, num_repeats=5, seed=3)
        yield f"closed-form/{game}/drawn", drawn
    yield "closed-form/liars_dice_5x6/0.5", partial(bids, "liars_dice_5x6", 0.5)
