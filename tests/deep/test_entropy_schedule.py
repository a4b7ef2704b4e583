import numpy as np
import pytest

from infoset.deep import EntropySchedule
from infoset.errors import ParameterError

pytestmark = pytest.mark.networks


def test_starts_and_replacements_of_a_mixed_schedule():
    schedule = EntropySchedule((3, 5, 10), (2, 4, 1))
    handover, is_last = schedule.at(np.arange(56))
    assert np.flatnonzero(is_last).tolist() == [2, 5, 10, 15, 20, 25, 35, 45, 55]
    starts = np.flatnonzero(np.asarray(handover) == 0).tolist()
    assert starts == [0, 3, 6, 11, 16, 21, 26, 36, 46]


def test_the_new_regularizer_takes_over_in_the_first_half():
    handover, _ = EntropySchedule((10,), (1,)).at(np.arange(20))
    expected = [0, 0.2, 0.4, 0.6, 0.8, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(handover, expected * 2, rtol=1e-6)


def test_the_regularizer_is_never_replaced_after_step_0():
    _, is_last = EntropySchedule((1,), (1,)).at(np.arange(3))
    assert np.asarray(is_last).tolist() == [False, True, True]


def test_the_schedule_of_the_paper_changes_its_size_after_200_iterations():
    _, is_last = EntropySchedule((500, 10_000), (200, 1)).at(np.arange(120_000))
    replaced = np.flatnonzero(is_last)
    assert len(replaced) == 202
    assert replaced[198:202].tolist() == [99_499, 99_999, 109_999, 119_999]


@pytest.mark.parametrize(
    ("sizes", "repeats", "words"),
    [
        ((10, 20), (1,), "one repeat for each size"),
        ((), (), "one repeat for each size"),
        ((10, 20), (3, 2), r"give repeats=\(3, 1\)"),
        ((0,), (1,), "entry of sizes"),
        ([10], (1,), "must be a tuple"),
    ],
)
def test_wrong_schedules(sizes, repeats, words):
    with pytest.raises(ParameterError, match=words):
        EntropySchedule(sizes, repeats)
