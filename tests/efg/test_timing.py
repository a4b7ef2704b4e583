"""Timings and padding on the figures of the paper."""

from __future__ import annotations

import pytest

from infoset import solve
from infoset.efg import Outcome, as_game, exact_timing, find_uneven_timing, pad_timing
from infoset.evaluation import behavior_values
from infoset.typing import CHANCE
from tests.efg import reference_forms
from tests.support import example_forms


def times_by_name(form):
    times = exact_timing(form)
    return {name: int(times[h]) for h, name in enumerate(form.history_names) if name}


@pytest.mark.parametrize("steps", [2, 3, 5, 12])
def test_the_staircase_is_as_late_as_its_last_step(steps):
    form = example_forms.staircase(steps)
    times = times_by_name(form)
    assert times == {
        **{f"h{number}": number - 1 for number in range(1, steps)},
        **{f"g{number}": steps - 1 for number in range(1, steps + 1)},
    }
    assert set(exact_timing(form)[form.terminals].tolist()) == {steps}


@pytest.mark.parametrize("steps", [2, 3, 5, 12, 40])
def test_padding_the_staircase_grows_quadratically(steps):
    """Lemma D.2 and Figure 7: from h_n to g_n are N − n units of time."""
    form = example_forms.staircase(steps)
    padded = pad_timing(form)
    assert form.num_histories == 4 * steps - 1
    skipped = (steps - 1) * (steps - 2) // 2
    assert padded.num_histories == form.num_histories + skipped <= form.num_histories**2
    assert find_uneven_timing(padded) is None
    assert exact_timing(padded).tolist() == padded.depth.tolist()
    assert [form.infoset_numbers(player) for player in (0, 1)] == [
        padded.infoset_numbers(player) for player in (0, 1)
    ]


def test_padding_by_hand():
    win, nothing = (-2, None, Outcome((1, -1)), []), (-2, None, None, [])
    g1 = g2 = (0, "out", None, [("left", None, win), ("right", None, nothing)])
    g3 = (0, "out", None, [("left", None, nothing), ("right", None, win)])
    h2 = (1, "h2", None, [("out", None, g2), ("on", None, g3)])
    wait = (CHANCE, None, None, [("wait", 1, g1)])
    h1 = (1, "h1", None, [("out", None, wait), ("on", None, h2)])
    assert reference_forms.nested(pad_timing(example_forms.staircase(3))) == h1


def test_a_padded_form_is_equivalent():
    form = example_forms.staircase(4)
    padded = pad_timing(form)
    behavior = {
        ("out", 0): {"left": 0.25, "right": 0.75},
        ("h1", 1): {"out": 0.5, "on": 0.5},
        ("h3", 1): {"out": 0.125, "on": 0.875},
    }
    # On past h1 1/2, past h2 1/2 (uniform), past h3 7/8: g4 is reached by 7/32.
    expected = 0.25 * 25 / 32 + 0.75 * 7 / 32
    assert behavior_values(form, behavior) == pytest.approx((expected, -expected))
    assert behavior_values(padded, behavior) == behavior_values(form, behavior)
    for kind in (form, padded):
        assert solve(kind, "lp").values == pytest.approx((0.5, -0.5))


def test_forms_that_are_even_stay_as_they_are():
    for form in (example_forms.matching_pennies(), *example_forms.two_augmentations()):
        assert pad_timing(form) is form
        assert exact_timing(form).tolist() == form.depth.tolist()


def test_padding_forgets_what_was_known_off_turn():
    padded = pad_timing(example_forms.levels_apart())
    assert padded.public_set is None
    assert padded.num_histories == example_forms.levels_apart().num_histories + 1
    assert as_game(padded).num_players == 2
