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


def test_a_state_that_lacks_an_array_is_refused():
    with pytest.raises(KeyError, match=r"plans\.1"):
        Doubling().set_state({"done": np.zeros(1), "plans.0": np.ones(2)})
