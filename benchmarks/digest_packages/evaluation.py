"""Evaluation: values, best responses, gaps, matches, proofs and averages of searchers."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import infoset
from digest_packages.common import (
    Cells,
    evaluation_numbers,
    form_of,
    form_of_policy,
    game_of,
    policy_numbers,
    random_policies,
    tree_of,
)
from infoset.efg import build_extensive_form
from infoset.evaluation import (
    CCEEvaluator,
    CorrelatedPolicy,
    behavior_values,
    best_response,
    best_response_plan,
    evaluate_cce,
    evaluate_efce,
    evaluate_plans,
    expected_values,
    exploitability,
    hand_sampling_ratios,
    history_values,
    joint_distribution,
    load_correlated_policy,
    mean_true_state_sampling_ratio,
    nash_conv,
    prove_value,
    reached_best_response,
    save_correlated_policy,
    true_state_sampling_ratio,
)
from infoset.matches import (
    AveragePolicy,
    aivat_utilities,
    average_search,
    exact_match,
    play_matches,
)
from infoset.policy import tabulate, uniform_policy

__all__ = ["cells"]

# Adapters

CANDIDATES = {"sorted": "uniform", "ordered": "prior"}
"""Current names of the baselines of the true-state sampling ratio, by ids."""


class OneAction:
    """A searcher whose answer is one action sampled from a policy."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy
        self.form = form_of_policy(policy)

    def search(self, infostate: Any, rng: np.random.Generator) -> Any:
        """Return a one-hot vector of the sampled action."""
        tree = self.form.infostate_trees[infostate.player]
        legal = tree.legal_actions(tree.index_of(infostate))
        chances = self.policy.action_probabilities(infostate, legal)
        return np.eye(len(chances))[rng.choice(len(chances), p=chances)]


class Rules:
    """A policy object other than a tabular policy."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy

    def action_probabilities(self, infostate: Any, legal_actions: Any) -> Any:
        """Return the probability of each action."""
        return self.policy.action_probabilities(infostate, legal_actions)


@cache
def solved(game: str) -> Any:
    """Return an approximate equilibrium."""
    return infoset.solve(form_of(game), "cfr+", iterations=200).policy


def measured(game: str) -> object:
    """Return values and best-response gains of random policies."""
    found = []
    for policy in random_policies(game, 3):
        values = evaluation_numbers(infoset.evaluate(policy))
        plans = evaluation_numbers(evaluate_plans(form_of(game), policy.realization_plans()))
        found.append((values, plans, expected_values(policy), nash_conv(policy)))
    if form_of(game).is_two_player_constant_sum:
        found.append([exploitability(policy) for policy in random_policies(game, 3)])
    return found


def responses(game: str) -> object:
    """Return best responses of all players."""
    found = []
    for policy in random_policies(game, 2):
        plans = policy.realization_plans()
        for player in range(form_of(game).num_players):
            response = best_response(policy, player)
            found.append((response.value, policy_numbers(response.policy)))
            found.append(best_response_plan(form_of(game), plans, player))
    return found


def reached(game: str) -> object:
    """Return best responses computed from the rules, and the number of visited histories."""
    found, form = [], form_of(game)
    policy = random_policies(game, 1)[0]
    for player in range(form.num_players):
        response = reached_best_response(game_of(game), policy, player)
        table = tabulate(form, [response.policy] * form.num_players)
        found.append((response.value, response.num_histories, table.probabilities[player]))
    return found


def behavior(game: str) -> object:
    """Return values of behavior strategies on an extensive form."""
    form = build_extensive_form(tree_of(game))
    policy = random_policies(game, 1)[0]
    rows = list(policy.rows())
    given = {
        (row.infostate, row.player): dict(zip(row.actions, row.probabilities, strict=True))
        for row in rows
    }
    return behavior_values(form), behavior_values(form, given)


def joint_numbers(joint: Any) -> object:
    """Return the CCE evaluation of joint play."""
    return joint.values, joint.gains, joint.cce_gap


def joint(game: str) -> object:
    """Return CCE gaps of joint play, its marginal policy and gradients."""
    policies, weights = random_policies(game, 3), (1.0, 2.5, 0.25)
    play = CCEEvaluator(form_of(game))
    gradients = [
        play.add(policy.realization_plans(), weight, 0.9)
        for policy, weight in zip(policies, weights, strict=True)
    ]
    return (
        joint_numbers(evaluate_cce(policies, weights)),
        joint_numbers(evaluate_cce(policies)),
        joint_numbers(play.evaluate()),
        policy_numbers(play.marginal_policy()),
        play.weight,
        gradients,
    )


def distribution(game: str) -> object:
    """Return joint play as a distribution over profiles of pure plans."""
    found = joint_distribution(random_policies(game, 2), (1.0, 3.0))
    return (
        found.plans,
        found.support,
        found.probabilities,
        joint_numbers(found.evaluate()),
        policy_numbers(found.marginal_policy()),
        policy_numbers(found.draw(np.random.default_rng(1))),
    )


def triggers(game: str) -> object:
    """Return EFCE gaps of joint play."""
    found = evaluate_efce(random_policies(game, 3), (1.0, 2.0, 0.5))
    gains = [trigger and trigger.gain for trigger in found.deviations]
    return found.values, gains, found.efce_gap, found.total_gains


def correlated(game: str) -> object:
    """Return a correlated policy, its samples, and the policy read back from a file."""
    policy = CorrelatedPolicy(random_policies(game, 3), (0.5, 1.0, 2.0))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.parquet"
        save_correlated_policy(policy, path)
        read = load_correlated_policy(path, form_of(game))
    drawn = policy.draw(np.random.default_rng(4))
    numbers = np.random.default_rng(5).random(20)
    return (
        joint_numbers(policy.evaluate()),
        policy_numbers(drawn),
        policy.drawn_indices(numbers),
        [policy_numbers(part) for part in read.policies],
        [float(weight) for weight in read.weights],
    )


def ratios(game: str, candidates: str, observer: int | None) -> object:
    """Return true-state sampling ratios."""
    found = true_state_sampling_ratio(
        tree_of(game),
        random_policies(game, 1)[0],
        0,
        observer=observer,
        baseline=CANDIDATES[candidates],
    )
    return (
        found.ratio,
        found.reach,
        found.mean,
        [found.after_action(number) for number in (1, 2)],
        found.by_public_state(),
    )


def ratios_of_arrays(candidates: str) -> object:
    """Return true-state sampling ratios of hands."""
    rng = np.random.default_rng(8)
    reach, prior = rng.random((4, 5)), rng.dirichlet(np.ones(5))
    name = CANDIDATES[candidates]
    return (
        hand_sampling_ratios(reach, prior, baseline=name),
        mean_true_state_sampling_ratio(reach, prior, baseline=name),
        mean_true_state_sampling_ratio(reach, prior, weights=rng.random(4), baseline=name),
    )


def proof(game: str) -> object:
    """Return proved bounds on the value of a game."""
    policies = uniform_policy(form_of(game)), solved(game)
    proofs = [prove_value(tree_of(game), policy) for policy in policies]
    return [(found.lower, found.upper, found.probabilities) for found in proofs]


def estimate_numbers(estimate: Any) -> object:
    """Return an estimate, its standard error and its interval."""
    return estimate.mean, estimate.standard_error, estimate.interval


def match_numbers(result: Any) -> object:
    """Return the estimates of a match result."""
    return (
        estimate_numbers(result.utility),
        estimate_numbers(result.win_rate),
        [estimate_numbers(estimate) for estimate in result.position_utilities],
        [estimate_numbers(estimate) for estimate in result.position_win_rates],
        result.num_deals,
    )


def match(game: str, where: str, kinds: tuple[str, str], **options: Any) -> object:
    """Return the result of a match on a tree or by the rules."""
    source = tree_of(game) if where == "tree" else game_of(game)
    players = [contestant(game, kind, seed) for seed, kind in enumerate(kinds)]
    return match_numbers(play_matches(source, *players, seed=6, **options))


def contestant(game: str, kind: str, number: int) -> Any:
    """Return a contestant by its kind."""
    policy = random_policies(game, 2)[number]
    if kind == "correlated":
        return CorrelatedPolicy(random_policies(game, 3), (1.0, 2.0, 1.0))
    return {
        "table": lambda: policy,
        "rules": lambda: Rules(policy),
        "search": lambda: OneAction(policy),
        "uniform": lambda: None,
    }[kind]()


def corrected_match(game: str, where: str) -> object:
    """Return a match with AIVAT corrections."""
    guess = random_policies(game, 3)[2]
    values: Any = history_values(tree_of(game), guess)
    if where == "rules":
        values = end_value
    return match(game, where, ("table", "table"), num_deals=80, values=values)


def end_value(history: Any) -> Any:
    """Return estimated utilities of the players at a history."""
    return [float(paid) + 0.01 * history.depth for paid in history.rewards_so_far]


def resumed_match(game: str) -> object:
    """Return a match and its continuation from a checkpoint."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "match"
        kinds = ("table", "uniform")
        first = match(game, "rules", kinds, num_deals=30, checkpoint=path)
        return first, match(game, "rules", kinds, num_deals=70, checkpoint=path)


def exact(game: str, kinds: tuple[str, str]) -> object:
    """Return the exact result of a match."""
    players = [contestant(game, kind, seed) for seed, kind in enumerate(kinds)]
    return match_numbers(exact_match(tree_of(game), *players))


def corrections(game: str) -> object:
    """Return history values and AIVAT utilities."""
    policy, guess = random_policies(game, 2)
    values = history_values(tree_of(game), guess)
    return values, [
        aivat_utilities(tree_of(game), policy, values, unknown=unknown)
        for unknown in ((), (0,), (1,))
    ]


def averaged(game: str, *, reached_only: bool, one_player: bool) -> object:
    """Return the average policy of a searcher on a tree."""
    searcher = OneAction(random_policies(game, 1)[0])
    searchers: Any = [searcher, None] if one_player else searcher
    found = average_search(
        tree_of(game), searchers, tolerance=0.1, max_repeats=80, seed=3, reached_only=reached_only
    )
    return policy_numbers(found.policy), found.repeats, found.standard_errors, found.last_changes


def average_asked(game: str) -> object:
    """Return the average policy of a searcher, computed on demand."""
    searcher = OneAction(random_policies(game, 1)[0])
    policy = AveragePolicy(searcher, tolerance=0.1, seed=2, min_probability=0.05)
    return policy_numbers(tabulate(form_of(game), [policy] * 2))


# The table

GAMES = (
    "kuhn_poker",
    "kuhn_poker_3",
    "leduc_poker",
    "goofspiel_random",
    "liars_dice_3",
    "shapley",
)


def cells() -> Cells:
    """Yield the digests of the package."""
    for game in GAMES:
        yield f"values/{game}", partial(measured, game)
        yield f"best-response/{game}", partial(responses, game)
        yield f"reached-response/{game}", partial(reached, game)
        yield f"joint/{game}", partial(joint, game)
        yield f"correlated/{game}", partial(correlated, game)
        yield f"aivat/{game}", partial(corrections, game)
        yield f"exact-match/{game}", partial(exact, game, ("table", "table"))
        yield f"exact-match-correlated/{game}", partial(exact, game, ("correlated", "rules"))
    for game in ("kuhn_poker", "kuhn_poker_3", "leduc_poker", "liars_dice_3"):
        yield f"behavior/{game}", partial(behavior, game)
        for candidates in CANDIDATES:
            for observer in (None, 1):
                who = "onlooker" if observer is None else "player"
                run = partial(ratios, game, candidates, observer)
                yield f"true-state/{candidates}/{who}/{game}", run
    for candidates in CANDIDATES:
        yield f"true-state-arrays/{candidates}", partial(ratios_of_arrays, candidates)
    for game in ("kuhn_poker", "shapley", "goofspiel_3", "kuhn_poker_3"):
        yield f"triggers/{game}", partial(triggers, game)
    for game in ("kuhn_poker", "shapley", "rock_paper_scissors"):
        yield f"distribution/{game}", partial(distribution, game)
    for game in ("kuhn_poker", "rock_paper_scissors", "goofspiel_3", "liars_dice_3"):
        yield f"proof/{game}", partial(proof, game)
    yield from match_cells()
    for game in ("kuhn_poker", "liars_dice_3"):
        for reached_only in (False, True):
            for one_player in (False, True):
                run = partial(averaged, game, reached_only=reached_only, one_player=one_player)
                text = f"{'reached' if reached_only else 'all'}-{'one' if one_player else 'both'}"
                yield f"average-search/{text}/{game}", run
    yield "average-policy/kuhn_poker", partial(average_asked, "kuhn_poker")


def match_cells() -> Cells:
    """Yield matches."""
    for game in ("kuhn_poker", "kuhn_poker_3", "leduc_poker", "goofspiel_random"):
        for kinds in (("table", "table"), ("table", "uniform"), ("correlated", "table")):
            for where, number in (("tree", 3000), ("rules", 60)):
                run = partial(match, game, where, kinds, num_deals=number)
                yield f"match/{where}/{'-'.join(kinds)}/{game}", run
        for where in ("tree", "rules"):
            yield f"match-aivat/{where}/{game}", partial(corrected_match, game, where)
        run = partial(match, game, "rules", ("search", "rules"), num_deals=40)
        yield f"match/rules/search-rules/{game}", run
    width = partial(
        match, "leduc_poker", "tree", ("table", "uniform"), num_deals=40_000, half_width=0.1
    )
    yield "match/half-width/leduc_poker", width
    wins = partial(
        match, "kuhn_poker", "tree", ("table", "table"), num_deals=40_000, win_rate_half_width=0.01
    )
    yield "match/win-half-width/kuhn_poker", wins
    workers = partial(match, "leduc_poker", "tree", ("table", "table"), num_deals=3000, workers=2)
    yield "match/workers/leduc_poker", workers
    yield "match/resumed/kuhn_poker", partial(resumed_match, "kuhn_poker")
