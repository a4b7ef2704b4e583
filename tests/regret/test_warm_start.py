"""Warm starts: regret minimization from a given policy."""

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.forms import public_structure
from infoset.policy import TabularPolicy, random_policy, uniform_policy
from infoset.regret import SCHEMES, minimizer
from infoset.regret.minimizer import WARM_ITERATIONS, WARM_REGRET
from infoset.solvers.regret_family import RegretSolver
from tests.support.changing_schemes import UNEVEN
from tests.support.coarse_tolerances import coarsen_tolerances

TURN = "nolimit_endgame(board=Ks9d8h4s,bets=[1],max_raises=1,ranges=['AK,QQ';'QQ,JTs,99'])"
RIVER = "nolimit_endgame(board=Ks9d8h4s2c,pot=100,stack=100,ranges=['AA,QQ,JTs';'22+'])"


@pytest.fixture(scope="module")
def leduc():
    return infoset.build_public_form("leduc_poker")


@pytest.fixture(scope="module")
def divided():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(public_structure, "DIVIDED_FROM", 0)
        form = infoset.build_public_form(TURN)
        assert form.division is not None
        return form


def a_policy(form, seed=1):
    return random_policy(form, np.random.default_rng(seed))


def pure(form, action):
    """The policy that always takes the first action, or the last one."""
    found = []
    for plex in form.treeplexes:
        values = np.zeros(plex.num_sequences)
        values[0] = 1.0
        values[plex.first_sequence + (plex.num_actions - 1 if action else 0)] = 1.0
        found.append(values)
    return TabularPolicy(form, tuple(found))


def assert_plays(solver, policy):
    """It is the current policy where chance and uniform opponents lead, up to the tolerance."""
    single = solver.precision == "float32"
    for player, own in enumerate(solver.current_policy().probabilities):
        tolerance = solver._layouts[player].to_sequences(expanded(solver, player))
        found, wanted = own[tolerance > 0], policy.probabilities[player][tolerance > 0]
        np.testing.assert_allclose(found, wanted, atol=1e-4 if single else 1e-9)


def expanded(solver, player):
    """[Q] the tolerance of the infostate of each sequence, in order of position."""
    layout, found = solver._layouts[player], np.zeros(solver._layouts[player].num_sequences)
    tolerance = solver._tolerances[player]
    if solver._division is not None:
        tolerance = np.repeat(tolerance, solver._division.parts[player].size)
    for base, stride, actions, first, count in layout.groups.tolist():
        for at in range(base, base + actions * stride, stride):
            found[at : at + count] = tolerance[first : first + count]
    return found


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("scheme", [*SCHEMES.values(), UNEVEN], ids=lambda scheme: scheme.name)
def test_regret_matching_plays_the_policy(leduc, scheme, precision):
    start = a_policy(leduc)
    solver = RegretSolver(leduc, scheme, precision, start=start)
    assert_plays(solver, start)
    # The first iteration plays it, too, so its average is the start.
    error = evaluate_policy(start).exploitability
    assert solver.evaluate().exploitability == pytest.approx(error, rel=1e-4)
    if not scheme.averages_next:
        solver.run(1)
        average = evaluate_policy(solver.policy()).gains[0]
        assert average == pytest.approx(evaluate_policy(start).gains[0], rel=1e-4)


def test_the_average_begins_empty(leduc):
    solver = RegretSolver(leduc, SCHEMES["cfr+"], start=a_policy(leduc))
    plans = []
    for _ in range(3):
        plans.append(solver.current_plans())
        solver.run(1)
    for player, found in enumerate(solver.average_plans()):
        wanted = sum(t * own[player] for t, own in enumerate(plans, start=1)) / 6
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.broad  # with the other tests of iterations by parts, which compile the same kernels
@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("scheme", ["dcfr+", "sapdcfr+"])
def test_large_forms(divided, monkeypatch, scheme, precision, is_stored):
    """Policies that are not stored follow from the regrets, and are the same bit for bit."""
    monkeypatch.setattr(minimizer, "MANY_SEQUENCES", 10**9 if is_stored else 0)
    start = a_policy(divided)
    solver = RegretSolver(divided, SCHEMES[scheme], precision, threads=2, start=start)
    assert solver._matches is (not is_stored and scheme == "dcfr+")
    assert_plays(solver, start)
    whole = RegretSolver(infoset.build_public_form(TURN), SCHEMES[scheme], precision)
    coarsen_tolerances(whole)
    whole.warm_start(start.probabilities_of)
    solver.run(20)
    whole.run(20)
    # Both sum in another order.
    close = 1e-9 if precision == "float64" else 1e-2
    assert solver.evaluate().nash_conv == pytest.approx(whole.evaluate().nash_conv, rel=close)


def test_locked_forms_and_sequence_forms(leduc):
    locked = infoset.forms.lock(leduc, {"call": {"call": 0.25, "raise": 0.75}})
    for form in (locked, infoset.build_sequence_form("leduc_poker")):
        start = a_policy(form)
        solver = RegretSolver(form, SCHEMES["dcfr"], start=start)
        assert_plays(solver, start)


def test_the_regrets_are_those_of_the_docstring():
    """By hand: player 0 of Kuhn poker bets a queen with probability 1/4.

    Against uniform play, half of the calls and folds, the most that a queen reaches is a bet of 2
    in the pairs QJ and QK: 2 · 2 · 1/6, of which 1/2 is called and pays 2, and 1/2 is folded and
    pays 1 in absolute value: 1/3 · (1/2 · 2 + 1/2 · 1) = 1/2.
    """
    form = infoset.build_sequence_form("kuhn_poker")
    player, number = form.look_up(("[Q]", 0))
    values = [own.copy() for own in uniform_policy(form).probabilities]
    first = form.treeplexes[player].first_sequence[number]
    values[player][first : first + 2] = 0.75, 0.25
    start = TabularPolicy(form, tuple(values))
    solver = RegretSolver(form, SCHEMES["cfr+"], start=start)
    assert solver.regrets(player)[0] == 0
    found = solver.regrets(player)[first : first + 2]
    np.testing.assert_allclose(found, WARM_REGRET * 0.5 * np.array([0.75, 0.25]))
    linear = RegretSolver(form, SCHEMES["lcfr"], start=start)
    # There, regrets have the weights of the iterations.
    np.testing.assert_allclose(linear.regrets(player)[first : first + 2], WARM_ITERATIONS * found)


@pytest.mark.parametrize("scheme", ["cfr", "cfr-simultaneous"])
@pytest.mark.parametrize("seed", range(3))
def test_the_regret_bound_of_cfr_holds(leduc, scheme, seed):
    """NashConv · T ≤ Σ_I max_a (R_T(I, a) − R_0(I, a))+ (Zinkevich et al. 2007, Theorem 3).

    R_0 is what the start adds. It is in no iteration, so the sum of regrets is the difference.
    """
    solver = RegretSolver(leduc, SCHEMES[scheme], start=a_policy(leduc, seed))
    before = [solver.regrets(player) for player in range(2)]
    count = 50
    solver.run(count)
    bound = 0.0
    for player, plex in enumerate(leduc.treeplexes):
        gained = solver.regrets(player)[1:] - before[player][1:]
        largest = np.maximum.reduceat(gained, plex.first_sequence - 1)
        bound += np.maximum(largest, 0.0).sum()
    assert solver.evaluate().nash_conv * count <= bound + 1e-9


@pytest.mark.parametrize("scheme", ["cfr", "cfr+", "dcfr", "dcfr+", "pcfr+", "sapdcfr+"])
@pytest.mark.parametrize("kind", ["first", "last", "random", "worst"])
@pytest.mark.parametrize("spec", ["leduc_poker", RIVER])
def test_poor_starts_converge(spec, scheme, kind):
    """A start that loses as much as possible, or never plays an action, only costs iterations."""
    form = infoset.build_public_form(spec)
    starts = {"first": pure(form, 0), "last": pure(form, 1), "random": a_policy(form)}
    start = worst(form) if kind == "worst" else starts[kind]
    target = 0.01 * (100 if spec == RIVER else 2)
    cold, warm = (
        infoset.solve(form, scheme, target=target, iterations=5000, start=own)
        for own in (None, start)
    )
    assert evaluate_policy(start).exploitability > 10 * target
    assert cold.outcome == warm.outcome == "converged"
    assert warm.iterations <= 3 * cold.iterations + 20


def worst(form):
    """Each player responds to uniform play so as to lose the most."""
    plans = uniform_policy(form).realization_plans()
    found = []
    for player, plex in enumerate(form.treeplexes):
        losses = -form.gradient(plans, player)
        values = np.zeros(plex.num_sequences)
        values[0] = 1.0
        for number in range(plex.num_infostates - 1, -1, -1):
            first, count = plex.first_sequence[number], plex.num_actions[number]
            best = int(np.argmax(losses[first : first + count]))
            values[first + best] = 1.0
            losses[plex.parent_sequence[number]] += losses[first + best]
        found.append(values)
    return TabularPolicy(form, tuple(found))


@pytest.mark.parametrize("scheme", ["cfr+", "dcfr", "dcfr+"])
def test_near_solutions_need_fewer_iterations(leduc, scheme):
    near = infoset.solve(leduc, "cfr+", target=0.001).policy
    for target in (0.02, 0.005, 0.002):
        cold, warm = (
            infoset.solve(leduc, scheme, target=target, start=own).iterations
            for own in (None, near)
        )
        assert warm <= cold / 4


@pytest.mark.parametrize("scheme", ["cfr+", "dcfr", "hs-dcfr", "sapdcfr+"])
def test_a_saved_state_is_resumed_bit_for_bit(leduc, scheme):
    start = a_policy(leduc)
    whole, saved, resumed = (RegretSolver(leduc, SCHEMES[scheme], start=start) for _ in range(3))
    whole.run(13)
    saved.run(7)
    resumed.set_state({name: array.copy() for name, array in saved.state().items()})
    resumed.run(6)
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, resumed.state()[name], name)


def test_threads_change_no_bit(leduc):
    start = a_policy(leduc)
    one, two = (RegretSolver(leduc, SCHEMES["dcfr"], threads=n, start=start) for n in (1, 2))
    one.run(9)
    two.run(9)
    assert one.policy().digest == two.policy().digest


def test_responding_infostates_respond_to_the_start(leduc):
    """Elsewhere, uniform play is the start without a start, too."""
    last = [np.zeros(plex.num_infostates, bool) for plex in leduc.treeplexes]
    above = leduc.treeplexes[1].infostate_of_sequence[leduc.treeplexes[1].parent_sequence]
    last[1][:] = True
    last[1][above[above >= 0]] = False
    cold, warm = (
        minimizer.RegretMinimizer(leduc, SCHEMES["cfr"], responding=tuple(last)) for _ in range(2)
    )
    warm.warm_start(uniform_policy(leduc).probabilities_of)
    for one, other in zip(cold.current_plans(), warm.current_plans(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_three_players():
    form = infoset.build_sequence_form("kuhn_poker(players=3)")
    start = infoset.solve(form, "cfr+", iterations=200).policy
    result = infoset.solve(form, "cfr+", iterations=1, start=start)
    assert result.nash_conv == pytest.approx(evaluate_policy(start).nash_conv)


def test_a_start_comes_first(leduc):
    solver = RegretSolver(leduc, SCHEMES["cfr+"])
    solver.run(3)
    with pytest.raises(ParameterError, match="has done 3 iterations; call warm_start before"):
        solver.warm_start(a_policy(leduc).probabilities_of)


def test_regrets_in_16_bits_begin_with_uniform_play(leduc):
    solver = RegretSolver(leduc, SCHEMES["dcfr"], "int16")
    with pytest.raises(ParameterError, match="int16' does not support warm starts: omit start"):
        solver.warm_start(uniform_policy(leduc).probabilities_of)
