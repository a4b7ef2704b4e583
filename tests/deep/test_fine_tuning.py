import numpy as np
import pytest

from infoset.deep import fine_tune
from infoset.errors import ParameterError

pytestmark = pytest.mark.networks


def test_small_probabilities_are_dropped_and_others_rounded_up_in_order():
    # 0.5 / 0.98 and 0.48 / 0.98 of 32 are 16.3 and 15.7; the first takes 17, the second the rest.
    assert (fine_tune([[0.5, 0.02, 0.48]]) * 32).tolist() == [[17, 0, 15]]


def test_a_row_without_large_probabilities_is_kept_before_rounding():
    row = np.full((1, 40), 1 / 40)
    np.testing.assert_allclose(fine_tune(row, units=0), row)
    # 40 actions want one unit each, and there are 32.
    assert fine_tune(row)[0].tolist() == [1 / 32] * 32 + [0.0] * 8


def test_rows_are_distributions_in_multiples_of_a_unit():
    rng = np.random.default_rng(0)
    policy = rng.dirichlet(np.full(5, 0.4), size=200)
    tuned = fine_tune(policy)
    np.testing.assert_array_equal(tuned.sum(axis=1), 1.0)
    np.testing.assert_array_equal(tuned * 32, np.round(tuned * 32))
    assert (tuned >= 0).all()
    assert (tuned[policy < 0.03] == 0).all()
    # Each action gets at most one unit more than its share; the top action gets what is left.
    assert abs(tuned - policy).max() < 4 * 0.03 + 1 / 32


def test_wrong_arguments():
    with pytest.raises(ParameterError, match="one row per infostate"):
        fine_tune(np.ones(3) / 3)
    with pytest.raises(ParameterError, match="threshold"):
        fine_tune([[1.0]], threshold=1.5)
