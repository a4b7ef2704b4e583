"""Iterations by several threads: results equal to those of one thread, and independent parts."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import infoset
from infoset.errors import ParameterError
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.regret.threads import ThreadedIteration, partition_player
from infoset.runs import Budget, Checkpointing, read_checkpoint
from infoset.solvers import get_method
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_regret import generic

pytestmark = pytest.mark.broad

SHIPS = "board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=3"
LEDUC, DICE = "leduc_poker", "liars_dice(dice_sides=4)"
GAMES = (
    LEDUC,
    DICE,
    "goofspiel(num_cards=4,imp_info=True)",
    f"battleship({SHIPS})",
    "matrix_rps",
)
ROWS = [
    *SCHEMES.values(),
    *(replace(SCHEMES[name], averages_next=True) for name in ("cfr", "hs-pcfr+")),
    *(replace(SCHEMES[name], alternating=False) for name in ("dcfr", "apcfr+")),
]


def form_of(spec):
    return cached_tree(spec).sequence_form


def ran(form, scheme, threads, iterations=12, precision="float64"):
    minimizer = RegretMinimizer(form, scheme, precision, threads)
    minimizer.run(iterations)
    return minimizer


def assert_same_bits(found, wanted):
    assert found.iteration == wanted.iteration
    for name, array in wanted.state().items():
        assert array.tobytes() == found.state()[name].tobytes(), name


def parts_by_player(form, number):
    minimizer = RegretMinimizer(form, SCHEMES["cfr+"])
    return [
        (
            layout,
            partition_player(
                layout, tree.public_state[tree.acting][layout.infostate], pairs, number
            ),
        )
        for tree, layout, pairs in zip(
            form.infostate_trees, minimizer._layouts, minimizer._payoffs, strict=True
        )
    ]


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("scheme", ROWS, ids=lambda row: row.name)
def test_every_scheme_has_the_same_bits_with_any_number_of_threads(scheme, precision):
    form = generic(form_of(DICE), 1)
    alone = ran(form, scheme, 1, precision=precision)
    for threads in (2, 3):
        assert_same_bits(ran(form, scheme, threads, precision=precision), alone)


@pytest.mark.parametrize("threads", [2, 40])
@pytest.mark.parametrize("spec", GAMES)
def test_every_game_has_the_same_bits_with_any_number_of_threads(spec, threads):
    form = generic(form_of(spec), 2)
    for name in ("pdcfr+", "cfr-simultaneous"):
        assert_same_bits(ran(form, SCHEMES[name], threads), ran(form, SCHEMES[name], 1))


@settings(max_examples=12)
@given(random_games())
def test_random_games_have_the_same_bits(game):
    form = build_tree(game).sequence_form
    if form.num_players == 2:
        assert_same_bits(ran(form, SCHEMES["cfr+"], 3, 5), ran(form, SCHEMES["cfr+"], 1, 5))


@pytest.mark.parametrize("number", [2, 3, 5])
@pytest.mark.parametrize("spec", GAMES)
def test_parts_consist_of_whole_subtrees_below_the_top(spec, number):
    form = form_of(spec)
    for layout, parts in parts_by_player(form, number):
        top = int(parts.top[:, 1].sum())
        part_of = np.full(len(layout.parent), -1)
        for part, runs in enumerate(parts.below):
            for base, count, actions, first, size in runs.tolist():
                group = layout.groups[np.searchsorted(layout.groups[:, 3], first, "right") - 1]
                assert [count, actions] == group[1:3].tolist()
                assert base - group[0] == first - group[3]
                assert first + size <= group[3] + count
                assert (part_of[first : first + size] == -1).all()
                part_of[first : first + size] = part
        assert (part_of[top:] >= 0).all()
        assert (part_of[:top] == -1).all()
        for parent in np.unique(layout.parent):
            assert len(np.unique(part_of[layout.parent == parent])) == 1


@pytest.mark.parametrize(("number", "most"), [(2, 1.25), (3, 1.75)])
@pytest.mark.parametrize("spec", ["liars_dice(dice_sides=4)", "leduc_poker"])
def test_the_longest_part_and_the_top_are_close_to_an_equal_share(spec, most, number):
    for layout, parts in parts_by_player(form_of(spec), number):
        whole = len(layout.position) - 1
        longest = max(int((runs[:, 2] * runs[:, 4]).sum()) for runs in parts.below)
        top = int((parts.top[:, 1] * parts.top[:, 2]).sum())
        assert len(parts.below) == number
        assert longest + top < most * whole / number


@pytest.mark.parametrize("spec", ["liars_dice(dice_sides=4)", f"battleship({SHIPS})"])
def test_a_public_state_is_in_one_part(spec):
    form = form_of(spec)
    for tree, (layout, parts) in zip(form.infostate_trees, parts_by_player(form, 3), strict=True):
        public = tree.public_state[tree.acting][layout.infostate]
        seen = [
            {int(state) for row in runs.tolist() for state in public[row[3] : row[3] + row[4]]}
            for runs in parts.below
        ]
        assert sum(map(len, seen)) == len(set.union(*seen))


@pytest.mark.parametrize("spec", GAMES)
def test_payoffs_are_split_into_ranges_of_similar_size(spec):
    for layout, parts in parts_by_player(form_of(spec), 2):
        starts = np.concatenate([payoffs.start[:-1] for payoffs in parts.payoffs])
        assert np.array_equal(starts, layout.blocks[:-1])
        entries = [int(payoffs.first[-1]) - int(payoffs.first[0]) for payoffs in parts.payoffs]
        assert sum(entries) == len(parts.payoffs[0].row)
        if sum(entries) > 100:
            assert max(entries) < 0.65 * sum(entries)


def test_a_game_without_independent_parts_shares_the_payoffs_alone():
    for layout, parts in parts_by_player(form_of("matrix_rps"), 2):
        assert parts.below == ()
        assert np.array_equal(parts.top, layout.groups)
        assert len(parts.payoffs) == 2


def test_parts_that_no_other_thread_starts_are_done_by_the_caller():
    minimizer = RegretMinimizer(form_of(DICE), SCHEMES["cfr+"], threads=2)
    busy = threading.Event()
    minimizer._threaded._others.submit(busy.wait)
    try:
        minimizer.run(20)
    finally:
        busy.set()
    assert_same_bits(minimizer, ran(form_of(DICE), SCHEMES["cfr+"], 1, 20))


def test_several_threads_do_the_work(monkeypatch):
    """If the other thread has time to start, it does one of every two parts."""
    minimizer = RegretMinimizer(form_of(DICE), SCHEMES["cfr+"], threads=2)
    threads = set()
    share = ThreadedIteration._distribute

    def slowly(self, work, parts):
        begun = threading.Barrier(len(parts), timeout=60)

        def noted(part):
            begun.wait()
            threads.add(threading.get_ident())
            work(part)

        share(self, noted, parts)

    monkeypatch.setattr(ThreadedIteration, "_distribute", slowly)
    minimizer.run(3)
    assert len(threads) == 2
    assert_same_bits(minimizer, ran(form_of(DICE), SCHEMES["cfr+"], 1, 3))


def test_errors_of_other_threads_are_raised():
    minimizer = RegretMinimizer(form_of(DICE), SCHEMES["cfr+"], threads=2)

    def fails(part):
        if part:
            raise ArithmeticError
        started.wait(60)

    started = threading.Event()
    minimizer._threaded._others.submit(started.set)
    with pytest.raises(ArithmeticError):
        minimizer._threaded._distribute(fails, (0, 1))


def test_an_interrupt_between_the_players_is_held_until_the_iteration_ends(monkeypatch):
    moves = []

    def interrupted(self, side, row, before):
        moves.append(side)
        if len(moves) == 6:
            signal.raise_signal(signal.SIGINT)
        move(self, side, row, before)

    move = ThreadedIteration._update
    monkeypatch.setattr(ThreadedIteration, "_update", interrupted)
    minimizer = RegretMinimizer(form_of(DICE), SCHEMES["cfr+"], threads=2)
    with pytest.raises(KeyboardInterrupt):
        minimizer.run(100)
    assert minimizer.iteration == 3
    assert_same_bits(minimizer, ran(form_of(DICE), SCHEMES["cfr+"], 1, 3))
    minimizer.run(5)
    assert_same_bits(minimizer, ran(form_of(DICE), SCHEMES["cfr+"], 1, 8))


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (3, 2)])
def test_a_saved_run_resumes_with_any_number_of_threads(tmp_path, before, after):
    kept = Checkpointing(tmp_path / "run.ckpt")
    whole = get_method("sapcfr+").run(form_of(LEDUC), Budget(iterations=60))
    get_method("sapcfr+", threads=before).run(
        form_of(LEDUC), Budget(iterations=33, checkpoint=kept)
    )
    assert read_checkpoint(kept.path).iteration == 33
    again = get_method("sapcfr+", threads=after).run(
        form_of(LEDUC), Budget(iterations=60, checkpoint=kept)
    )
    assert [p.tobytes() for p in again.policy.probabilities] == [
        p.tobytes() for p in whole.policy.probabilities
    ]
    assert [point.nash_conv for point in again.trace] == [point.nash_conv for point in whole.trace]


def test_solving_with_threads_gives_the_same_answer_and_name():
    alone, together = (
        infoset.solve("leduc_poker", "cfr+", iterations=50, threads=threads) for threads in (1, 2)
    )
    assert (together.method, together.nash_conv) == (alone.method, alone.nash_conv)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_invalid_numbers_of_threads_are_refused(threads):
    with pytest.raises(ParameterError, match=r"threads=.* must be a whole number, at least 1"):
        RegretMinimizer(form_of(LEDUC), SCHEMES["cfr+"], threads=threads)
    with pytest.raises(ParameterError, match=r"threads=.* must be a whole number, at least 1"):
        infoset.solve("leduc_poker", "cfr+", threads=threads)


def test_games_of_more_players_are_refused():
    form = cached_tree("kuhn_poker(players=3)").sequence_form
    with pytest.raises(ParameterError, match="threads=2 needs a game with two players"):
        RegretMinimizer(form, SCHEMES["cfr+"], threads=2)


@pytest.mark.parametrize("method", ["lp", "xfp", "rtcfr+"])
def test_other_methods_are_refused(method):
    with pytest.raises(
        ParameterError, match=r"threads=2 is supported by auto and the CFR .*leave threads out"
    ):
        infoset.solve("kuhn_poker", method, threads=2)
