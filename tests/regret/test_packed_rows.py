"""Regrets and averages in 16 bits: how rows are packed, and iterations on packed rows."""

import signal
from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.errors import NumericalError, ParameterError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.forms import PackedRows, lock, public_structure
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, RegretMinimizer, divided_iteration, minimizer
from infoset.regret._part_kernels import MAX_REGRET, MAX_WEIGHT, SMALLEST, pack_row, random_shift
from infoset.solvers.regret_family import RegretSolver
from tests.support.random_public_games import RandomPublicGame

pytestmark = pytest.mark.broad

GAMES = {
    "leduc": "leduc_poker",
    "river": "nolimit_endgame(board=Ks9d8h4s2c,ranges=['TT+,AK';'QQ,JTs,54s'])",
    "turn": "nolimit_endgame(board=Ks9d8h4s,bets=[1],max_raises=1,ranges=['AK,QQ';'QQ,JTs,99'])",
    "flop": (
        "nolimit_endgame(board=QsJh2h,bets=[1],max_raises=1,stack=60,ranges=['A5s,KTs';'QQ,99'])"
    ),
    "random": RandomPublicGame(27),
}
UNDIVIDED = ("leduc", "river")


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """As in large games: policies follow from regrets, and forms with later cards are divided."""
    monkeypatch.setattr(minimizer, "MANY_SEQUENCES", 0)


@pytest.fixture(scope="module")
def forms():
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        for name, game in GAMES.items():
            patch.setattr(public_structure, "DIVIDED_FROM", 10**9 if name in UNDIVIDED else 0)
            found[name] = infoset.build_public_form(game)
            assert (found[name].division is None) is (name in UNDIVIDED)
    return found


class Packing:
    """Pack rows of one length."""

    def __init__(self, size, kind):
        self.kind, self.limit = kind, {"int16": MAX_REGRET, "uint16": MAX_WEIGHT}[kind]
        form = infoset.build_public_form(f"leduc_poker(num_ranks={size // 2})")
        assert form.num_hands == (size, size)
        self.work = form.all_parts.workspace(form.all_parts.payoffs("float32")).rows

    def __call__(self, values, share):
        found = np.zeros(len(values), self.kind)
        scale = pack_row(np.float32(values), found, self.limit, share, self.work)
        return found, scale


@pytest.mark.parametrize("kind", ["int16", "uint16"])
def test_a_value_becomes_one_of_two_neighbors_and_is_expected(kind):
    pack, draw = Packing(40, kind), np.random.default_rng(0)
    values = np.float32(draw.standard_normal(40) * 10.0 ** draw.integers(-6, 3, 40))
    if kind == "uint16":
        values = abs(values)
    shifts = (np.arange(1000) + draw.random(1000)) / 1000
    numbers, scales = zip(*(pack(values, shift) for shift in shifts), strict=True)
    assert len(set(scales)) == 1
    assert scales[0] == pytest.approx(abs(values).max() / pack.limit**2, rel=1e-6)
    size = np.sqrt(abs(values) / np.float64(scales[0]))
    apart = abs(np.array(numbers, float)) - size
    assert (abs(apart) < 1 + 1e-2).all()
    assert (np.sign(numbers) * np.sign(values) >= 0).all()
    means = np.mean([np.float64(own) * abs(np.float64(own)) for own in numbers], axis=0) * scales[0]
    # The mean of 1,000 stratified draws; the gap of neighbors is (2 √x + 1) scales.
    gap = (2 * size + 1) * scales[0]
    np.testing.assert_array_less(abs(means - values), 4e-3 * gap + 1e-6 * abs(values))


def test_the_largest_values_of_a_row_stay_and_zeros_stay():
    pack = Packing(40, "int16")
    values = np.zeros(40)
    values[3], values[5] = 7.0, -7.0
    for share in (0.0, 0.5, 1 - 2**-53):
        numbers, scale = pack(values, share)
        assert numbers[[3, 5]].tolist() == [MAX_REGRET, -MAX_REGRET]
        assert np.flatnonzero(numbers).tolist() == [3, 5]
        assert float(scale) * MAX_REGRET**2 == pytest.approx(7.0, rel=1e-6)
    numbers, scale = pack(np.full(40, SMALLEST / 2), 0.3)
    assert not numbers.any()
    assert scale == 0
    for large in (1e-27, 3e38):
        numbers, scale = pack(np.full(40, large), 0.3)
        assert (numbers == MAX_REGRET).all()
        assert 0 < scale < np.inf


def test_roundings_differ_between_hands_rows_arrays_and_iterations():
    numbers, _ = Packing(40, "int16")([1.0, *([0.4 / MAX_REGRET**2] * 39)], 0.1)
    assert 12 <= np.count_nonzero(numbers[1:]) <= 19  # 0.4 · 39 = 15.6
    keys = [(p, a, t, r) for p in (0, 1) for a in (0, 1, 2) for t in (1, 2, 70_000) for r in (0, 9)]
    shifts = [random_shift(*key) for key in keys]
    assert len(set(shifts)) == len(keys)
    assert 0 <= min(shifts) < max(shifts) < 1


@pytest.mark.parametrize("name", GAMES)
def test_packed_weights_have_the_values_of_their_probabilities(forms, name):
    form, draw = forms[name], np.random.default_rng(0)
    weights = []
    for player in range(2):
        own = form.all_parts.packed(player, "uint16")
        own.packed[1:] = draw.integers(0, 400, len(own) - 1) * draw.integers(0, 2, len(own) - 1)
        own.scale[:] = draw.random(len(own.scale))
        weights.append(own)
    by_position = [np.asarray(own) for own in weights]
    for own, listed in zip(weights, by_position, strict=True):
        np.testing.assert_array_equal(own[np.arange(len(own))], listed)
        assert own[0] == listed[0] == own.scale[0]
        assert own.copy()[np.arange(3)].tolist() == listed[:3].tolist()
    pairs = zip(form.layouts, by_position, strict=True)
    probabilities = tuple(layout.probabilities(own) for layout, own in pairs)
    found = form.values_of_weights(tuple(weights))
    assert found == form.values_of_weights(tuple(by_position)) or name in UNDIVIDED
    expected = form.player_values(probabilities)
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=0, atol=2 * form.rounding)


@pytest.mark.parametrize("scheme", ["cfr+", "dcfr", "pcfr+", "sapcfr+", "cfr-simultaneous"])
@pytest.mark.parametrize("name", GAMES)
def test_iterations_are_those_of_single_precision_up_to_rounding(forms, name, scheme):
    single, short = (RegretMinimizer(forms[name], SCHEMES[scheme], p) for p in ("float32", "int16"))
    for solver in (single, short):
        solver.run(2)
    for kind, limit in (("regrets", MAX_REGRET), ("averages", MAX_WEIGHT)):
        assert_rows_are_full(short, kind, limit)
    for one, other in zip(single.average_plans(), short.average_plans(), strict=True):
        np.testing.assert_allclose(other, one, atol=2e-3)
    # Ties are decided by roundings: more of them in a small game, and by predictions.
    for one, other in zip(single.current_plans(), short.current_plans(), strict=True):
        assert np.mean(abs(one - other) > 2e-3) < 0.15
    for player in range(2):
        one, other = single.regrets(player), short.regrets(player)
        np.testing.assert_allclose(other, one, atol=1e-3 * abs(one).max())


def assert_rows_are_full(solver, kind, limit):
    """The largest number of a row, in absolute value, uses all bits."""
    state = solver.state()
    for player, begins in enumerate(solver.form.all_parts.row_begins):
        names = (f"{kind}.{player}", f"scales of {kind}.{player}")
        packed, scale = (state[name] for name in names)
        largest = np.maximum.reduceat(abs(packed.astype(int)), begins)
        assert np.isin(largest[1:], (0, limit)).all()
        assert ((largest[1:] > 0) == (scale[1:] > 0)).all()


@pytest.mark.parametrize(
    ("scheme", "kinds"), [("cfr", ("regrets", "averages")), ("pcfr+", ("regrets", "policies"))]
)
def test_roundings_differ_between_iterations(forms, scheme, kinds):
    """With the same roundings again, errors would add up instead of canceling.

    From the same state, these numbers differ between iterations by their roundings only.
    """
    solvers = [RegretMinimizer(forms["river"], SCHEMES[scheme], "int16") for _ in range(3)]
    solvers[0].run(5)
    for solver, iteration in zip(solvers[1:], (5, 6), strict=True):
        state = {name: array.copy() for name, array in solvers[0].state().items()}
        solver.set_state(state | {"done": np.array([iteration])})
    for solver in solvers:
        solver.run(1)
    first, same, later = (solver.state() for solver in solvers)
    for name in (f"{kind}.{player}" for kind in kinds for player in range(2)):
        np.testing.assert_array_equal(first[name], same[name])
        differences = abs(first[name].astype(int) - later[name])
        assert 0.02 < differences.mean() < 1, name


@pytest.mark.parametrize("scheme", ["dcfr", "pcfr+"])
def test_iterations_do_not_change_earlier_policies(forms, scheme):
    solver = RegretSolver(forms["turn"], SCHEMES[scheme], "int16")
    solver.run(3)
    policies = solver.policy(), solver.current_policy()
    before = [policy.digest for policy in policies]
    solver.run(3)
    assert [TabularPolicy(own.form, own.probabilities).digest for own in policies] == before


def test_regrets_that_overflow_are_errors(forms):
    """Packed infinities would look like valid numbers."""
    scheme = replace(SCHEMES["cfr+"], name="steep", regret_exponent=26.0)
    solver = RegretMinimizer(forms["river"], scheme, "int16")
    solver.run(10)
    with pytest.raises(NumericalError, match=r"up to 26 are too large for int16: use precision="):
        solver.run(16)


@pytest.mark.parametrize("scheme", ["cfr+", "dcfr", "pcfr+"])
@pytest.mark.parametrize("name", ["river", "turn"])
def test_packed_averages_converge_as_in_single_precision(forms, name, scheme):
    single, short = (RegretSolver(forms[name], SCHEMES[scheme], p) for p in ("float32", "int16"))
    for solver in (single, short):
        solver.run(200)
    assert short.evaluate().exploitability < 1.25 * single.evaluate().exploitability
    assert short.evaluate() == evaluate_policy(short.policy())


@pytest.mark.parametrize("scheme", ["dcfr", "pcfr+", "cfr-simultaneous"])
def test_results_do_not_depend_on_threads_nor_on_runs_nor_on_saving(forms, scheme):
    one, other, resumed = (
        RegretSolver(forms["flop"], SCHEMES[scheme], "int16", threads) for threads in (1, 3, 2)
    )
    one.run(9)
    for count in (1, 5, 3):
        other.run(count)
    saved = {name: array.copy() for name, array in other.state().items()}
    for name, array in one.state().items():
        np.testing.assert_array_equal(array, saved[name], name)
    resumed.set_state(saved)
    for solver in (one, resumed):
        solver.run(2)
    digests = [(own.policy().digest, own.current_policy().digest) for own in (one, resumed)]
    assert digests[0] == digests[1]
    assert sum(array.nbytes for name, array in saved.items() if name.startswith("regrets")) == sum(
        2 * plex.num_sequences for plex in one.form.treeplexes
    )


def test_an_interrupt_leaves_a_state_to_continue(forms, monkeypatch):
    whole, interrupted = (RegretSolver(forms["turn"], SCHEMES["dcfr"], "int16") for _ in range(2))
    update, calls = divided_iteration.update_parts, []

    def interrupt(*arguments):
        calls.append(arguments)
        if len(calls) == 9:
            signal.raise_signal(signal.SIGINT)
        update(*arguments)

    monkeypatch.setattr(divided_iteration, "update_parts", interrupt)
    with pytest.raises(KeyboardInterrupt):
        interrupted.run(50)
    whole.run(interrupted.iteration + 2)
    interrupted.run(2)
    assert whole.policy().digest == interrupted.policy().digest


@pytest.mark.parametrize("scheme", ["dcfr", "pcfr+"])
@pytest.mark.parametrize("name", ["river", "turn"])
def test_finished_solvers_keep_packed_policies(forms, name, scheme):
    solver = RegretSolver(forms[name], SCHEMES[scheme], "int16")
    solver.run(5)
    before = solver.policy().digest, solver.current_policy().digest, solver.evaluate()
    solver.finish()
    assert (solver.policy().digest, solver.current_policy().digest, solver.evaluate()) == before
    assert [own[0] for own in solver.current_weights()] == [1, 1]
    policy = solver.policy()
    assert all(isinstance(own, PackedRows) for own in policy._weights)
    plain = TabularPolicy(policy.form, policy.probabilities)
    for node in policy.form.decisions[1].tolist()[:20]:
        np.testing.assert_array_equal(policy.at_node(node), plain.at_node(node))


def test_packed_rows_need_a_public_form(forms):
    tree = infoset.build_sequence_form("kuhn_poker")
    message = r"precision='int16' needs a public form, but kuhn_poker is given as a sequence form: "
    with pytest.raises(ParameterError, match=message):
        RegretMinimizer(tree, SCHEMES["dcfr"], "int16")
    responding = [np.zeros(plex.num_infostates, bool) for plex in forms["leduc"].treeplexes]
    with pytest.raises(ParameterError, match="a public form with responding infostates"):
        RegretMinimizer(forms["leduc"], SCHEMES["cfr"], "int16", responding=tuple(responding))
    locked = lock(forms["leduc"], {"call": {"call": 0.5, "raise": 0.5}})
    message = r"needs an unchanged public form, but .* with locks or another transform"
    with pytest.raises(ParameterError, match=message):
        RegretMinimizer(locked, SCHEMES["dcfr"], "int16")
    message = r"^precision='int16' needs a public form, so use precision='float32': kuhn_poker\(pla"
    with pytest.raises(UnsupportedGameError, match=message):
        infoset.solve("kuhn_poker(players=3)", "cfr", precision="int16")


def test_solve_chooses_the_public_form():
    result = infoset.solve("leduc_poker", "dcfr", precision="int16", iterations=400)
    assert (result.policy.form.kind, result.method) == ("public", "dcfr (int16)")
    assert result.exploitability < 2e-3
    assert infoset.evaluate(result.policy).exploitability == result.exploitability
