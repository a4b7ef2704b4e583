"""Training with several seeds: the bits of single runs, here and on an executor."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from infoset.deep import train, train_seeds
from infoset.errors import ParameterError, UnknownNameError
from tests.deep.test_training_run import SMALL, assert_same_policy
from tests.runs.test_tasks import LocalExecutor

pytestmark = pytest.mark.networks

OPTIONS = dict(steps=20)


@pytest.mark.parametrize("make", [lambda: None, LocalExecutor, lambda: ThreadPoolExecutor(2)])
def test_each_seed_is_a_single_run(make):
    seen = []
    found = train_seeds(
        "kuhn_poker", SMALL, seeds=[3, 1], executor=make(), callback=seen.append, **OPTIONS
    )
    assert [result.seed for result in found] == [3, 1]
    assert {result.seed for result in seen} == {1, 3}
    for result in found:
        alone = train("kuhn_poker", SMALL, seed=result.seed, **OPTIONS)
        assert result.policy.digest == alone.policy.digest
        assert_same_policy(result.run.policy, alone.run.policy)
        assert result.run.nash_conv == alone.run.nash_conv


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (dict(seeds=[1, 1]), ParameterError, "repeats a seed"),
        (dict(checkpoint="run"), ParameterError, "checkpoint is not an option of several seeds"),
        (dict(preset="rnadd"), UnknownNameError, "rnad"),
        (dict(executor="dask"), ParameterError, "executor='dask'"),
    ],
)
def test_mistakes(arguments, error, words):
    with pytest.raises(error, match=words):
        train_seeds("kuhn_poker", **{**OPTIONS, **arguments})
