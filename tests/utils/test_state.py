"""Named arrays that iterations change."""

import numpy as np
import pytest

from infoset.utils.state import IterativeState, name_by_player


class Doubling(IterativeState):
    """Numbers of two players, doubled by every iteration."""

    def __init__(self):
        super().__init__()
        self.plans = (np.ones(2), np.ones((1, 3)))

    def _state_arrays(self):
        return name_by_player(plans=self.plans)

    def run(self, iterations):
        for plan in self.plans:
            plan *= 2**iterations
        self._done += iterations


def test_the_state_is_the_arrays_themselves():
    doubling = Doubling()
    state = doubling.state()
    assert list(state) == ["done", "plans.0", "plans.1"]
    doubling.run(3)
    assert doubling.iteration == state["done"][0] == 3
    np.testing.assert_array_equal(state["plans.1"], [[8, 8, 8]])


def test_a_state_given_back_is_copied_in_place():
    first, second = Doubling(), Doubling()
    own = second.state()
    first.run(2)
    second.set_state(first.state())
    first.run(1)
    assert second.iteration == 2
    np.testing.assert_array_equal(own["plans.0"], [4, 4])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plans.1": None}, r"plans\.1 is missing"),
        ({"plans.1": np.ones(3)}, r"plans\.1 is of type float64, \[3\]"),
        ({"plans.1": np.ones((1, 3), np.int64)}, r"plans\.1 is of type int64"),
    ],
)
def test_a_state_that_lacks_an_array_or_has_another_shape_is_refused(change, message):
    """NumPy would repeat one row for all players."""
    doubling = Doubling()
    state = {**doubling.state(), "plans.0": np.zeros(2), **change}
    with pytest.raises(ValueError, match=message):
        doubling.set_state({name: array for name, array in state.items() if array is not None})
    assert doubling.plans[0].tolist() == [1, 1]
