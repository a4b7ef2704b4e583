"""Large public forms: iterations and values part by part, against those of whole arrays."""

import signal
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import infoset
from infoset.evaluation import evaluate_policy
from infoset.forms import public_structure
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, RegretMinimizer, divided_iteration, minimizer
from infoset.regret.tolerances import regret_tolerances
from infoset.solvers.regret_family import RegretSolver
from tests.support.changing_schemes import PREDICTING, UNEVEN
from tests.support.coarse_tolerances import coarsen_tolerances
from tests.support.random_public_games import RandomPublicGame

pytestmark = pytest.mark.broad

GAMES = {
    "turn": "nolimit_endgame(board=Ks9d8h4s,bets=[1],max_raises=1,ranges=['AK,QQ';'QQ,JTs,99'])",
    # Suits can be exchanged, and an all-in on the flop leaves both cards to chance.
    "flop": (
        "nolimit_endgame(board=QsJh2h,bets=[1],max_raises=1,stack=60,ranges=['A5s,KTs';'QQ,99'])"
    ),
    # Pairs of hands, and outcomes, whose probabilities are not products.
    "random": RandomPublicGame(27),
}


VARIANTS = (
    *("cfr", "cfr+", "dcfr", "hs-dcfr", "pcfr+", "sapcfr+", "cfr+-simultaneous"),
    replace(SCHEMES["dcfr"], name="next", averages_next=True),
    replace(SCHEMES["cfr"], name="simultaneous next", alternating=False, averages_next=True),
    replace(SCHEMES["pcfr+"], name="adaptive", adaptive_limit=4.0),
    PREDICTING,
    replace(UNEVEN, tolerance=1e9),  # of the rounding in double precision
)


def scheme_of(scheme):
    return SCHEMES[scheme] if isinstance(scheme, str) else scheme


@pytest.fixture(scope="module")
def forms():
    """Each game whole and divided."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        for divided, limit in ((False, 10**9), (True, 0)):
            patch.setattr(public_structure, "DIVIDED_FROM", limit)
            for name, game in GAMES.items():
                form = infoset.build_public_form(game)
                assert (form.division is not None) is divided
                found[name, divided] = form
    return found


@pytest.fixture(autouse=True)
def matching(monkeypatch):
    """As in large games, policies are not stored if they follow from the regrets."""
    monkeypatch.setattr(minimizer, "MANY_SEQUENCES", 0)


@pytest.mark.parametrize("name", GAMES)
def test_parts_are_the_boards_of_the_last_card(forms, name):
    form = forms[name, True]
    division, parts = form.division, form.parts
    for node in range(1, form.num_nodes):
        parent = form.parent[node]
        assert parts[parent] in (0, parts[node])
        deals = form.hand_set[node] != form.hand_set[parent]
        if parts[parent]:
            assert not deals
        assert len(set(form.hand_set[parts == parts[node]].tolist())) == 1 or not parts[node]
    # Every board of the river is a part, and its sequences are consecutive in the layouts.
    assert division.num_parts == 1 + len(set(form.hand_set[parts > 0].tolist()))
    for player, own in enumerate(division.parts):
        runs = form.runs[player]
        for part, (begin, end) in enumerate(pairwise(own.position.tolist())):
            inside = (runs.first >= begin) & (runs.first < end)
            assert set(runs.part[inside].tolist()) <= {part}
        assert own.position[-1] == form.treeplexes[player].num_sequences
    if name == "flop":
        assert form.symmetry is not None
        assert (own.parent_row >= 0).any(), "no hands are merged before the last card only"


def test_players_share_the_tables_of_boards(forms):
    one, other = forms["turn", True].division.payoffs()
    for kind in ("order", "weight"):
        for own, opposite in (("own", "other"), ("other", "own")):
            assert getattr(one, f"{own}_{kind}") is getattr(other, f"{opposite}_{kind}")
    assert one.own_start.dtype == np.int32


@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_whole_arrays(forms, name):
    whole, divided = forms[name, False], forms[name, True]
    draw = np.random.default_rng(0)
    by_sequence = tuple(draw.random(plex.num_sequences) for plex in whole.treeplexes)
    for weights in by_sequence:
        weights[draw.random(len(weights)) < 0.3] = 0.0
        weights[0] = 1.0
    policies = [TabularPolicy.from_weights(form, by_sequence) for form in (whole, divided)]
    expected, found = map(evaluate_policy, policies)
    np.testing.assert_allclose(found.values, expected.values, atol=expected.rounding)
    np.testing.assert_allclose(found.gains, expected.gains, atol=2 * expected.rounding)
    assert 0 < divided.rounding == whole.rounding
    # To the bits, weights have the values of the policy that they describe.
    pairs = zip(divided.layouts, by_sequence, strict=True)
    ordered = tuple(7 * layout.to_positions(own).astype("float32") for layout, own in pairs)
    probabilities = tuple(
        layout.probabilities(own) for layout, own in zip(divided.layouts, ordered, strict=True)
    )
    assert divided.values_of_weights(ordered) == divided.player_values(probabilities)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scheme", VARIANTS, ids=lambda scheme: getattr(scheme, "name", scheme))
def test_iterations_are_those_of_whole_arrays(forms, name, scheme):
    whole, divided = (
        RegretMinimizer(forms[name, is_divided], scheme_of(scheme)) for is_divided in (False, True)
    )
    coarsen_tolerances(whole)
    for count in (1, 6, 2):
        for own in (whole, divided):
            own.run(count)
        for kind in ("average_plans", "current_plans", "current_probabilities"):
            for own, other in zip(getattr(whole, kind)(), getattr(divided, kind)(), strict=True):
                np.testing.assert_allclose(other, own, atol=1e-9, err_msg=kind)
    for player in range(2):
        np.testing.assert_allclose(divided.regrets(player), whole.regrets(player), atol=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_tolerances_are_the_largest_of_public_decisions(forms, name):
    form = forms[name, True]
    plans = RegretMinimizer(forms[name, False], SCHEMES["cfr"])._plans
    plans = tuple(
        layout.to_positions(other.to_sequences(plan))
        for layout, other, plan in zip(form.layouts, forms[name, False].layouts, plans, strict=True)
    )
    by_infostate = regret_tolerances(form, form.payoffs(), plans)
    found = RegretMinimizer(form, SCHEMES["cfr"])._tolerances
    for own, other, runs in zip(found, by_infostate, form.runs, strict=True):
        # Those of a public decision are consecutive.
        largest = np.maximum.reduceat(other, np.sort(runs.place))
        np.testing.assert_allclose(own, largest, rtol=1e-12)


@pytest.mark.parametrize("scheme", ["dcfr", "pcfr+", "cfr-simultaneous", VARIANTS[7], VARIANTS[8]])
def test_results_do_not_depend_on_threads_nor_on_runs(forms, scheme):
    form, scheme = forms["flop", True], scheme_of(scheme)
    one, other = (RegretSolver(form, scheme, "float32", threads) for threads in (1, 3))
    one.run(9)
    for count in (1, 5, 3):
        other.run(count)
    for name, array in one.state().items():
        np.testing.assert_array_equal(array, other.state()[name], name)
    assert one.evaluate() == other.evaluate() == evaluate_policy(one.policy())
    # A new solver continues from a saved state.
    resumed = RegretSolver(form, scheme, "float32", 2)
    saved = {name: array.copy() for name, array in other.state().items()}
    resumed.set_state(saved)
    one.run(2)
    resumed.run(2)
    assert one.policy().digest == resumed.policy().digest
    assert one.current_policy().digest == resumed.current_policy().digest


@pytest.mark.parametrize("call", [1, 60, 61, 109])
@pytest.mark.parametrize("scheme", ["dcfr", "cfr-simultaneous", VARIANTS[7], VARIANTS[8]])
def test_an_interrupt_ends_a_run_after_a_whole_iteration(forms, scheme, call, monkeypatch):
    form, scheme = forms["turn", True], scheme_of(scheme)
    whole, interrupted = (RegretSolver(form, scheme, threads=2) for _ in range(2))
    update, calls, begun = divided_iteration.update_parts, [], []

    def interrupt(*arguments):
        calls.append(arguments)
        if len(calls) == call:
            begun.append(interrupted.iteration)
            signal.raise_signal(signal.SIGINT)
        update(*arguments)

    monkeypatch.setattr(divided_iteration, "update_parts", interrupt)
    with pytest.raises(KeyboardInterrupt):
        interrupted.run(50)
    done = interrupted.iteration
    assert begun[0] < done <= begun[0] + 2
    whole.run(0)
    whole.run(done)
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, interrupted.state()[name], name)
    whole.run(2)
    interrupted.run(2)
    assert whole.policy().digest == interrupted.policy().digest


def test_finished_solvers_keep_their_policies(forms):
    solver = RegretSolver(forms["turn", True], SCHEMES["dcfr"], "float32")
    solver.run(5)
    before = solver.policy().digest, solver.current_policy().digest, solver.evaluate()
    solver.finish()
    assert (solver.policy().digest, solver.current_policy().digest, solver.evaluate()) == before
