"""The kernel, against its reference implementation, OpenSpiel, and the theory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.forms.treeplex import action_major_layout
from infoset.interop import load_openspiel, policy_from_openspiel
from infoset.regret import SCHEMES, RegretMinimizer, RegretScheme
from infoset.solvers import average_policy, current_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_regret import ReferenceMinimizer, generic


@dataclass(frozen=True)
class AnySchedule(RegretScheme):
    """A scheme with a random schedule, so that every column is used."""

    seed: int = 0

    def schedule(self, first, count):
        rng = np.random.default_rng(self.seed)
        rows = rng.uniform(0.2, 1.5, (first + count, 9))
        rows[:, 3] = np.select([rows[:, 3] < 0.6, rows[:, 3] < 1.0], [-np.inf, -0.3], 0.0)
        return rows[first:]


def form_of(spec):
    return cached_tree(spec).sequence_form


def assert_equals_reference(form, scheme, iterations=6):
    fast = RegretMinimizer(form, scheme)
    slow = ReferenceMinimizer(form, scheme.alternating, scheme.averages_next, scheme.adaptive_limit)
    for row in scheme.schedule(1, iterations):
        slow.step(row)
    fast.run(iterations // 2)
    fast.run(iterations - iterations // 2)
    assert fast.iteration == iterations
    for player in range(form.num_players):
        assert np.allclose(fast.regrets(player), slow.regrets[player], rtol=1e-9, atol=1e-11)
        total = slow.averages[player]
        assert np.allclose(fast.average_plans()[player], total / total[0], atol=1e-10)
        assert np.allclose(fast.current_plans()[player], slow.plan(player), atol=1e-9)


@given(
    random_games(),
    st.integers(0, 2**32),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 0.0, 5.0]),
)
def test_any_schedule_equals_the_reference_implementation(
    game, seed, alternating, averages_next, limit
):
    form = generic(build_tree(game).sequence_form, seed)
    scheme = AnySchedule(
        "any",
        "",
        alternating=alternating,
        averages_next=averages_next,
        adaptive_limit=limit,
        seed=seed,
    )
    assert_equals_reference(form, scheme)


def test_kernels_read_no_numbers_beyond_a_schedule():
    class Short(RegretScheme):
        def schedule(self, first, count):
            return super().schedule(first, count)[:, :8]

    minimizer = RegretMinimizer(form_of("kuhn_poker"), Short("short", ""))
    with pytest.raises(ParameterError, match=r"shape \(3, 8\) for 3 iterations; return an array"):
        minimizer.run(3)
    assert minimizer.iteration == 0


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("spec", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_the_schemes_equal_the_reference_implementation(spec, name):
    assert_equals_reference(generic(form_of(spec), 1), SCHEMES[name], 30 if "3" not in spec else 12)


@pytest.mark.parametrize("name", ["cfr", "cfr+-simultaneous", "dcfr", "pcfr+", "apcfr+"])
def test_the_schemes_equal_the_reference_implementation_on_leduc_poker(name):
    assert_equals_reference(generic(form_of("leduc_poker"), 1), SCHEMES[name], 4)


@given(random_games())
def test_layouts_are_permutations_with_parents_first(game):
    for plex in build_tree(game).sequence_form.treeplexes:
        layout = action_major_layout(plex)
        assert sorted(layout.position) == list(range(plex.num_sequences))
        values = np.arange(plex.num_sequences, dtype=float)
        assert np.array_equal(layout.to_sequences(layout.to_positions(values)), values)
        depths = set()
        for base, count, actions, first, size in layout.groups.tolist():
            assert (layout.parent[first : first + count] < base).all()
            assert base + count * actions <= plex.num_sequences
            assert actions > 0
            assert size == count
            depths.add(base)
        assert len(depths) == len(layout.groups)


@pytest.mark.parametrize(
    ("spec", "name", "reference"),
    [
        ("kuhn_poker", "cfr", "CFRSolver"),
        ("kuhn_poker", "cfr+", "CFRPlusSolver"),
        pytest.param("leduc_poker", "cfr", "CFRSolver", marks=pytest.mark.long),
        ("leduc_poker", "cfr+", "CFRPlusSolver"),
    ],
)
def test_policies_agree_with_openspiel(spec, name, reference):
    """Compare OpenSpiel's games infostate by infostate, and ours, with other names, by NashConv."""
    pyspiel = pytest.importorskip("pyspiel")
    tree = build_tree(load_openspiel(spec))
    solver = getattr(pyspiel, reference)(tree.game.pyspiel_game)
    ours, native = (
        RegretMinimizer(form, SCHEMES[name]) for form in (tree.sequence_form, form_of(spec))
    )
    for iterations in (1, 2, 10, 100) if spec == "kuhn_poker" else (1, 2, 10):
        while ours.iteration < iterations:
            solver.evaluate_and_update_policy()
            ours.run(1)
        native.run(iterations - native.iteration)
        average = policy_from_openspiel(solver.average_policy(), tree)
        assert_policies_agree(average_policy(ours), average)
        expected = evaluate_policy(average).nash_conv
        assert evaluate_policy(average_policy(native)).nash_conv == pytest.approx(
            expected, abs=1e-9
        )
        if iterations <= 10:
            current = policy_from_openspiel(solver.current_policy(), tree)
            assert_policies_agree(current_policy(ours), current)


def assert_policies_agree(ours, theirs):
    for mine, other in zip(ours.probabilities, theirs.probabilities, strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-9)


CURVES = {
    # Exploitability after 100 and 1000 alternating iterations of an independent implementation.
    ("kuhn_poker", "cfr"): (8.23e-3, 9.38e-4),
    ("kuhn_poker", "cfr+"): (1.19e-3, 8.74e-5),
    ("leduc_poker", "cfr"): (9.572e-2, 1.18e-2),
    ("leduc_poker", "cfr+"): (1.3416e-2, 2.53e-4),
    ("leduc_poker", "cfr-simultaneous"): (0.173, 0.0398),
    ("leduc_poker", "cfr+-simultaneous"): (0.044, 0.0069),
    ("liars_dice", "cfr+"): (4.91e-3, 1.27e-4),
}


@pytest.mark.parametrize(("spec", "name"), CURVES)
def test_reference_curves(spec, name):
    minimizer = RegretMinimizer(form_of(spec), SCHEMES[name])
    at_100, at_1000 = CURVES[spec, name]
    minimizer.run(100)
    assert evaluate_policy(average_policy(minimizer)).exploitability == pytest.approx(
        at_100, rel=0.01
    )
    minimizer.run(900)
    # Rounding errors grow: different orders of summation change the result by a few percent.
    assert evaluate_policy(average_policy(minimizer)).exploitability == pytest.approx(
        at_1000, rel=0.05
    )


def test_splitting_a_run_changes_no_bit():
    form = form_of("leduc_poker")
    whole, cut = (RegretMinimizer(form, SCHEMES["cfr+"]) for _ in range(2))
    whole.run(37)
    for part in (1, 6, 30):
        cut.run(part)
    for a, b in zip(whole.average_plans(), cut.average_plans(), strict=True):
        assert np.array_equal(a, b)


def test_before_the_first_iteration_everything_is_uniform():
    minimizer = RegretMinimizer(form_of("kuhn_poker"), SCHEMES["cfr"])
    assert all((row.probabilities == 0.5).all() for row in average_policy(minimizer).rows())
    assert all((row.probabilities == 0.5).all() for row in current_policy(minimizer).rows())


def test_a_player_who_never_acts():
    from tests.support.function_game import FunctionGame

    game = FunctionGame(num_players=2, rewards=lambda w, a, x: (1, -1) if x == "heads" else (-1, 1))
    minimizer = RegretMinimizer(build_tree(game).sequence_form, SCHEMES["cfr+"])
    minimizer.run(3)
    assert evaluate_policy(average_policy(minimizer)).nash_conv == 0


@pytest.mark.parametrize("name", SCHEMES)
def test_the_state_is_sufficient_to_resume(name):
    """A new minimizer with this state continues with the same bits after any iteration."""
    for spec in ("leduc_poker", "kuhn_poker(players=3)"):
        form = form_of(spec)
        whole = RegretMinimizer(form, SCHEMES[name])
        whole.run(20)
        for stop in (0, 1, 7, 20):
            first, second = (RegretMinimizer(form, SCHEMES[name]) for _ in range(2))
            first.run(stop)
            second.run(3)
            second.set_state({key: array.copy() for key, array in first.state().items()})
            second.run(20 - stop)
            assert second.iteration == 20
            for key, array in whole.state().items():
                np.testing.assert_array_equal(second.state()[key], array)
