import jax
import jax.numpy as jnp
import numpy as np
import pytest

from infoset.deep import NetworkRNaD, PolicyValueNetwork, train
from infoset.deep.networks import legal_log_softmax
from infoset.errors import UnknownNameError

pytestmark = pytest.mark.networks

LEGAL = jnp.array([[True, False, True], [False, True, False]])


def test_legal_softmax_sums_to_one_and_ignores_illegal_and_constant_logits():
    logits = jnp.array([[1.0, 50.0, -2.0], [0.0, 3.0, 9.0]])
    log_policy = legal_log_softmax(logits, LEGAL)
    expected = 1 / (1 + np.exp(-3.0))
    np.testing.assert_allclose(np.exp(log_policy[0, 0]), expected, rtol=1e-6)
    np.testing.assert_allclose(np.exp(log_policy[0, 2]), 1 - expected, rtol=1e-5)
    assert log_policy[1].tolist() == [0, 0, 0]
    assert log_policy[0, 1] == 0
    shifted = legal_log_softmax(logits + 7.0, LEGAL)
    np.testing.assert_allclose(shifted, log_policy, atol=1e-5)


def test_illegal_logits_have_no_gradient():
    def nonlinear(logits):
        return (legal_log_softmax(logits, LEGAL) ** 2).sum()

    gradient = jax.jit(jax.grad(nonlinear))(jnp.array([[1.0, 50.0, -2.0], [0.0, 3.0, 9.0]]))
    assert np.isfinite(gradient).all()
    gradient = np.asarray(gradient)
    assert (gradient[~np.asarray(LEGAL)] == 0).all()
    assert (gradient[0, [0, 2]] != 0).all()


def test_the_network_returns_a_logit_per_action_and_a_value():
    make = jax.jit(PolicyValueNetwork, static_argnums=(0, 1, 2))
    network = make(4, (8, 8), 3, jax.random.key(0))
    logits, values = jax.jit(lambda features: network(features))(jnp.eye(4)[:2])
    assert (logits.shape, values.shape) == ((2, 3), (2,))
    hidden = np.maximum(np.asarray(network.weights[0])[0], 0)
    hidden = np.maximum(hidden @ np.asarray(network.weights[1]), 0)
    outputs = hidden @ np.asarray(network.weights[2])
    np.testing.assert_allclose(logits[0], outputs[:3], atol=1e-6)
    np.testing.assert_allclose(values[0], outputs[3], atol=1e-6)


@pytest.mark.long
def test_layers_in_half_precision_give_nearly_the_same_outputs_in_single_precision():
    sizes = (4, (32, 32), 3, jax.random.key(0))
    single, half = PolicyValueNetwork(*sizes), PolicyValueNetwork(*sizes, "bfloat16")
    features = jax.random.normal(jax.random.key(1), (16, 4))
    (exact, values), (logits, _) = single(features), half(features)
    assert logits.dtype == values.dtype == half.weights[0].dtype == jnp.float32
    difference = float(jnp.abs(logits - exact).max())
    assert 0 < difference < 0.02 * float(jnp.abs(exact).max()) + 0.01


def test_there_are_two_precisions():
    with pytest.raises(UnknownNameError, match="bfloat16"):
        NetworkRNaD(precision="float16")


@pytest.mark.long
def test_a_network_is_trained_in_half_precision():
    spec = NetworkRNaD(batch_size=32, hidden=(16,), precision="bfloat16", learning_rate=3e-3)
    result = train("kuhn_poker", spec, steps=600, seed=1)
    assert result.run.nash_conv < 0.5
    assert result.policy.network.precision == "bfloat16"
