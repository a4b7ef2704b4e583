"""Probabilities of inclusion, and samples that have them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.utils.subsampling import inclusion_probabilities, systematic_sample

WEIGHT = st.sampled_from([0.0, 0.1, 0.25, 1.0, 2.0, 3.5, 10.0, 40.0])
WEIGHTS = st.lists(WEIGHT, min_size=1, max_size=12).map(np.array)


@given(WEIGHTS, st.integers(1, 12))
def test_subsampling_retains_large_weights_and_samples_small_ones_in_proportion(weight, number):
    kept = inclusion_probabilities(weight, number)
    possible = int(np.count_nonzero(weight))
    assert kept.sum() == pytest.approx(min(number, possible))
    assert ((kept >= 0) & (kept <= 1)).all()
    assert (kept[weight == 0] == 0).all()
    light = kept < 1 - 1e-9
    if number < possible and light.any():
        share = kept[light] / np.where(weight[light] > 0, weight[light], 1)
        positive = weight[light] > 0
        assert np.allclose(share[positive], share[positive][:1], rtol=1e-6)
        assert weight[~light].min(initial=np.inf) >= weight[light].max() - 1e-6


@given(WEIGHTS, st.integers(1, 12))
def test_a_comb_keeps_each_with_its_probability(weight, number):
    kept = inclusion_probabilities(weight, number)
    shifts = (np.arange(1000) + 0.5) / 1000

    class Fixed:
        def __init__(self, value):
            self.random = lambda: value

    often = np.mean([systematic_sample(kept, Fixed(shift)) for shift in shifts], axis=0)
    assert often == pytest.approx(kept, abs=2e-3)
