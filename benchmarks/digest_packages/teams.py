"""Teams: product forms, information maps, every method, and progressive hiding in all variants."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from digest_packages.common import Cells, policy_numbers
from infoset import load, solve_team
from infoset.policy import random_policy
from infoset.teams import (
    BASELINES,
    PROJECTORS,
    RELAXATIONS,
    TEAM_METHODS,
    WEIGHTINGS,
    HidingScheme,
    MinorizeMaximize,
    ProgressiveHiding,
    RegretRestarts,
    adaptive_penalty,
    best_run,
    build_product_form,
    constant_penalty,
    drop_decided,
    entropic_ftrl,
    expected_payoffs,
    find_recall_violation,
    forget_own_actions,
    from_tabular,
    geometric_penalty,
    get_baseline,
    get_relaxation,
    hedge,
    hill_climb,
    iterated_best_response,
    linear_penalty,
    merge_outcomes,
    product_form_from_functions,
    project,
    random_probabilities,
    recall_bound,
    regret_matching,
    regret_matching_plus,
    relax,
    relaxed_objective,
    run_seeds,
    squared_distance,
    team_optimum,
    team_payoff,
    to_tabular,
)
from infoset.tree import build_tree

__all__ = ["cells", "uncovered"]

# Adapters

GAMES = {
    "pennies": "cooperative_matching_pennies",
    "trade_2": "trade_comm(num_items=2)",
    "trade_3": "trade_comm(num_items=3,num_messages=2)",
    "hanabi": "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)",
    "bridge": "tiny_bridge_2p(abstracted=true)",
    "kuhn_poker": "kuhn_poker",
    "kuhn_poker_3": "kuhn_poker(players=3)",
    "leduc_poker": "leduc_poker",
    "goofspiel_3": "goofspiel(num_cards=3)",
}

METHODS = {
    "progressive-hiding": "progressive-hiding",
    "minorize-maximize": "minorize-maximize",
    "progressive-hedging": "progressive-hedging",
    "best-responses": "iterated-best-response",
    "exact": "exact",
    "portfolio": "portfolio",
}
"""Current names by ids."""

MAPS = {
    "none": "none",
    "closure": "closure",
    "private-revealed": "private_revealed",
    "recall": "recall",
    "everything": "everything",
}
"""Current names of information relaxations by ids."""

PROJECTIONS = {"current": "current", "previous": "previous", "uniform": "uniform"}
"""Current names of projectors by ids."""

WEIGHTS = {
    "posterior": "posterior",
    "counterfactual": "counterfactual",
    "agent": "agent",
    "full": "full",
    "chance": "chance",
}
"""Current names of weightings by ids."""

BASELINE_NAMES = {
    "one-player": "one-player",
    "two-agents": "two-agents",
    "full-reach": "full-reach",
    "posterior": "posterior",
}
"""Current names of baselines by ids."""

VISITS = {"everything": "everything", "outcome": "outcome", "path": "path"}
"""Current names of visit rules by ids."""

LEARNERS = {
    "entropic-ftrl": entropic_ftrl,
    "hedge": hedge,
    "regret-matching": regret_matching,
    "regret-matching+": regret_matching_plus,
}

PENALTIES = {
    "constant": lambda: constant_penalty(0.4),
    "geometric": lambda: geometric_penalty(0.05, 5.0, 80),
    "linear": lambda: linear_penalty(0.0, 2.0, 80),
    "adaptive": lambda: adaptive_penalty(0.7, first=0.5),
}


def uncovered() -> list[str]:
    """Return entries of the registries without a digest."""
    tables = (
        (TEAM_METHODS, METHODS),
        (RELAXATIONS, MAPS),
        (PROJECTORS, PROJECTIONS),
        (WEIGHTINGS, WEIGHTS),
        (BASELINES, BASELINE_NAMES),
    )
    return [name for table, ids in tables for name in sorted(set(table) - {*ids.values()})]


@cache
def full_form(game: str) -> Any:
    """Return the product form of a game."""
    return build_product_form(build_tree(load(GAMES[game])))


@cache
def form_of(game: str) -> Any:
    """Return the product form of a game with indistinguishable outcomes merged."""
    return merge_outcomes(full_form(game))


def map_of(game: str, relaxation: str, team: tuple[int, ...] = (0, 1)) -> Any:
    """Return the information map of a team under a relaxation."""
    return get_relaxation(MAPS[relaxation]).relax(form_of(game).information, team)


@cache
def relaxed_of(game: str, relaxation: str) -> Any:
    """Return a game with relaxed information."""
    return relax(form_of(game), map_of(game, relaxation))


def scheme_of(**settings: Any) -> Any:
    """Return a scheme of progressive hiding."""
    return HidingScheme(**settings)


def form_numbers(form: Any) -> object:
    """Return the arrays of a product form."""
    return tuple(form.arrays), form.outcome, form.action_set, form.original, form.private_signal


def map_numbers(information: Any) -> object:
    """Return the arrays of an information map."""
    return (
        information.cell,
        information.first_node,
        information.agent,
        information.stage,
        information.num_actions,
        information.first_entry,
    )


def point_numbers(point: Any) -> object:
    """Return a measurement of a run, without seconds."""
    return (
        point.run,
        point.iteration,
        point.payoffs,
        point.relaxed_payoffs,
        point.squared_distances,
        point.penalty_coefficients,
    )


def result_numbers(result: Any) -> object:
    """Return all numbers of a result except seconds."""
    return (
        result.relaxed.cell,
        result.probability,
        result.last_probability,
        result.payoffs,
        result.upper_bound,
        result.run,
        [point_numbers(point) for point in result.trace],
        policy_numbers(result.policy),
    )


def solved(game: str, method: Any, **options: Any) -> object:
    """Return the result of a method for teams."""
    return result_numbers(solve_team(form_of(game), method, **options))


def resumed(game: str, method: str) -> object:
    """Return the result of runs resumed from a checkpoint."""
    options: dict[str, Any] = {"iterations": 60, "restarts": 3, "checkpoint_seconds": 0}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        form = form_of(game)
        solve_team(
            form,
            METHODS[method],
            checkpoint=path,
            callback=lambda point: point.run == 1 and point.iteration > 20,
            **options,
        )
        return result_numbers(solve_team(form, METHODS[method], checkpoint=path, **options))


def hidden(
    game: str,
    relaxation: str,
    scheme: Any,
    *,
    iterations: int = 80,
    seed: int = 1,
    fixed: Any = None,
) -> object:
    """Return the result of progressive hiding."""
    state = ProgressiveHiding(relaxed_of(game, relaxation), scheme, seed=seed, fixed=fixed)
    return hiding_numbers(
        state, tuple(state.run(iterations // 2)), tuple(state.run(iterations // 2))
    )


def hiding_numbers(state: Any, *traces: Any) -> object:
    """Return the policies and the best payoff of a state of progressive hiding."""
    return (
        traces,
        state.policy(),
        state.relaxed_policy(),
        state.best_policy(),
        state.best_payoff,
    )


def minorized(game: str, relaxation: str, gamma: float) -> object:
    """Return the result of minorize-maximize."""
    state = MinorizeMaximize(relaxed_of(game, relaxation), penalty=gamma, seed=3)
    return hiding_numbers(state, tuple(state.run(25)))


def many_seeds(game: str) -> object:
    """Return the runs of several seeds on two threads."""
    runs = run_seeds(
        relaxed_of(game, "recall"), scheme_of(), iterations=60, seeds=range(3), threads=2
    )
    best = best_run(runs)
    found = [(tuple(r.trace), r.policy, r.best_policy, r.best_payoff) for r in runs]
    return found, best.seed


def optimum(game: str, relaxation: str, team: Any = None, **options: Any) -> object:
    """Return the optimum of a team and the size of its search."""
    found = team_optimum(map_of(game, relaxation), team, **options)
    return (
        found.value,
        found.upper_bound,
        found.probability,
        found.num_states,
        found.num_steps,
        recall_bound(map_of(game, relaxation), team, **without(options, "max_states")),
    )


def without(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return options without some names."""
    return {name: value for name, value in options.items() if name not in names}


def responses(game: str, relaxation: str, team: Any = None, **options: Any) -> object:
    """Return the results of iterated best response and hill climbing."""
    information = map_of(game, relaxation)
    found = iterated_best_response(information, team, restarts=12, seed=4, **options)
    rng = np.random.default_rng(5)
    first = random_probabilities(information, rng)
    improved = hill_climb(information, first, team, **without(options, "others"))
    return (
        found.values,
        found.value,
        found.probability,
        first,
        improved,
        expected_payoffs(information, improved),
    )


def response_to(game: str, team: tuple[int, ...]) -> object:
    """Return the best response of a team to random play of the others."""
    information = form_of(game).information
    others = random_probabilities(information, np.random.default_rng(6))
    found = team_optimum(information, team, others=others, rule="sum")
    bound = recall_bound(information, team, others=others, rule="sum")
    climbed = iterated_best_response(
        information, team, others=others, rule="sum", restarts=4, seed=2
    )
    return found.value, found.upper_bound, found.probability, bound, climbed.values


def maps(game: str) -> object:
    """Return information maps, and their joins and meets."""
    closure, private = map_of(game, "closure"), map_of(game, "private-revealed")
    joined, met = closure.join(private), closure.meet(private)
    forgotten = forget_own_actions(form_of(game))
    original = form_of(game).information
    violation = find_recall_violation(forgotten, (0, 1))
    return (
        [map_numbers(m) for m in (original, joined, met, forgotten)],
        [closure.refines(original), original.refines(closure), joined.refines(private)],
        closure.coarsened_to(original),
        violation is None,
    )


def projected(game: str, relaxation: str) -> object:
    """Return projections of random policies, penalties, and objectives."""
    relaxed = relaxed_of(game, relaxation)
    found = []
    for seed in range(3):
        policy = random_probabilities(relaxed.relaxed, np.random.default_rng(seed))
        projection = project(relaxed, policy)
        found.append(
            (
                projection,
                squared_distance(relaxed, policy, projection),
                relaxed_objective(relaxed, policy, 0.3),
                relaxed.payoffs(policy),
                relaxed.reach(policy),
                relaxed.lift(projection),
            )
        )
    return found, relaxed.uniform_policy(), relaxed.uniform_reach, relaxed.known


def tables(game: str) -> object:
    """Return policies converted to the product form and back."""
    form = full_form(game)
    sequence_form = form.source.tree.sequence_form
    policy = random_policy(sequence_form, np.random.default_rng(7))
    flat = from_tabular(form.information, policy)
    back = to_tabular(form.information, flat)
    drawn = random_probabilities(form.information, np.random.default_rng(8))
    return flat, policy_numbers(back), policy_numbers(to_tabular(form.information, drawn))


def payoffs(game: str) -> object:
    """Return payoffs of teams."""
    form = form_of(game)
    everybody = tuple(range(form.num_agents))
    return [team_payoff(form, team, rule="sum") for team in (everybody, (0,), (1,))]


def written() -> object:
    """Return the arrays of a product form written as functions."""
    form = product_form_from_functions(
        {"heads": 0.25, "tails": 0.75},
        agent_names=("Alice", "Bob"),
        num_stages=2,
        agent=lambda coin, actions: (0, 1, None)[len(actions)],
        legal_actions=lambda coin, actions: ("heads", "tails"),
        information=lambda coin, actions: actions[0] if actions else coin,
        reward=lambda coin, actions: (1, 1) if actions[1] == coin else (0, 0),
        private_signals=lambda coin: (coin, None),
    )
    return form_numbers(form), map_numbers(form.information), form_numbers(drop_decided(form))


# The table

TEAM_GAMES = ("pennies", "trade_2", "trade_3", "hanabi")
ONE_TEAM = (*TEAM_GAMES, "bridge")
MANY_TEAMS = ("kuhn_poker", "leduc_poker", "goofspiel_3")


def cells() -> Cells:
    """Yield the digests of the package."""
    yield from form_cells()
    yield from method_cells()
    yield from hiding_cells()
    yield from exact_cells()


def form_cells() -> Cells:
    """Yield product forms and information maps."""
    for game in (*TEAM_GAMES, "bridge", *MANY_TEAMS, "kuhn_poker_3"):
        yield f"form/full/{game}", lambda game=game: form_numbers(full_form(game))
        yield f"form/merged/{game}", lambda game=game: form_numbers(form_of(game))
        yield f"form/decided/{game}", lambda game=game: form_numbers(drop_decided(form_of(game)))
        yield f"payoffs/{game}", partial(payoffs, game)
        yield f"tables/{game}", partial(tables, game)
        for name in MAPS:
            yield f"map/{name}/{game}", lambda game=game, name=name: map_numbers(map_of(game, name))
    for game in TEAM_GAMES:
        yield f"maps/{game}", partial(maps, game)
        for name in MAPS:
            yield f"project/{name}/{game}", partial(projected, game, name)
    yield "form/written", written


def method_cells() -> Cells:
    """Yield every method through `solve_team`."""
    for name, method in METHODS.items():
        is_proximal = name in ("minorize-maximize", "progressive-hedging")
        learns = is_proximal or name == "progressive-hiding"
        for game in ONE_TEAM:
            options: dict[str, Any] = {"restarts": 6} if name == "best-responses" else {}
            if learns:
                options = {"iterations": 40, "restarts": 2}
            if name == "exact" and game == "bridge":
                continue
            yield f"{name}/{game}", partial(solved, game, method, **options)
        if learns:
            yield f"{name}/defaults/trade_2", partial(solved, "trade_2", method)
            for relaxation in ("closure", "private-revealed", "everything"):
                if is_proximal and relaxation == "private-revealed":
                    continue
                run = partial(
                    solved,
                    "trade_3",
                    method,
                    iterations=40,
                    restarts=2,
                    relax=MAPS[relaxation],
                    penalty=0.6,
                    seed=9,
                )
                yield f"{name}/{relaxation}/trade_3", run
            yield f"resumed/{name}/trade_3", partial(resumed, "trade_3", name)
    for game in MANY_TEAMS:
        run = partial(
            solved, game, METHODS["progressive-hiding"], teams=[(0,), (1,)], iterations=60
        )
        yield f"two-teams/{game}", run
    for relaxation in ("none", "closure", "recall"):
        run = partial(
            solved,
            "kuhn_poker_3",
            METHODS["progressive-hiding"],
            teams=[(0,), (1, 2)],
            rule="sum",
            relax=MAPS[relaxation],
            iterations=40,
        )
        yield f"two-teams/{relaxation}/kuhn_poker_3", run


def hiding_cells() -> Cells:
    """Yield progressive hiding with every learner, schedule, projector, weighting and visits."""
    for learner, make in LEARNERS.items():
        for schedule, make_penalty in PENALTIES.items():
            for game in ("trade_3", "pennies"):
                scheme = scheme_of(learner=make(), penalty=make_penalty())
                run = partial(hidden, game, "recall", scheme)
                yield f"hiding/{learner}/{schedule}/{game}", run
        for visits, present in VISITS.items():
            scheme = scheme_of(learner=make(), visits=present)
            yield (
                f"hiding/{learner}/visits-{visits}/trade_3",
                partial(hidden, "trade_3", "recall", scheme),
            )
        for baseline, present in BASELINE_NAMES.items():
            scheme = get_baseline(present).scheme(make())
            yield (
                f"hiding/{learner}/baseline-{baseline}/trade_3",
                partial(hidden, "trade_3", "none", scheme),
            )
    for name, present in PROJECTIONS.items():
        for mixing in (None, 0.05):
            for learner in ("entropic-ftrl", "regret-matching"):
                scheme = scheme_of(
                    learner=LEARNERS[learner](), projector=present, mixing=mixing, penalty=0.5
                )
                run = partial(hidden, "trade_3", "recall", scheme)
                yield f"hiding/projector-{name}/mixing-{mixing}/{learner}", run
    for name, present in WEIGHTS.items():
        scheme = scheme_of(weighting=present)
        for game in ("trade_3", "hanabi"):
            yield f"hiding/weighting-{name}/{game}", partial(hidden, game, "closure", scheme)
    for name in MAPS:
        yield f"hiding/map-{name}/trade_3", partial(hidden, "trade_3", name, scheme_of())
    myopic = scheme_of(future_penalties=False)
    yield "hiding/myopic/trade_3", partial(hidden, "trade_3", "recall", myopic)
    explored = scheme_of(learner=regret_matching(), visits=VISITS["path"], exploration=0.2)
    yield "hiding/exploration/trade_3", partial(hidden, "trade_3", "recall", explored)
    rounds = scheme_of(
        penalty=geometric_penalty(0.1, 2.0, 20), regret_restarts=RegretRestarts(iterations=20)
    )
    yield "hiding/rounds/trade_3", partial(hidden, "trade_3", "recall", rounds)
    kept = scheme_of(
        learner=regret_matching(), regret_restarts=RegretRestarts(15, retain=0.1, noise=0.2)
    )
    yield "hiding/rounds-kept/trade_3", partial(hidden, "trade_3", "recall", kept)
    yield "hiding/seeds/trade_2", partial(many_seeds, "trade_2")
    for game in ("pennies", "trade_3"):
        for relaxation in ("closure", "recall", "everything"):
            run = partial(minorized, game, relaxation, 0.4)
            yield f"minorize/{relaxation}/{game}", run


def exact_cells() -> Cells:
    """Yield optima, hill climbing and best responses."""
    for game in TEAM_GAMES:
        for name in ("none", "closure", "recall"):
            yield f"optimum/{name}/{game}", partial(optimum, game, name)
            yield f"climbs/{name}/{game}", partial(responses, game, name)
        yield f"optimum/other-fixed/{game}", partial(response_to, game, (1,))
    yield "optimum/few-states/trade_3", partial(optimum, "trade_3", "none", max_states=10)
    yield "climbs/none/bridge", partial(responses, "bridge", "none")
    for game, team in (("kuhn_poker", (0,)), ("kuhn_poker_3", (1, 2)), ("leduc_poker", (1,))):
        yield f"best-response/{game}", partial(response_to, game, team)
