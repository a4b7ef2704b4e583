"""What theory says of a run: decomposition (T4), gradients (T5), regrets (T6, T7), drift (T8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hiding_games import bridge, by_label, pennies, random_policy, random_team, trade
from hiding_twin import HidingTwin

from infoset.teams.hiding import (
    HidingScheme,
    ProgressiveHiding,
    entropic_ftrl,
    penalty,
    regret_matching,
    relaxed_objective,
)

STEP = 1e-6


@dataclass
class History:
    """The iterations of a run: π, π̂ and γ of each, and the regrets in the end."""

    game: object
    policies: list
    shadows: list
    gammas: list
    regret: np.ndarray
    trace: object

    @classmethod
    def of(cls, game, scheme, gammas, seed=3):
        hiding = ProgressiveHiding(game, scheme, seed=seed)
        begun = hiding.state()["regret"].copy()
        policies, shadows, traces = [], [], []
        for gamma in gammas:
            hiding.state()["gamma"][:] = gamma
            traces.append(hiding.run(1))
            policies.append(hiding.relaxed_policy())
            shadows.append(hiding.policy())
        trace = type(traces[0])(*map(np.concatenate, zip(*traces, strict=True)))
        return cls(game, policies, shadows, gammas, hiding.state()["regret"] - begun, trace)

    def objective(self, t, policy):
        """Jᵗ(π), whose shadow is that of iteration t."""
        off = penalty(self.game, policy, self.shadows[t])[0]
        return self.game.payoffs(policy)[0] - self.gammas[t] * off

    def gained(self, policy):
        """Σ_t Jᵗ(π) - Jᵗ(πᵗ)."""
        steps = range(len(self.policies))
        return sum(self.objective(t, policy) - self.objective(t, self.policies[t]) for t in steps)


def worths(game, policy, shadow, gamma):
    """[S] the mean worth Q of each action of a relaxed policy against a shadow."""
    twin = HidingTwin(ProgressiveHiding(game, HidingScheme(weighting="posterior")))
    twin.policy, twin.shadow = by_label(game.relaxed, policy), by_label(game.original, shadow)
    twin.gamma[:] = gamma
    visited = twin.visit()
    weight = twin.all_weights()
    mean = [np.zeros(len(own)) for own in twin.policy]
    for node in range(game.form.num_nodes):
        mean[game.relaxed.label[node]] += weight[node] * twin.worths(node, 0, visited)
    return np.concatenate(mean)


def label_sums(game, vector):
    return np.add.reduceat(vector, game.relaxed.first_slot[:-1])


def reach_of_labels(game, policy):
    return np.bincount(game.relaxed.label, game.reach(policy))


def spread(game, numbers):
    """[S] a number of each label, for all its actions."""
    return np.repeat(numbers, game.relaxed.num_actions)


CONFIGURATIONS = {
    "ftrl, current": (HidingScheme(learner=entropic_ftrl(1.0)), lambda t: 0.3),
    "ftrl, growing": (HidingScheme(learner=entropic_ftrl(0.3)), lambda t: 0.05 * t**0.5),
    "ftrl, uniform": (HidingScheme(projector="uniform"), lambda t: 0.3),
    "matching, current": (HidingScheme(learner=regret_matching()), lambda t: 0.3),
    "matching, prevhat": (
        HidingScheme(learner=regret_matching(), projector="prevhat"),
        lambda t: 0.05 * t**0.5,
    ),
    "free": (HidingScheme(learner=regret_matching()), lambda t: 0.0),
}

GAMES = {"pennies": pennies, "trade": lambda: trade(2), "random": lambda: random_team(4)}


@pytest.fixture(params=[(g, c) for g in GAMES for c in CONFIGURATIONS], ids=str)
def history(request):
    game, (scheme, gamma) = request.param[0], CONFIGURATIONS[request.param[1]]
    return History.of(GAMES[game](), scheme, [gamma(t) for t in range(1, 31)])


@pytest.fixture
def criteria(history):
    """Of each iteration, [S] the worths of actions, and what local criteria q are made of."""
    game = history.game
    return [
        worths(game, policy, shadow, gamma)
        for policy, shadow, gamma in zip(
            history.policies, history.shadows, history.gammas, strict=True
        )
    ]


def local_value(history, t, worth, policy):
    """[M] qᵗ_ι(x) = Σ_a x(a) Q(a) - γ ‖x - π̂‖², x the relaxed policy at each label."""
    game = history.game
    off = policy - game.lent(history.shadows[t])
    return label_sums(game, policy * worth) - history.gammas[t] * label_sums(game, off**2)


def test_regret_is_the_sum_of_local_ones_by_the_reach_of_the_other_policy(history, criteria):
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
        total = reach_of_labels(game, other) @ local
        assert total == pytest.approx(history.gained(other), abs=1e-8)


def nearest(point):
    """The nearest probabilities, by bisection on what is taken from all."""
    low, high = point.min() - 1, point.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(point - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(point - low, 0)


def best_choice(worth, total_gamma, shadow):
    """The x with most of <x, worth> - Σ_t γ_t ‖x - π̂ᵗ‖², given Σ_t γ_t π̂ᵗ as `shadow`."""
    if total_gamma == 0:
        return np.eye(len(worth))[np.argmax(worth)]
    return nearest((worth + 2 * shadow) / (2 * total_gamma))


def pulled(history):
    """Σ_t γ_t, and [S] Σ_t γ_t π̂ᵗ."""
    lent = [history.game.lent(shadow) for shadow in history.shadows]
    return sum(history.gammas), np.einsum("t,ts->s", history.gammas, lent)


def best_policy(history):
    """The relaxed policy that gains most, from the last stage to the first."""
    game, (total, shadow) = history.game, pulled(history)
    form, label, first = game.form, game.relaxed.label, game.relaxed.first_slot
    policy = np.zeros(game.relaxed.num_slots)
    lent = np.array([game.lent(own) for own in history.shadows])
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

    for own in range(game.relaxed.num_labels - 1, -1, -1):
        nodes, slots = np.flatnonzero(label == own), slice(first[own], first[own + 1])
        mean = np.average([worth(n) for n in nodes], axis=0, weights=form.arrays.chance[nodes])
        policy[slots] = best_choice(mean, total, shadow[slots])
        off = ((policy[slots] - lent[:, slots]) ** 2).sum(axis=1)
        for node in nodes:
            value[node] = policy[slots] @ worth(node) - np.dot(history.gammas, off)
    return policy


def test_regret_is_bounded_by_local_regrets_and_those_by_linear_ones(history, criteria):
    """T6, Theorem 5: the middle by exact local optima, the right by what the learners keep."""
    game, steps = history.game, len(history.policies)
    total, shadow = pulled(history)
    summed = sum(criteria)
    pieces = zip(by_label(game.relaxed, summed), by_label(game.relaxed, shadow), strict=True)
    best = np.concatenate([best_choice(worth, total, own) for worth, own in pieces])
    local = sum(
        local_value(history, t, worth, best) - local_value(history, t, worth, history.policies[t])
        for t, worth in enumerate(criteria)
    )
    linear = np.maximum.reduceat(history.regret, game.relaxed.first_slot[:-1])
    of_nature = np.bincount(game.relaxed.label, game.form.arrays.chance)
    regret = history.gained(best_policy(history)) / steps
    bound = of_nature @ np.maximum(local, 0) / steps
    assert (local <= linear + 1e-8).all()
    assert regret <= bound + 1e-8
    assert bound <= of_nature @ np.maximum(linear, 0) / steps + 1e-8
    for seed in range(5):
        other = random_policy(game.relaxed, np.random.default_rng(seed))
        assert history.gained(other) / steps <= regret + 1e-9


@pytest.mark.parametrize("learner", [regret_matching(), None])
@pytest.mark.parametrize("game", GAMES)
def test_regret_vanishes(game, learner):
    """T7; the rate of entropic FTRL is in proportion to 1/√T."""
    regrets = []
    for steps in (20, 320):
        chosen = learner or entropic_ftrl(2 / steps**0.5)
        history = History.of(GAMES[game](), HidingScheme(learner=chosen), [0.3] * steps)
        regrets.append(history.gained(best_policy(history)) / steps)
    assert regrets[1] < 0.5 * regrets[0]


def test_what_the_relaxed_policy_drifts_is_paid_by_its_regret(history):
    """T8, in place of Proposition 6: an identity for every policy π, whatever agents remember."""
    game, steps = history.game, len(history.policies)
    drift = np.mean(history.trace.gamma * history.trace.penalty)
    earned = history.trace.relaxed.mean()
    for seed in range(3):
        other = random_policy(game.relaxed, np.random.default_rng(seed))
        distances = [penalty(game, other, shadow)[0] for shadow in history.shadows]
        expected = (
            earned
            - game.payoffs(other)[0]
            + history.gained(other) / steps
            + np.dot(history.gammas, distances) / steps
        )
        assert drift == pytest.approx(expected, abs=1e-8)


def observed(game, scheme, weighting, seed):
    """[S] what a first iteration observes, but for a constant at each label; policy and shadow."""
    scheme = HidingScheme(learner=regret_matching(), weighting=weighting, mixing=0.0, **scheme)
    hiding = ProgressiveHiding(game, scheme, seed=seed)
    before = hiding.state()["regret"].copy()
    hiding.run(1)
    return hiding.state()["regret"] - before, hiding.relaxed_policy(), hiding.policy()


def directions(game, policy, generator, count=8):
    """Directions in which probabilities stay such, of what is played, at one label each."""
    for label in generator.integers(game.relaxed.num_labels, size=count):
        slots = slice(game.relaxed.first_slot[label], game.relaxed.first_slot[label + 1])
        direction = np.zeros(len(policy))
        step = generator.normal(size=slots.stop - slots.start)
        direction[slots] = step - step.mean()
        yield direction


def slope(function, policy, direction):
    ahead, behind = function(policy + STEP * direction), function(policy - STEP * direction)
    return (ahead - behind) / (2 * STEP)


@pytest.mark.parametrize("projector", ["current", "prevhat"])
@pytest.mark.parametrize("lent", ["recall", "cheated", "nothing"])
def test_learners_observe_the_gradient(lent, projector):
    """T5: of Jᵗ with the shadow as it is; by `current` also of F, whose shadow moves along."""
    generator = np.random.default_rng(5)
    for game in (trade(2, lent), random_team(5, lent), bridge(lent)):
        scheme = {"penalty": 0.7, "projector": projector}
        vector, policy, shadow = observed(game, scheme, "full", seed=1)

        def frozen(point, game=game, shadow=shadow):
            return game.payoffs(point)[0] - 0.7 * penalty(game, point, shadow)[0]

        def moving(point, game=game):
            return relaxed_objective(game, point, 0.7)[0]

        for direction in directions(game, policy, generator):
            found = vector @ direction
            assert found == pytest.approx(slope(frozen, policy, direction), abs=2e-7)
            if projector == "current":
                assert found == pytest.approx(slope(moving, policy, direction), abs=2e-7)


def test_beliefs_are_the_reach_over_that_of_the_label():
    """The two scales of what is observed: reach(ι) times the conditional one is the gradient."""
    for game in (trade(2), trade(2, "cheated"), random_team(5)):
        full, policy, _ = observed(game, {"penalty": 0.7}, "full", seed=2)
        conditional, _, _ = observed(game, {"penalty": 0.7}, "posterior", seed=2)
        reach = spread(game, reach_of_labels(game, policy))
        np.testing.assert_allclose(full, reach * conditional, atol=1e-12)


def test_with_recall_counterfactual_weights_are_beliefs_times_natures_share():
    """A team alone: both forms differ by a constant at each label."""
    game = trade(2)
    counterfactual, _, _ = observed(game, {"penalty": 0.7}, "counterfactual", seed=2)
    conditional, _, _ = observed(game, {"penalty": 0.7}, "posterior", seed=2)
    nature = np.bincount(game.relaxed.label, game.form.arrays.chance)
    np.testing.assert_allclose(counterfactual, spread(game, nature) * conditional, atol=1e-12)
