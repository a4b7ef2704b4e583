"""Saved world forms: the same form comes back, and only for the same rules and graph."""

from __future__ import annotations

import errno
import subprocess
import sys
import warnings
from dataclasses import fields, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.errors import GameTooLargeError, GraphCacheWarning
from infoset.forms import CompiledSets, WorldForm, WorldPrograms
from infoset.games import load_game
from infoset.policy import random_policy
from infoset.tree import (
    build_world_form,
    build_world_graph,
    contract_worlds,
    graph_cache,
    saved_world_forms,
    world_contraction,
)
from infoset.utils.array_files import read_arrays, write_arrays
from tests.forms.test_world_form import resting

HEX = "dark_hex(num_rows=2,num_cols=3,gameversion=adh)"
BY_SUMS = "dark_hex(num_rows=2,num_cols=2)"
BY_HISTORIES = "goofspiel(num_cards=3,imp_info=True)"
THREE_PLAYERS = "goofspiel(num_cards=3,players=3)"
"""Chance draws the prizes, and all players bid at the same time."""
ORIGIN = {"rules": "those", "graph": "that"}


@pytest.fixture(autouse=True)
def no_silent_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraphCacheWarning)
        yield


@pytest.fixture
def built(monkeypatch):
    """List the graphs whose world form is built, which means that it is not loaded."""
    graphs = []
    merge = world_contraction._merge

    def listing(graph, *arguments):
        graphs.append(graph)
        return merge(graph, *arguments)

    monkeypatch.setattr(world_contraction, "_merge", listing)
    return graphs


@cache
def graph_of(name):
    return build_world_graph(load_game(name))


def only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.form")
    return path


def assert_equal(one: object, other: object) -> None:
    """Compare the bits, types, layouts and flags of all arrays."""
    if isinstance(one, np.ndarray):
        assert isinstance(other, np.ndarray)
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
        assert one.flags.c_contiguous == other.flags.c_contiguous
        assert one.flags.writeable == other.flags.writeable
    elif isinstance(one, tuple):
        for mine, theirs in zip(one, other, strict=True):  # type: ignore[call-overload]
            assert_equal(mine, theirs)
    elif hasattr(one, "__dataclass_fields__") and hasattr(other, "__dataclass_fields__"):
        for field in fields(one):  # type: ignore[arg-type]
            if field.name != "source":
                assert_equal(getattr(one, field.name), getattr(other, field.name))
    else:
        assert one == other


@pytest.mark.parametrize(
    ("name", "visits"), [(BY_SUMS, False), (BY_HISTORIES, True), (THREE_PLAYERS, True)]
)
def test_a_loaded_form_is_the_one_that_was_built(name, visits, tmp_path, built):
    form = build_world_form(load_game(name))
    with graph_cache(tmp_path / "cache"):
        build_world_form(load_game(name))
        loaded = build_world_form(load_game(name))
        assert len(built) == 2
        contract_worlds(graph_of(name))
    assert len(built) == 2
    assert isinstance(loaded, WorldForm)
    assert loaded.visits_histories == visits
    assert_equal(form, loaded)
    assert form.fingerprint == loaded.fingerprint
    policies = [random_policy(one, np.random.default_rng(1)) for one in (form, loaded)]
    assert_equal(*(infoset.evaluate(policy).values for policy in policies))
    assert infoset.evaluate(policies[0]).nash_conv == infoset.evaluate(policies[1]).nash_conv
    plans = policies[0].realization_plans()
    for player in range(form.num_players):
        assert_equal(form.gradient(plans, player), loaded.gradient(plans, player))


@pytest.mark.broad
@pytest.mark.parametrize("name", [HEX, THREE_PLAYERS])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_methods_find_the_same_policy_on_a_loaded_form(name, precision, tmp_path, built):
    with graph_cache(tmp_path):
        found = [
            infoset.solve(name, "cfr", iterations=4, form="world", precision=precision)
            for _ in range(2)
        ]
    assert len(built) == 1
    for one, other in zip(*(result.policy.probabilities for result in found), strict=True):
        assert one.tobytes() == other.tobytes()


def test_nothing_is_saved_outside_the_block(tmp_path):
    graph = graph_of("kuhn_poker")
    with graph_cache(tmp_path):
        pass
    contract_worlds(graph)
    assert not [*tmp_path.iterdir()]


def test_changed_rules_and_other_graphs_have_other_forms(tmp_path, built, monkeypatch):
    graph = graph_of("kuhn_poker")
    doubled = replace(graph, rewards=2 * graph.rewards)
    with graph_cache(tmp_path):
        before = contract_worlds(graph)
        with pytest.warns(GraphCacheWarning, match="the rules, the world graph or the version of"):
            twice = contract_worlds(doubled)
        assert np.array_equal(2 * before.worlds.reward, twice.worlds.reward)
        assert_equal(contract_worlds(doubled), twice)
        monkeypatch.setattr("infoset.tree.saved_graphs.rules_digest", lambda game: "others")
        with pytest.warns(GraphCacheWarning, match="will be replaced: the rules, the world graph"):
            contract_worlds(doubled)
        contract_worlds(doubled)
    assert len(built) == 3


def test_another_format_is_replaced(tmp_path, built):
    with graph_cache(tmp_path):
        contract_worlds(graph_of("kuhn_poker"))
        header, arrays = read_arrays(only_file(tmp_path))
        write_arrays(only_file(tmp_path), {**header, "format": 2}, arrays)
        with pytest.warns(GraphCacheWarning, match="the version of infoset has changed"):
            contract_worlds(graph_of("kuhn_poker"))
    assert len(built) == 2


def test_limits_apply_to_loaded_forms_too(tmp_path, monkeypatch):
    with graph_cache(tmp_path):
        form = contract_worlds(graph_of(BY_SUMS))
        with pytest.raises(GameTooLargeError, match="its world form needs about"):
            contract_worlds(graph_of(BY_SUMS), memory=20_000)
        assert not form.visits_histories
        # Programs depend on the limit, and are not saved.
        monkeypatch.setattr(world_contraction, "TRANSFER_BYTES", 10)
        assert contract_worlds(graph_of(BY_SUMS)).visits_histories


@pytest.mark.parametrize("cut", [0, 100, -1])
def test_a_truncated_file_is_replaced(cut, tmp_path, built):
    with graph_cache(tmp_path):
        form = contract_worlds(graph_of("kuhn_poker"))
        path = only_file(tmp_path)
        path.write_bytes(path.read_bytes()[:cut])
        with pytest.warns(GraphCacheWarning, match=r"\.form is not used and will be replaced"):
            assert_equal(form, contract_worlds(graph_of("kuhn_poker")))
        assert_equal(form, contract_worlds(graph_of("kuhn_poker")))
    assert len(built) == 2


def parts_of(graph):
    """Return what is saved of the world form of a graph."""
    form = contract_worlds(graph)
    names = saved_world_forms.WorldFormParts._fields
    return saved_world_forms.WorldFormParts(*(getattr(form, name) for name in names))


@pytest.fixture
def content(tmp_path):
    """Return a function that saves the world form of a game; it returns graph, header, arrays."""

    def written(name):
        graph = graph_of(name)
        saved_world_forms.write_parts(parts_of(graph), tmp_path / "one.form", ORIGIN)
        return graph, *read_arrays(tmp_path / "one.form")

    return written


def refusal(graph, header, arrays, folder: Path) -> str:
    """Return why a file with some content is refused."""
    write_arrays(folder / "other.form", header, arrays)
    with pytest.raises(ValueError, match="its") as refused:
        saved_world_forms.read_parts(graph, folder / "other.form", ORIGIN)
    return str(refused.value)


ARRAYS = [
    *("first", "target", "probability", "action", "reward", "code", "structure", "utility_limits"),
    *(f"{name}_{player}" for name in ("items", "first", "steps") for player in range(2)),
]


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_other_types_and_sizes_are_refused(name, content, tmp_path):
    graph, header, arrays = content("kuhn_poker")
    array = arrays[name]
    other = np.float32 if array.dtype == np.float64 else np.uint64
    for change in (array.astype(other), array[:1], array[:0], array[None], array.ravel()[0]):
        assert "cannot be" in refusal(graph, header, {**arrays, name: change}, tmp_path) or (
            change.ndim == 0
        )
    if array.ndim == 2:
        changed = {**arrays, name: np.asfortranarray(array)}
        assert name in refusal(graph, header, changed, tmp_path)
    missing = {other: arrays[other] for other in arrays if other != name}
    assert "incomplete" in refusal(graph, header, missing, tmp_path)


def put(place, number):
    """Return a function that returns an array with another number in a place."""

    def changed(array):
        array = array.copy()
        array[place] = number
        return array

    return changed


def swapped(array):
    """Return an array that is not sorted, and whose differences overflow."""
    return np.array([0, 2**62, -(2**62) - 2, *array[3:]])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("first", put(0, 1)),
        ("first", put(-1, 10**6)),
        ("first", swapped),
        ("target", put(0, 0)),
        ("target", put(0, 10**6)),
        ("target", put(0, -2)),
        ("probability", put(0, 0.0)),
        ("probability", put(0, 1.1)),
        ("probability", put(0, np.nan)),
        ("action", put((3, 0), -2)),
        ("action", put((3, 0), 2)),
        ("action", put((0, 0), 0)),
        ("action", put((-1, 0), -2)),
        ("action", put((-1, 1), 2)),
        ("reward", put((3, 0), np.inf)),
        ("structure", put((1, 0), -1)),
        ("structure", put((1, 0), 100)),
        ("structure", put((0, 0), 0)),
        ("structure", put((2, 0), 1)),
        ("utility_limits", put((0, 0), 3.0)),
        ("utility_limits", put((0, 1), np.inf)),
        ("first_0", put(0, 1)),
        ("first_0", put(1, 2)),
        ("first_0", swapped),
        ("items_0", put(0, -2)),
        ("items_0", put(0, 1)),
        ("items_0", put(-1, 10**6)),
        ("items_0", put(-1, -1)),
        ("items_0", put(-2, 10**6)),
        ("items_0", put(-2, -1)),
        ("steps_0", put((slice(None), 0), 2)),
        ("steps_0", put((slice(None), 0), -2)),
        ("steps_0", lambda steps: np.where((steps == 1) & [True, False, False], 2, steps)),
        ("steps_0", lambda steps: np.concatenate([steps, steps])),
        ("steps_0", lambda steps: steps[::-1].copy()),
        ("steps_0", put((0, 1), 10**6)),
        ("steps_0", put((0, 2), -1)),
    ],
)
def test_numbers_that_are_not_those_of_a_form_are_refused(name, change, content, tmp_path):
    graph, header, arrays = content("kuhn_poker")
    changed = {**arrays, name: change(arrays[name])}
    assert "cannot be those of this game" in refusal(graph, header, changed, tmp_path)


def test_shapes_that_are_not_found_before_are_refused(content):
    graph, header, arrays = content("kuhn_poker")
    items, first = arrays["items_0"], arrays["first_0"]
    for shape, (begin, end) in enumerate(pairwise(first.tolist())):
        for place in range(begin + 1, end):
            is_step = (place - begin) % 2
            for number in (-1, len(arrays["steps_0"]) if is_step else shape):
                changed = {**arrays, "items_0": put(place, number)(items)}
                with pytest.raises(ValueError, match="its shapes of player 0 cannot be"):
                    saved_world_forms._parts(graph, header, changed)


def test_children_after_equal_steps_are_refused(content, tmp_path):
    graph, header, arrays = content("kuhn_poker")
    items, begins = arrays["items_0"], arrays["first_0"]
    assert items[begins[-2] + 3] == items[begins[-2] + 1] + 1  # the first two children of the root
    changed = {**arrays, "items_0": put(begins[-2] + 3, items[begins[-2] + 1])(items)}
    assert "shapes of player 0" in refusal(graph, header, changed, tmp_path)


def test_a_part_of_the_classes_and_an_endless_play_are_refused(content, tmp_path):
    graph, header, arrays = content("kuhn_poker")
    first, target = arrays["first"], arrays["target"]
    # Without the deal, everything else fits together.
    rest = {name: arrays[name][first[1] :] for name in ("probability", "action", "reward", "code")}
    rest |= {"first": first[1:] - first[1], "structure": arrays["structure"][1:]}
    rest["target"] = np.where(target < 0, target, target - 1)[first[1] :]
    assert "its structure" in refusal(graph, header, {**arrays, **rest}, tmp_path)
    waiting = {name: put(-1, -1)(arrays[name]) for name in ("action", "code")}
    waiting["target"] = put(-1, arrays["structure"].shape[0] - 1)(target)
    assert "its target" in refusal(graph, header, {**arrays, **waiting}, tmp_path)


def test_forms_of_nothing_are_refused(content, tmp_path):
    graph, header, arrays = content("kuhn_poker")
    by_edge = ("target", "probability", "action", "reward", "code", "structure")
    for begins, others in (("first_0", ["items_0"]), ("first", by_edge)):
        empty = {begins: np.zeros(1, np.int64)} | {name: arrays[name][:0] for name in others}
        refusal(graph, header, {**arrays, **empty}, tmp_path)


def test_steps_that_lead_elsewhere_are_refused(content):
    """Structures have up to three children."""
    graph, header, arrays = content("kuhn_poker")
    code = arrays["code"]
    for place in np.ndindex(code.shape):
        for number in {-4, -3, -2, -1, 3, 2**40, -(2**63)} - {int(code[place])}:
            changed = {**arrays, "code": put(place, number)(code)}
            with pytest.raises(ValueError, match="its code cannot be"):
                saved_world_forms._parts(graph, header, changed)


@pytest.mark.parametrize("fact", ["constant_sum", "payoff_rounding"])
def test_facts_are_numbers(fact, content, tmp_path):
    graph, header, arrays = content("kuhn_poker")
    for wrong in ("1", 1, [0.0], float("nan"), float("inf")):
        assert fact in refusal(graph, {**header, fact: wrong}, arrays, tmp_path)
    header.pop(fact)
    assert "incomplete" in refusal(graph, header, arrays, tmp_path)


def test_numbers_of_sequences_that_overflow_are_refused(content, tmp_path):
    """Each of 64 shapes has the one before it as a child twice, after different steps."""
    graph, header, arrays = content("kuhn_poker")
    acting = max(range(len(graph.action_sets)), key=lambda number: len(graph.action_sets[number]))
    (first, second) = np.flatnonzero(arrays["steps_0"][:, 0] == -1)[:2]
    shapes = [[acting]] + [[-1, first, child, second, child] for child in range(64)]
    items = np.concatenate(shapes).astype(np.int64)
    begins = np.concatenate([[0], np.cumsum([len(shape) for shape in shapes])]).astype(np.int64)
    changed = {**arrays, "items_0": items, "first_0": begins}
    assert "shapes of player 0" in refusal(graph, header, changed, tmp_path)


@pytest.mark.parametrize("name", [BY_SUMS, BY_HISTORIES])
def test_kernels_stay_within_arrays_that_are_accepted(name, content):
    """Numbers are changed at random; where a file is accepted, both kinds of gradients agree."""
    graph, header, arrays = content(name)
    generator = np.random.default_rng(0)
    accepted = 0
    for _ in range(300):
        changed = generator.choice([key for key in arrays if key != "utility_limits"])
        array = arrays[changed].copy()
        numbers = array.reshape(-1)
        numbers[generator.integers(array.size)] = generator.choice(numbers)
        try:
            parts = saved_world_forms._parts(graph, header, {**arrays, changed: array})
        except ValueError:
            continue
        accepted += not np.array_equal(array, arrays[changed])
        worlds, shapes = parts.worlds, parts.shapes
        plans = [generator.random(own.num_sequences) for own in shapes]
        for sweep in WorldForm.sweeps(worlds, shapes):
            player = sweep.player
            sets = CompiledSets.of(name, worlds, shapes, player, 10**8)
            sums = WorldPrograms.of(player, sets, worlds.reward[:, player] * worlds.probability)
            first, second = (
                own.gradient(plans.__getitem__, len(plans[player]), 0.0) for own in (sweep, sums)
            )
            assert first == pytest.approx(second, abs=1e-9)
    assert accepted > 20


def test_a_player_may_have_no_decisions_after_a_step_that_is_left_out(tmp_path):
    """The structure after an edge is then empty, although that of the child is not."""
    graph = build_world_graph(resting())
    parts = parts_of(graph)
    saved_world_forms.write_parts(parts, tmp_path / "one.form", ORIGIN)
    assert_equal(parts, saved_world_forms.read_parts(graph, tmp_path / "one.form", ORIGIN))


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES])
def test_what_cannot_be_written_is_built(error, tmp_path, monkeypatch):
    graph = graph_of("kuhn_poker")

    def fails(*arguments, **options):
        raise OSError(error, "it cannot be written")

    monkeypatch.setattr("infoset.utils.array_files.np.savez", fails)
    with graph_cache(tmp_path), pytest.warns(GraphCacheWarning, match=r"in .*\.form: it cannot be"):
        form = contract_worlds(graph)
    assert_equal(form, contract_worlds(graph))
    assert not [*tmp_path.iterdir()]


def test_rules_that_cannot_be_identified_lead_to_one_warning(tmp_path):
    class Local(type(load_game("kuhn_poker"))):  # type: ignore[misc]
        pass

    with graph_cache(tmp_path), pytest.warns(GraphCacheWarning) as found:
        build_world_form(Local())
    assert len(found) == 1
    assert not [*tmp_path.iterdir()]


@pytest.mark.broad
def test_two_processes_may_save_at_the_same_time(tmp_path):
    code = (
        "import infoset\nfrom infoset.tree import build_world_form, graph_cache\n"
        f"game = infoset.load({HEX!r})\n"
        "for i in range(20):\n"
        f"    with graph_cache({str(tmp_path)!r}) as folder:\n"
        "        found = build_world_form(game).fingerprint\n"
        "        if i % 5 == 0:\n"
        "            [path.unlink(missing_ok=True) for path in folder.glob('*.form')]\n"
        "print(found)"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    expected = build_world_form(load_game(HEX)).fingerprint
    for process in started:
        output, _ = process.communicate()
        assert (process.returncode, output.strip()) == (0, expected)
    assert {path.suffix for path in tmp_path.iterdir()} == {".form", ".graph"}
