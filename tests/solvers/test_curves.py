"""The first iterations of every reference curve, computed again and compared with the files."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log, log1p

import numpy as np
import pytest
from curves import (
    COMMAND,
    GAMES,
    Measurement,
    form_of,
    iterative_methods,
    read_curves,
    spaced,
    trace_of,
    write_curves,
)

from infoset.evaluation import evaluate_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.solvers import FIRST_ORDER, average_policy

pytestmark = pytest.mark.broad

LARGE = {
    "liars_dice_6",
    "goofspiel_5_descending",
    "goofspiel_5_random",
    "battleship_2x2",
    "battleship_3x2",
}
"""The curves of these games are tested with `-m long` only."""

SMALL = [game for game in GAMES if game not in LARGE]


def quick_pairs():
    """Return pairs in which each method meets two of the small games and each game many methods."""
    methods = list(dict.fromkeys(method for game in SMALL for method in read_curves(game)))
    return {
        (SMALL[(place + step) % len(SMALL)], method)
        for place, method in enumerate(methods)
        for step in (0, len(SMALL) // 2)
    }


QUICK = quick_pairs()
PAIRS = [
    pytest.param(game, method, marks=[] if (game, method) in QUICK else [pytest.mark.long])
    for game in GAMES
    for method in read_curves(game)
]
RELATIVE = 0.01
SPREADS = 1.5
WIDEST = 5.0


def tolerance(curve, iteration):
    """Return the factor by which a measurement may differ, up or down.

    The tolerance is one percent plus one and a half times the largest spread so far, because runs
    that have diverged do not converge again. The spread is negligible on poker and liar's dice. On
    goofspiel, where many actions are equally good at first, it is a factor of two or three within
    ten iterations. On battleship, whose boards have symmetries that rounding can break, it is
    larger. Best responses are often not unique, which affects fictitious play and CFR-BR on all
    games.
    """
    seen = max(found.spread for step, found in curve.items() if step <= iteration)
    return exp(log1p(RELATIVE) + SPREADS * log1p(seen))


def prefix_of(curve):
    """Return the part of a curve that is recomputed.

    It ends if rounding alone changes the result by more than a factor of `WIDEST`. A comparison of
    later iterations would be meaningless.
    """
    known = {iteration: found for iteration, found in curve.items() if found.spread is not None}
    return {
        iteration: found
        for iteration, found in known.items()
        if tolerance(known, iteration) <= WIDEST
    }


@pytest.mark.parametrize("game", GAMES)
def test_every_iterative_method_has_a_curve(game):
    """Curves of methods defined by data, such as a new `RegretScheme`, are optional."""
    data = {*SCHEMES, *FIRST_ORDER}
    missing = set(iterative_methods()) - data - read_curves(game).keys()
    assert not missing, "run python benchmarks/curves.py --write"


@pytest.mark.parametrize("game", GAMES)
def test_curves_are_of_methods_that_exist(game):
    assert read_curves(game).keys() <= set(iterative_methods())


@pytest.mark.parametrize(("game", "method"), PAIRS)
def test_the_first_iterations_agree_with_the_file(game, method):
    advice = f"if the change is meant, run\n  {COMMAND.format(game=game, method=method)}\n"
    advice += "and say so in the changelog"
    wanted = prefix_of(read_curves(game)[method])
    found = trace_of(form_of(game), method, GAMES[game].prefix)
    for iteration, (exploitability, _) in wanted.items():
        assert iteration in found, f"iteration {iteration} is not measured any more: {advice}"
        allowed = tolerance(wanted, iteration)
        smallest = 1e-12 * GAMES[game].payoff_width
        assert exploitability / allowed - smallest <= found[iteration], advice
        assert found[iteration] <= exploitability * allowed + smallest, advice


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker", "liars_dice_4", "liars_dice_6"])
def test_most_curves_agree_to_one_percent(game):
    """If most tolerances were wide, the comparison would detect nothing."""
    prefixes = map(prefix_of, read_curves(game).values())
    factors = [tolerance(prefix, max(prefix)) for prefix in prefixes]
    assert np.quantile(factors, 0.7) < 1.02


@pytest.mark.parametrize("game", GAMES)
def test_the_spread_leaves_enough_of_the_curves_to_test(game):
    lengths = [len(prefix_of(curve)) for curve in read_curves(game).values()]
    assert np.mean(lengths) >= 2


def test_a_changed_curve_is_detected():
    """DCFR+ with another implementation's discount has 0.7 times our exploitability at 100."""
    curve = prefix_of(read_curves("leduc_poker")["dcfr+"])
    last = max(curve)
    other = RegretMinimizer(form_of("leduc_poker"), replace(SCHEMES["dcfr+"], discount_offset=1.0))
    other.run(last)
    found = evaluate_policy(average_policy(other)).exploitability
    assert abs(log(found / curve[last].exploitability)) > log(tolerance(curve, last))


def test_files_are_read_as_they_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr("curves.FOLDER", tmp_path)
    curves = {"cfr+": {1: Measurement(0.5, 2e-16), 2: Measurement(0.25, None)}}
    write_curves("kuhn_poker", curves)
    assert read_curves("kuhn_poker") == curves
    assert read_curves("leduc_poker") == {}


def test_recorded_iterations_are_a_fifth_apart():
    assert spaced([*range(1, 21), 22, 24, 26, 28]) == [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 28]
