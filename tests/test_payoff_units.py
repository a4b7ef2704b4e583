"""Answers depend neither on the unit of payoffs nor on constants that are added to them."""

import warnings
from contextlib import suppress
from fractions import Fraction
from functools import cache
from math import sin

import numpy as np
import pytest

from infoset import learn, solve
from infoset.errors import NumericalError
from infoset.evaluation import CCEEvaluator, EFCEEvaluator, nash_conv
from infoset.game import Observation
from infoset.games import load_game
from infoset.learning import (
    LEARNERS,
    AdversarialPlay,
    get_learner,
    make_learner,
    make_simulator,
    play_and_learn,
    switch_between,
)
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES
from infoset.search import GraphModel, RulesModel, make_searcher
from infoset.solvers import METHODS, payoff_scale
from infoset.solvers.exact import solve_exactly
from infoset.tree import build_sequence_form, build_tree
from tests.support.affine_games import AffineGame
from tests.support.function_game import FunctionGame

pytestmark = pytest.mark.broad

POWERS_OF_TWO = {"2^40": (2.0**40, ()), "2^-40": (2.0**-40, ())}
OTHERS = {
    "times 0.3": (0.3, ()),
    "both + 100": (1.0, (100.0, 100.0)),
    "one + 100": (1.0, (100.0, 0.0)),
    "all changed": (0.3, (5.0, -11.0)),
}
EXTREMES = {"1e-200": (1e-200, ()), "1e150": (1e150, ()), "1e308": (0.6e308, ())}
PROGRAMS = ("lp", "lp-ipm", "lp-refined")
ITERATIVE = sorted({*METHODS} - {"auto", *PROGRAMS})


def signals(constant_sum=True):
    """Player 0 sees one of three types and sends a signal; player 1 answers, and player 0 again.

    The payoffs are generic: no two are equal, so that only rounding could cause a tie. The largest
    absolute payoff is below 1.7.
    """

    def follow(world, joint):
        if not world:
            return [(("a",), 0.5), (("b",), 0.3), (("c",), 0.2)]
        if len(world) == 4:
            return []
        return [((*world, joint[(len(world) - 1) % 2]), 1)]

    def pay(world, joint, after):
        if len(after) < 4:
            return (0.0, 0.0)
        number = "".join(after).encode()
        first, second = (
            sin(sum((k + p) * byte**2 for k, byte in enumerate(number))) for p in (1, 4)
        )
        return (first + 0.6, -first - 0.6 if constant_sum else second)

    return FunctionGame(
        2,
        initial_world=lambda: (),
        actors=lambda w: ((len(w) - 1) % 2,) if 0 < len(w) < 4 else (),
        legal_actions=lambda w, p: "xyz" if p else "lr",
        transitions=follow,
        rewards=pay,
        observe=lambda w, a, n: Observation(n[-1] if w else None, {0: n} if not w else {}),
    )


@cache
def base():
    return build_tree(signals())


@cache
def general_sum():
    return build_tree(signals(constant_sum=False))


def changed(name, game=None):
    """Return the tree of a game with other payoffs."""
    scale, shift = {**POWERS_OF_TWO, **OTHERS, **EXTREMES}[name]
    return build_tree(AffineGame(signals() if game is None else game, scale, shift))


@cache
def changed_trees():
    return {name: changed(name) for name in {**POWERS_OF_TWO, **OTHERS}}


def assert_same(found, expected, name):
    """Compare the numbers of a changed game: exactly for powers of two, otherwise to 1e-9."""
    if name in POWERS_OF_TWO:
        assert np.array_equal(found, expected, equal_nan=True), name
    else:
        assert found == pytest.approx(expected, abs=1e-9, nan_ok=True), name


def numbers(policy):
    return np.concatenate(policy.probabilities)


def on_base(policy):
    """Return NashConv of a policy in the game with the original payoffs."""
    return nash_conv(TabularPolicy(base().sequence_form, policy.probabilities))


@pytest.mark.parametrize("method", ITERATIVE)
def test_methods(method):
    expected = numbers(solve(base(), method, iterations=10).policy)
    for name, tree in changed_trees().items():
        assert_same(numbers(solve(tree, method, iterations=10).policy), expected, name)


@pytest.mark.parametrize("method", ITERATIVE)
def test_methods_end_equally_close_to_equilibrium(method):
    expected = solve(base(), method, iterations=300).nash_conv
    for name in ("one + 100", "all changed"):
        assert on_base(
            solve(changed_trees()[name], method, iterations=300).policy
        ) == pytest.approx(expected, rel=0.05, abs=1e-9)


@pytest.mark.parametrize("offset", [1e6, 1e8])
@pytest.mark.parametrize("method", PROGRAMS)
def test_linear_programs_with_large_constants(method, offset):
    for shift in ((offset, offset), (offset, -offset), (0.0, offset)):
        found = solve(build_tree(AffineGame(signals(), 1.0, shift)), method)
        assert found.outcome == "optimal"
        # The payoffs themselves lose digits when the constant is added.
        assert on_base(found.policy) < 1e-6


def test_exact_equilibria_with_large_constants():
    kuhn = load_game("kuhn_poker")
    proof = solve_exactly(build_tree(AffineGame(kuhn, 1.0, (10**8, 10**8))))
    assert proof.value - 10**8 == solve_exactly(build_tree(kuhn)).value


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("method", ITERATIVE)
def test_methods_with_extreme_payoffs(method, name):
    expected = numbers(solve(base(), method, iterations=10).policy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solve(changed(name), method, iterations=10)
    # The CFR family is left as it is: rounding decides whether it clips a regret of about zero.
    if method not in SCHEMES:
        assert numbers(found.policy) == pytest.approx(expected, abs=1e-9)


def learned(tree, spec):
    """Return the current and the average policies after some self-play."""
    play = spec.self_play(make_simulator(tree), horizon=1000, seed=3)
    play.run(30)
    return np.concatenate([numbers(play.current_policy()), numbers(play.policy())])


@pytest.mark.parametrize("learner", sorted(LEARNERS))
def test_learners(learner):
    spec = LEARNERS[learner]
    expected = learned(base(), spec)
    for name, tree in changed_trees().items():
        assert_same(learned(tree, spec), expected, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in EXTREMES:
            assert learned(changed(name), spec) == pytest.approx(expected, abs=1e-9)


def test_learners_against_adversaries():
    def regret(tree):
        adversary = switch_between([uniform_policy(tree.sequence_form)])
        play = AdversarialPlay(
            "balanced-omd", make_simulator(tree), adversary, player=1, horizon=100
        )
        play.run(100)
        return play.regret(), numbers(play.current_policy())

    expected, policy = regret(base())
    for name in ("both + 100", "one + 100"):
        found, same = regret(changed_trees()[name])
        assert (found, *same) == pytest.approx((expected, *policy), abs=1e-9)


@pytest.mark.parametrize("learner", ["os-mccfr", "vr-mccfr"])
def test_learners_in_loops_of_the_user(learner):
    def learned_policy(scale, shift):
        game = AffineGame(signals(), scale, (0.0, shift))
        limits = tuple(scale * limit + shift for limit in (-2.0, 2.0))
        own = make_learner(get_learner(learner), player=1, utility_range=limits, horizon=60)
        play_and_learn(game, [None, own], episodes=60)
        return own.state()["policy"]

    expected = learned_policy(1.0, 0.0)
    assert np.array_equal(learned_policy(2.0**-40, 0.0), expected)
    assert learned_policy(0.3, -11.0) == pytest.approx(expected, abs=1e-9)


def searched(tree, text, model_class):
    """Return the policy of a search at every second infostate."""
    model = model_class(tree if model_class is GraphModel else tree.graph.game)
    searcher = make_searcher(text, model)
    answers = []
    for trees in tree.infostate_trees:
        for number in trees.acting[::2].tolist():
            known = trees.infostate_at(number)
            answers.append(searcher.search(known, np.random.default_rng(number)))
    return np.concatenate(answers)


SEARCHES = {
    "pimc": "pimc(num_worlds=10,public_weight=0.3)",
    "epimc": "epimc(num_worlds=10,public_weight=0.3)",
    "ismcts": "ismcts(num_simulations=60,public_weight=0.3)",
}


ZERO_SUM = {
    "alpha-mu": "alpha-mu(num_worlds=10)",
    "depth_limited": "depth_limited(iterations=50)",
    "continual_resolving": "continual_resolving(iterations=50)",
    "sepot": "sepot(iterations=50)",
}


@pytest.mark.parametrize("text", ZERO_SUM.values(), ids=[*ZERO_SUM])
def test_searchers_of_zero_sum_games(text):
    expected = searched(base(), text, GraphModel)
    for name in ("2^-40", "times 0.3"):
        assert_same(searched(changed(name), text, GraphModel), expected, name)


@pytest.mark.parametrize("model_class", [GraphModel, RulesModel])
@pytest.mark.parametrize("text", SEARCHES.values(), ids=[*SEARCHES])
def test_searchers(text, model_class):
    for tree, game in ((base(), signals()), (general_sum(), signals(constant_sum=False))):
        expected = searched(tree, text, model_class)
        for name in ("2^-40", "all changed"):
            assert_same(searched(changed(name, game), text, model_class), expected, name)


@pytest.mark.parametrize("model_class", [GraphModel, RulesModel])
@pytest.mark.parametrize("text", SEARCHES.values(), ids=[*SEARCHES])
def test_searchers_with_extreme_payoffs(text, model_class):
    expected = searched(base(), text, model_class)
    for name in EXTREMES:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = searched(changed(name), text, model_class)
        assert found == pytest.approx(expected, abs=1e-9), name


@pytest.mark.parametrize("text", SEARCHES.values(), ids=[*SEARCHES])
def test_searchers_report_values_in_the_units_of_the_game(text):
    def values(tree):
        searcher = make_searcher(text, GraphModel(tree))
        trees = tree.infostate_trees[1]
        known = trees.infostate_at(int(trees.acting[0]))
        searcher.search(known, np.random.default_rng(1))
        return searcher.last_search.values

    assert values(base()) == pytest.approx(values(changed("times 0.3")) / 0.3)
    low, high = base().sequence_form.payoff_range
    assert all(low <= value <= high for value in values(base()))
    assert np.isfinite(values(changed("1e308"))).all()


def test_the_scale_of_payoffs_ignores_constants():
    scale = payoff_scale(base().sequence_form)
    assert payoff_scale(changed_trees()["one + 100"].sequence_form) == pytest.approx(
        scale, rel=1e-12
    )
    assert payoff_scale(changed_trees()["2^40"].sequence_form) == scale * 2.0**40
    kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    assert kuhn.centered is kuhn
    assert payoff_scale(kuhn) == np.abs(kuhn.payoff).max()


def test_centered_payoffs_are_those_of_the_game_without_the_constants():
    kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    shifted = build_tree(AffineGame(load_game("kuhn_poker"), 1.0, (100.0, -7.0))).sequence_form
    assert shifted.constant_sum == 93.0
    assert shifted.centered.constant_sum == 0.0
    assert np.array_equal(shifted.centered.payoff, kuhn.payoff)
    assert np.array_equal(shifted.centered.terminal_sequence, kuhn.terminal_sequence)
    assert (shifted.payoff_width, shifted.payoff_range) == (4.0, (-9.0, 102.0))


LARGEST = AffineGame(load_game("kuhn_poker"), 8e307)
"""The utilities go from -1.6e308 to 1.6e308, near the limits of floating point."""


@pytest.mark.parametrize("method", sorted({*METHODS} - {"auto"}))
def test_methods_solve_the_largest_payoffs_or_refuse_them_without_warnings(method):
    with suppress(NumericalError):
        result = solve(build_tree(LARGEST), method, iterations=20)
        assert np.isfinite(result.nash_conv)
        assert method not in PROGRAMS or result.nash_conv < 1e-6 * 1e308


@pytest.mark.parametrize("method", sorted(LEARNERS))
def test_learners_learn_from_the_largest_payoffs_without_warnings(method):
    for rules in (LARGEST, AffineGame(load_game("random_game(seed=3)"), 1e307)):
        with suppress(NumericalError):
            assert np.isfinite(learn(rules, method, episodes=200).nash_conv).all()


def test_exact_solutions_of_the_largest_payoffs():
    assert solve_exactly(build_tree(LARGEST)).value == Fraction(8e307) * Fraction(-1, 18)


def test_utilities_beyond_the_largest_number_are_refused():
    rules = AffineGame(load_game("kuhn_poker"), 8e307, (1e308, -1e308))
    for build in (lambda: build_tree(rules).sequence_form, lambda: build_sequence_form(rules)):
        with pytest.raises(NumericalError, match="a play of kuhn_poker add up to more than"):
            build()


def test_sums_of_payoffs_that_overflow_are_refused_when_they_are_evaluated():
    form = build_tree(LARGEST).sequence_form
    # Player 0 bets, and player 1 passes: player 0 always wins one chip.
    bets, passes = np.array([1.0] + 6 * [0, 1]), np.array([1.0] + 6 * [1, 0])
    plans = TabularPolicy.from_weights(form, [bets, passes]).realization_plans()
    for play in (CCEEvaluator(form), EFCEEvaluator(form)):
        for _ in range(40):
            play.add(plans)
        with pytest.raises(NumericalError, match="sums of payoffs of kuhn_poker exceed the range"):
            play.evaluate()
