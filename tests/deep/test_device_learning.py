"""Training on device games: the learner, matches, lower bounds, checkpoints."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from infoset.deep import NetworkRNaD, ResponseBound, device_game, make_tree_game, train
from infoset.deep.device_matches import match_score, response_bound
from infoset.deep.device_play import roll_out
from infoset.deep.episodes import Episodes, Rows
from infoset.deep.learners import DeviceLearner
from infoset.deep.network_spec import initial_state
from infoset.deep.networks import legal_exp, legal_log_softmax
from infoset.deep.rnad import output_gradients, sum_over_episodes
from infoset.deep.rules.goofspiel import GoofspielRules
from infoset.errors import (
    CheckpointMismatchError,
    ParameterError,
    UnsupportedGameError,
)
from infoset.evaluation import exploitability
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset.tree import build_tree
from infoset.utils.clocks import working_seconds
from tests.deep.enumeration import all_episodes

pytestmark = pytest.mark.networks

SMALL = NetworkRNaD(batch_size=64, hidden=(16,), learning_rate=3e-3)


@pytest.mark.long
def test_rows_of_decisions_give_the_gradient_of_rows_of_infostates():
    """Each decision has its own row, or all decisions at an infostate share one."""
    game, _, _ = make_tree_game(build_tree(load_game("kuhn_poker")))
    network, other = (initial_state(game, SMALL, seed).network for seed in (3, 4))
    reference = game.store(other)
    policy = legal_exp(game.store(network), game.legal)
    episodes, _ = all_episodes(game, policy)

    @jax.jit
    def gradient(rows, reference, episodes):
        (logits, values), pull_back = jax.vjp(lambda theta: theta(rows.features), network)
        behavior = legal_exp(legal_log_softmax(logits, rows.legal), rows.legal)
        sums = sum_over_episodes(rows, SMALL, logits, values, reference, behavior, episodes)
        return pull_back(output_gradients(rows, values, sums))[0]

    flat = episodes.row.reshape(-1)
    rows = Rows(game.player[flat], game.features[flat], game.legal[flat])
    single = np.arange(flat.size, dtype=np.int32).reshape(episodes.row.shape)
    shared = gradient(game, reference, Episodes(*map(jnp.asarray, episodes)))
    own = gradient(
        rows, reference[flat], Episodes(*map(jnp.asarray, episodes._replace(row=single)))
    )
    for found, expected in zip(jax.tree.leaves(own), jax.tree.leaves(shared), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        assert np.abs(expected).max() > 1e-3


def test_bytes_of_observations_change_no_bit(monkeypatch):
    """The same network and critic, whether episodes store bytes or numbers of single precision."""
    name = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"
    options = {"build": False, "steps": 20, "response_steps": 0, "critic": "v-trace-shared"}
    found = []
    for is_binary in (True, False):
        monkeypatch.setattr(GoofspielRules, "is_binary", is_binary)
        jax.clear_caches()  # compiled steps do not know that the class has changed
        device = device_game(load_game(name))
        rollout = roll_out(device, lambda rows: jnp.zeros(rows.legal.shape), jax.random.key(0), 8)
        assert rollout.rows.features.dtype == (jnp.int8 if is_binary else jnp.float32)
        result = train(name, SMALL, **options)
        found.append(jax.tree.leaves((result.policy.network, result.critic.network)))
    jax.clear_caches()
    for own, other in zip(*found, strict=True):
        np.testing.assert_array_equal(own, other)


def test_episodes_have_the_expected_value_of_their_policy():
    device = device_game("kuhn_poker")

    def uniform(rows):
        return jnp.zeros(rows.legal.shape)

    rollout = jax.jit(lambda key: roll_out(device, uniform, key, 20_000))(jax.random.key(1))
    utility = np.asarray(rollout.rewards).sum(axis=0)
    np.testing.assert_array_equal(utility.sum(axis=1), 0)
    # The value of uniform play to player 0 is 1/8.
    error = utility[:, 0].std() / len(utility) ** 0.5
    assert utility[:, 0].mean() == pytest.approx(1 / 8, abs=5 * float(error))
    assert np.asarray(rollout.valid).sum(axis=0).min() == 2


@pytest.fixture(scope="module")
def learner():
    """A learner of Kuhn poker by rules in JAX, after a few steps."""
    learner = DeviceLearner(device_game("kuhn_poker"), SMALL, 1, "kuhn_poker")
    learner.run(300)
    return learner


@pytest.mark.long
def test_a_lower_bound_is_below_exploitability_and_not_far(learner):
    form = build_tree(load_game("kuhn_poker")).sequence_form
    exact = exploitability(learner.network_policy().tabulate(form))
    bound = response_bound(learner.source, learner.network, SMALL, steps=2000)
    assert 0.6 * exact < bound.exploitability_lower_bound <= exact
    result = train("kuhn_poker", SMALL, steps=40, seed=3, build=False)
    assert 0 < result.response.exploitability_lower_bound < 1
    assert "at least" in repr(result)


class Clock:
    """A clock that advances by a second whenever it is read; a budget begins by the real one."""

    def __init__(self):
        self.now = working_seconds()

    def __call__(self):
        self.now += 1.0
        return self.now


def test_a_response_ends_within_its_seconds_and_says_how_far_it_came(learner, monkeypatch):
    monkeypatch.setattr("infoset.runs.budget.working_seconds", Clock())
    seen = []
    bound = response_bound(
        learner.source,
        learner.network,
        SMALL,
        steps=2000,
        seconds=40.0,
        callback=lambda step, _: seen.append(step),
    )
    assert bound.outcome == "seconds"
    assert 1 < bound.steps == seen[-1] < 100
    assert seen == [*range(1, bound.steps + 1)]
    assert bound.max_steps == 2000
    assert bound.gains is not None
    none = response_bound(learner.source, learner.network, SMALL, steps=9, seconds=0.0)
    assert (none.gains, none.exploitability_lower_bound) == (None, 0.0)
    assert (none.steps, none.outcome) == (0, "seconds")
    stopped = response_bound(
        learner.source, learner.network, SMALL, steps=9, callback=lambda *_: True
    )
    assert (stopped.steps, stopped.outcome) == (1, "stopped")
    interrupted = response_bound(
        learner.source, learner.network, SMALL, steps=9, callback=interrupt
    )
    assert (interrupted.gains, interrupted.outcome) == (None, "interrupted")


def interrupt(*_):
    raise KeyboardInterrupt


def test_training_leaves_a_fifth_of_its_seconds_to_the_response(monkeypatch):
    asked = []

    def record(*_, **options):
        asked.append(options["seconds"])
        return ResponseBound(None, 0.0, 0, 500, "seconds", 0.0)

    monkeypatch.setattr("infoset.deep.training_run.response_bound", record)
    monkeypatch.setattr("infoset.runs.budget.working_seconds", Clock())
    result = train("kuhn_poker", SMALL, seconds=10.0, seed=3, build=False)
    assert result.outcome == "seconds"
    assert 8 <= result.seconds < 100
    assert asked == [10 - result.seconds]
    short = train("kuhn_poker", SMALL, seconds=0.0, seed=3, build=False)
    assert short.steps == 0
    assert asked[1] <= 0
    assert short.summary()["response_outcome"] == "seconds"
    assert short.summary()["response_steps"] == 0


@pytest.mark.long
def test_the_score_of_a_match_is_the_expected_one(learner):
    tree = build_tree(load_game("kuhn_poker"))
    from infoset.matches import exact_match

    exact = exact_match(tree, learner.network_policy(), uniform_policy(tree.sequence_form))
    found = match_score(learner.device, learner.network, 8192, jax.random.key(5))
    assert found.mean == pytest.approx(exact.utility.mean, abs=5 * found.standard_error)
    assert 0 < found.standard_error < 0.02


@pytest.mark.long
def test_a_network_that_learned_dark_hex_by_rules_plays_its_tree():
    name = "dark_hex(board_size=2)"
    result = train(name, SMALL, steps=1500, seed=1, build=False, response_steps=0)
    form = build_tree(load_game(name)).sequence_form
    uniform = exploitability(uniform_policy(form))
    assert exploitability(result.policy.tabulate(form)) < uniform / 8, uniform


@pytest.mark.long
def test_training_by_rules_resumes_to_the_same_bits(tmp_path):
    file = tmp_path / "run.npz"
    whole = train("kuhn_poker", SMALL, steps=40, seed=3, build=False, response_steps=0)
    train("kuhn_poker", SMALL, steps=23, seed=3, build=False, checkpoint=file, response_steps=0)
    resumed = train(
        "kuhn_poker", SMALL, steps=40, seed=3, build=False, checkpoint=file, response_steps=0
    )
    for found, expected in zip(
        jax.tree.leaves(resumed.policy.network), jax.tree.leaves(whole.policy.network), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    assert [point.score for point in resumed.trace] == [point.score for point in whole.trace]
    assert whole.run is whole.response is None
    with pytest.raises(CheckpointMismatchError, match="leduc"):
        train("leduc_poker", SMALL, steps=50, seed=3, build=False, checkpoint=file)
    with pytest.raises(CheckpointMismatchError, match="more than steps=9"):
        train("kuhn_poker", SMALL, steps=9, seed=3, build=False, checkpoint=file)


def test_games_that_cannot_be_trained_say_why():
    class Generous(type(device_game("kuhn_poker"))):
        def step(self, state, action, key):
            after, rewards = super().step(state, action, key)
            return after, rewards + action

    with pytest.raises(UnsupportedGameError, match="constant sum"):
        train(Generous(), SMALL, steps=1)
    with pytest.raises(ParameterError, match="build=True"):
        train(device_game("kuhn_poker"), SMALL, steps=1, build=True)
    with pytest.raises(UnsupportedGameError, match="two players"):
        train(device_game("kuhn_poker(players=3)"), SMALL, steps=1)
    with pytest.raises(ParameterError, match="leduc_poker"):
        train(3)
