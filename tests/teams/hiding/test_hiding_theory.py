"""Theorems about runs: decomposition (T4), gradients (T5), regrets (T6, T7), penalty (T8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from infoset.teams.hiding import (
    HidingScheme,
    ProgressiveHiding,
    entropic_ftrl,
    regret_matching,
    relaxed_objective,
    squared_distance,
)
from tests.teams.hiding.hiding_games import (
    bridge,
    by_cell,
    pennies,
    random_policy,
    random_team,
    trade,
)
from tests.teams.hiding.reference_hiding import ReferenceHiding

pytestmark = pytest.mark.broad

STEP = 1e-6


@dataclass
class History:
    """The iterations of a run: π, π̂ and γ of each, and the final regrets."""

    game: object
    policies: list
    projections: list
    penalty_coefficients: list
    regret: np.ndarray
    trace: object

    @classmethod
    def of(cls, game, scheme, penalty_coefficients, seed=3):
        hiding = ProgressiveHiding(game, scheme, seed=seed)
        begun = hiding.state()["regret"].copy()
        policies, projections, traces = [], [], []
        for penalty in penalty_coefficients:
            hiding.state()["penalty"][:] = penalty
            traces.append(hiding.run(1))
            policies.append(hiding.relaxed_policy())
            projections.append(hiding.policy())
        trace = type(traces[0])(*map(np.concatenate, zip(*traces, strict=True)))
        return cls(
            game,
            policies,
            projections,
            penalty_coefficients,
            hiding.state()["regret"] - begun,
            trace,
        )

    def objective(self, t, policy):
        """Jᵗ(π), whose projection is that of iteration t."""
        off = squared_distance(self.game, policy, self.projections[t])[0]
        return self.game.payoffs(policy)[0] - self.penalty_coefficients[t] * off

    def gained(self, policy):
        """Σ_t Jᵗ(π) - Jᵗ(πᵗ)."""
        steps = range(len(self.policies))
        return sum(self.objective(t, policy) - self.objective(t, self.policies[t]) for t in steps)


def worths(game, policy, projected, penalty):
    """[S] the mean action values Q of a relaxed policy against a projection."""
    reference = ReferenceHiding(ProgressiveHiding(game, HidingScheme(weighting="posterior")))
    reference.policy, reference.projected = (
        by_cell(game.relaxed, policy),
        by_cell(game.original, projected),
    )
    reference.penalty[:] = penalty
    visited = reference.visit()
    weight = reference.all_weights()
    mean = [np.zeros(len(own)) for own in reference.policy]
    for node in range(game.form.num_nodes):
        mean[game.relaxed.cell[node]] += weight[node] * reference.worths(node, 0, visited)
    return np.concatenate(mean)


def cell_sums(game, vector):
    return np.add.reduceat(vector, game.relaxed.first_entry[:-1])


def reach_of_cells(game, policy):
    return np.bincount(game.relaxed.cell, game.reach(policy))


def spread(game, numbers):
    """[S] a number per cell, repeated for each of its actions"""
    return np.repeat(numbers, game.relaxed.num_actions)


CONFIGURATIONS = {
    "ftrl, current": (HidingScheme(learner=entropic_ftrl(1.0)), lambda t: 0.3),
    "ftrl, growing": (HidingScheme(learner=entropic_ftrl(0.3)), lambda t: 0.05 * t**0.5),
    "ftrl, uniform": (HidingScheme(projector="uniform"), lambda t: 0.3),
    "matching, current": (HidingScheme(learner=regret_matching()), lambda t: 0.3),
    "matching, previous": (
        HidingScheme(learner=regret_matching(), projector="previous"),
        lambda t: 0.05 * t**0.5,
    ),
    "free": (HidingScheme(learner=regret_matching()), lambda t: 0.0),
}

GAMES = {"pennies": pennies, "trade": lambda: trade(2), "random": lambda: random_team(4)}


PAIRS = [
    (game, configuration)
    for game in GAMES
    for configuration in CONFIGURATIONS
    if game == "pennies"
    or configuration in ("ftrl, growing", "ftrl, uniform", "matching, previous")
]


@pytest.fixture(scope="module", params=PAIRS, ids=str)
def history(request):
    game, (scheme, penalty) = request.param[0], CONFIGURATIONS[request.param[1]]
    return History.of(GAMES[game](), scheme, [penalty(t) for t in range(1, 21)])


@pytest.fixture(scope="module")
def criteria(history):
    """[S] the action values of each iteration, the linear part of the local criteria q."""
    game = history.game
    return [
        worths(game, policy, projected, penalty)
        for policy, projected, penalty in zip(
            history.policies, history.projections, history.penalty_coefficients, strict=True
        )
    ]


def local_value(history, t, worth, policy):
    """[M] qᵗ_ι(x) = Σ_a x(a) Q(a) - γ ‖x - π̂‖², x the relaxed policy at each cell."""
    game = history.game
    off = policy - game.lift(history.projections[t])
    return cell_sums(game, policy * worth) - history.penalty_coefficients[t] * cell_sums(
        game, off**2
    )


def test_regret_is_the_reach_weighted_sum_of_local_regrets(history, criteria):
    """T4."""
    game = history.game
    generator = np.random.default_rng(0)
    for _ in range(3):
        other = random_policy(game.relaxed, generator)
        local = sum(
            local_value(history, t, worth, other)
            - local_value(history, t, worth, history.policies[t])
            for t, worth in enumerate(criteria)
        )
        total = reach_of_cells(game, other) @ local
        assert total == pytest.approx(history.gained(other), abs=1e-8)


def nearest(point):
    """The nearest point of the simplex, by bisection on the threshold."""
    low, high = point.min() - 1, point.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(point - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(point - low, 0)


def best_choice(worth, total_penalty, projected):
    """The maximizer x of <x, worth> - Σ_t γ_t ‖x - π̂ᵗ‖², given Σ_t γ_t π̂ᵗ as `projection`."""
    if total_penalty == 0:
        return np.eye(len(worth))[np.argmax(worth)]
    return nearest((worth + 2 * projected) / (2 * total_penalty))


def pulled(history):
    """Σ_t γ_t, and [S] Σ_t γ_t π̂ᵗ."""
    relaxation = [history.game.lift(projected) for projected in history.projections]
    return sum(history.penalty_coefficients), np.einsum(
        "t,ts->s", history.penalty_coefficients, relaxation
    )


def best_policy(history):
    """The relaxed policy with the highest regret, from the last stage to the first."""
    game, (total, projected) = history.game, pulled(history)
    form, cell, first = game.form, game.relaxed.cell, game.relaxed.first_entry
    policy = np.zeros(game.relaxed.num_entries)
    relaxation = np.array([game.lift(own) for own in history.projections])
    value = np.zeros(form.num_nodes)
    pays = dict(zip(form.arrays.payoff_edge.tolist(), game.payoff[0], strict=True))

    def worth(node):
        edges = range(form.arrays.first_edge[node], form.arrays.first_edge[node + 1])
        children = [int(form.arrays.child[edge]) for edge in edges]
        return np.array(
            [
                value[c] if c >= 0 else len(history.policies) * pays.get(e, 0.0)
                for e, c in zip(edges, children, strict=True)
            ]
        )

    for own in range(game.relaxed.num_cells - 1, -1, -1):
        nodes, entries = np.flatnonzero(cell == own), slice(first[own], first[own + 1])
        mean = np.average([worth(n) for n in nodes], axis=0, weights=form.arrays.chance[nodes])
        policy[entries] = best_choice(mean, total, projected[entries])
        off = ((policy[entries] - relaxation[:, entries]) ** 2).sum(axis=1)
        for node in nodes:
            value[node] = policy[entries] @ worth(node) - np.dot(history.penalty_coefficients, off)
    return policy


def test_regret_is_bounded_by_local_and_linearized_regrets(history, criteria):
    """T6, Theorem 5: the middle term by exact local optima, the right by the learners' regrets."""
    game, steps = history.game, len(history.policies)
    total, projected = pulled(history)
    summed = sum(criteria)
    pieces = zip(by_cell(game.relaxed, summed), by_cell(game.relaxed, projected), strict=True)
    best = np.concatenate([best_choice(worth, total, own) for worth, own in pieces])
    local = sum(
        local_value(history, t, worth, best) - local_value(history, t, worth, history.policies[t])
        for t, worth in enumerate(criteria)
    )
    linear = np.maximum.reduceat(history.regret, game.relaxed.first_entry[:-1])
    of_chance = np.bincount(game.relaxed.cell, game.form.arrays.chance)
    regret = history.gained(best_policy(history)) / steps
    bound = of_chance @ np.maximum(local, 0) / steps
    assert (local <= linear + 1e-8).all()
    assert regret <= bound + 1e-8
    assert bound <= of_chance @ np.maximum(linear, 0) / steps + 1e-8
    for seed in range(5):
        other = random_policy(game.relaxed, np.random.default_rng(seed))
        assert history.gained(other) / steps <= regret + 1e-9


@pytest.mark.parametrize("learner", [regret_matching(), None])
@pytest.mark.parametrize("game", GAMES)
def test_regret_vanishes(game, learner):
    """T7; the rate of entropic FTRL is proportional to 1/√T."""
    regrets = []
    for steps in (20, 320):
        chosen = learner or entropic_ftrl(2 / steps**0.5)
        history = History.of(GAMES[game](), HidingScheme(learner=chosen), [0.3] * steps)
        regrets.append(history.gained(best_policy(history)) / steps)
    assert regrets[1] < 0.5 * regrets[0]


def test_the_mean_penalty_identity(history):
    """T8, in place of Proposition 6: an identity for every policy π, without perfect recall."""
    game, steps = history.game, len(history.policies)
    decay_exponent = np.mean(history.trace.penalty_coefficient * history.trace.squared_distance)
    earned = history.trace.relaxed.mean()
    for seed in range(3):
        other = random_policy(game.relaxed, np.random.default_rng(seed))
        distances = [
            squared_distance(game, other, projected)[0] for projected in history.projections
        ]
        expected = (
            earned
            - game.payoffs(other)[0]
            + history.gained(other) / steps
            + np.dot(history.penalty_coefficients, distances) / steps
        )
        assert decay_exponent == pytest.approx(expected, abs=1e-8)


def observed(game, scheme, weighting, seed):
    """[S] observed gradients of a first iteration, up to a constant per cell; both policies."""
    scheme = HidingScheme(learner=regret_matching(), weighting=weighting, mixing=0.0, **scheme)
    hiding = ProgressiveHiding(game, scheme, seed=seed)
    before = hiding.state()["regret"].copy()
    hiding.run(1)
    return hiding.state()["regret"] - before, hiding.relaxed_policy(), hiding.policy()


def directions(game, policy, generator):
    """Directions at one cell each along which probabilities still sum to 1."""
    for cell in generator.integers(
        game.relaxed.num_cells, size=8 if game.relaxed.num_cells < 200 else 3
    ):
        entries = slice(game.relaxed.first_entry[cell], game.relaxed.first_entry[cell + 1])
        direction = np.zeros(len(policy))
        step = generator.normal(size=entries.stop - entries.start)
        direction[entries] = step - step.mean()
        yield direction


def slope(function, policy, direction):
    ahead, behind = function(policy + STEP * direction), function(policy - STEP * direction)
    return (ahead - behind) / (2 * STEP)


@pytest.mark.parametrize("projector", ["current", "previous"])
@pytest.mark.parametrize("relaxation", ["recall", "private_revealed", "nothing"])
def test_learners_observe_the_gradient(relaxation, projector):
    """T5: of Jᵗ with π̂ frozen; by `current` also of F, in which π̂ moves."""
    generator = np.random.default_rng(5)
    for game in (trade(2, relaxation), random_team(5, relaxation), bridge(relaxation)):
        scheme = {"penalty": 0.7, "projector": projector}
        vector, policy, projected = observed(game, scheme, "full", seed=1)

        def frozen(point, game=game, projected=projected):
            return game.payoffs(point)[0] - 0.7 * squared_distance(game, point, projected)[0]

        def moving(point, game=game):
            return relaxed_objective(game, point, 0.7)[0]

        for direction in directions(game, policy, generator):
            found = vector @ direction
            assert found == pytest.approx(slope(frozen, policy, direction), abs=2e-7)
            if projector == "current":
                assert found == pytest.approx(slope(moving, policy, direction), abs=2e-7)


def test_conditional_gradients_are_gradients_over_cell_reach():
    """Reach(ι) times the conditional gradient is the full gradient."""
    for game in (trade(2), trade(2, "private_revealed"), random_team(5)):
        full, policy, _ = observed(game, {"penalty": 0.7}, "full", seed=2)
        conditional, _, _ = observed(game, {"penalty": 0.7}, "posterior", seed=2)
        reach = spread(game, reach_of_cells(game, policy))
        np.testing.assert_allclose(full, reach * conditional, atol=1e-12)


def test_with_recall_counterfactual_weights_are_chance_reach_times_conditional_ones():
    """For a single team both forms differ by a constant at each cell."""
    game = trade(2)
    counterfactual, _, _ = observed(game, {"penalty": 0.7}, "counterfactual", seed=2)
    conditional, _, _ = observed(game, {"penalty": 0.7}, "posterior", seed=2)
    chance = np.bincount(game.relaxed.cell, game.form.arrays.chance)
    np.testing.assert_allclose(counterfactual, spread(game, chance) * conditional, atol=1e-12)
