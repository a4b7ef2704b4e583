"""Searches with a time limit on games that are too long for it, with a simulated clock."""

from dataclasses import replace

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ShortSearchWarning, UnsupportedGameError
from infoset.game import Infostate, Step
from infoset.games import load_game
from infoset.runs.searcher import SearchBudget
from infoset.search import EPIMC, ISMCTS, PIMC, AlphaMu, GraphModel, RulesModel, perfect_information
from infoset.search.determinization import Draws, last_in_time
from infoset.search.models.model import timed_roots
from infoset.search.perfect_information import BackwardInduction, DepthFirstSearch
from infoset.tree import build_world_graph
from infoset.utils.clocks import OutOfTimeError
from tests.support.function_game import FunctionGame

pytestmark = pytest.mark.broad

START = Infostate(0, ())
NUM_MOVES = 16


def long_game():
    """Players alternate for 16 moves, and all lines differ; the first action earns its number."""
    return FunctionGame(
        2,
        initial_world=lambda: (),
        actors=lambda w: (len(w) % 2,) if len(w) < NUM_MOVES else (),
        legal_actions=lambda w, p: (0, 1, 2),
        transitions=lambda w, a: [((*w, a[len(w) % 2]), 1)] if len(w) < NUM_MOVES else [],
        rewards=lambda w, a, n: (n[0], -n[0]) if len(n) == NUM_MOVES else (0, 0),
    )


@pytest.fixture
def model(clock):
    """Rules in which each transition takes a millisecond."""

    class SlowRules(RulesModel):
        def apply_outcome(self, position, outcome):
            clock.now += 0.001
            super().apply_outcome(position, outcome)

    return SlowRules(long_game())


def generator(seed=0):
    return np.random.default_rng(seed)


SEARCHERS = [
    (PIMC, {}),
    (PIMC, {"opponents": "paranoid"}),
    (PIMC, {"depth": 12}),
    (EPIMC, {}),
    (EPIMC, {"depth": 8}),
]


@pytest.mark.parametrize(("kind", "settings"), SEARCHERS, ids=str)
def test_worlds_that_take_too_long_are_valued_by_samples(model, kind, settings):
    searcher = kind(model, milliseconds=2000, **settings)
    policy = searcher.search(START, generator())
    record = searcher.last_search
    assert record.is_fallback
    assert not record.is_exact
    assert not record.is_short
    assert record.overrun < 0.05
    assert record.num_worlds == pytest.approx(1.0 / (3 * 0.001 * NUM_MOVES), abs=4)
    assert record.values.tolist() == [0, 1, 2]
    assert policy.tolist() == [0, 0, 1]
    assert searcher.notes() == [
        "1 searches took too long for one world and valued actions by samples of leaf values; give "
        "depth= to limit searches"
    ]


@pytest.mark.parametrize(("kind", "settings"), SEARCHERS, ids=str)
def test_a_limit_of_a_few_samples_warns(model, kind, settings):
    searcher = kind(model, milliseconds=150, **settings)
    with pytest.warns(ShortSearchWarning, match="did only 1 world in its 150 ms to choose among 3"):
        policy = searcher.search(START, generator())
    record = searcher.last_search
    assert record.is_fallback
    assert record.is_short
    assert record.seconds < 0.15 + 0.03
    assert policy.tolist() == [0, 0, 1]


class Opening:
    """A policy that is not uniform; an answer takes a millisecond."""

    def __init__(self, clock):
        self.clock = clock

    def action_probabilities(self, infostate, legal_actions):
        self.clock.now += 0.001
        return np.array([0.5, 0.25, 0.25])


NO_TIME = [*SEARCHERS, (ISMCTS, {}), (AlphaMu, {"max_moves": 2})]
WITH_POLICY = [(PIMC, {"depth": 1}), (EPIMC, {"depth": 1}), (ISMCTS, {})]


@pytest.mark.parametrize(
    ("kind", "settings", "has_policy"),
    [(*row, False) for row in NO_TIME] + [(*row, True) for row in WITH_POLICY],
    ids=str,
)
def test_without_a_completed_world_the_policy_of_the_leaf_value_answers(
    model, clock, kind, settings, has_policy
):
    if has_policy:
        settings = {**settings, "leaf_value": Opening(clock)}
    searcher = kind(model, milliseconds=1, **settings)
    consequence = "nearly random" if kind is ISMCTS else "it plays the policy of its leaf value"
    with pytest.warns(ShortSearchWarning, match=consequence):
        policy = searcher.search(START, generator())
    assert policy.tolist() == ([0.5, 0.25, 0.25] if has_policy else [1 / 3] * 3)
    record = searcher.last_search
    assert np.isnan(record.values).all()
    if kind is ISMCTS:
        assert record.num_simulations == 1  # which adds the root, and takes no action there
    else:
        assert record.num_worlds == 0


def test_repeated_searches_without_an_action_at_the_root_play_the_leaf_policy():
    model = GraphModel(build_world_graph(load_game("kuhn_poker")))
    jack = Infostate(0, (Step(None, "J", None),))
    searcher = ISMCTS(model, num_simulations=1)
    assert searcher.search_many(jack, generator(), 3).tolist() == [[0.5, 0.5]] * 3
    one = searcher.search(jack, generator())
    assert one.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("kind", "settings"), [(PIMC, {"depth": 1}), (PIMC, {"depth": 2}), (EPIMC, {"leaf_value": 1})]
)
def test_a_depth_limit_that_fits_is_searched(model, kind, settings):
    def most_promising(histories):
        return np.array([[h.world[0], -h.world[0]] for h in histories])

    if "leaf_value" in settings:
        settings = {"leaf_value": most_promising, "depth": 2}
    searcher = kind(model, milliseconds=4000, num_worlds=10, **settings)
    assert searcher.search(START, generator()).tolist() == [0, 0, 1]
    assert not searcher.last_search.is_fallback
    assert not searcher.notes()
    assert searcher.last_search.num_worlds == 10
    assert searcher.last_search.values.tolist() == [0, 1, 2]


@pytest.mark.parametrize("opponents", ["max_n", "paranoid"])
def test_pauses_do_not_change_values(monkeypatch, opponents):
    """Also with compiled kernels, of which backward induction is an independent check."""
    monkeypatch.setattr(perfect_information, "NODES_PER_CHECK", (3, 3))
    for name in ("kuhn_poker(players=3)", "leduc_poker(num_ranks=2)"):
        model = GraphModel(build_world_graph(load_game(name)))
        states = np.arange(model.graph.num_worlds)[::-1, None].copy()
        rewards_so_far = np.zeros((len(states), model.num_players))
        whole, paused = (DepthFirstSearch(model, opponents) for _ in range(2))
        paused.deadline = 1e18
        looks = []
        monkeypatch.setattr(paused, "check_time", lambda looks=looks: looks.append(None))
        found = [perfect.values(states, rewards_so_far, 1) for perfect in (whole, paused)]
        assert found[0].tolist() == found[1].tolist()
        assert whole.num_nodes == paused.num_nodes
        assert len(looks) > whole.num_nodes / 4
        exact = BackwardInduction(model, opponents).values(states, rewards_so_far, 1)
        assert found[1] == pytest.approx(exact, abs=1e-12)


class Stub:
    """Values whose deadline the test reads."""

    is_random = False


@pytest.mark.parametrize("num_complete", [0, 1, 3])
@pytest.mark.parametrize("rarest", [0.5, 1e-300])
def test_a_draw_that_runs_out_of_time_is_dropped(clock, num_complete, rarest):
    """With a rare world there are only draws; without, the fourth weights are probabilities."""
    budget, values, rng = SearchBudget("num_worlds", None, 1000.0), Stub(), generator(1)
    draws = Draws(np.array([0.5, rarest]), values, budget, rng, 0.0)
    totals, deadlines = [], []

    def weights():
        for weight in draws:
            deadlines.append(values.deadline)
            if len(totals) == num_complete:
                raise OutOfTimeError
            totals.append(weight.sum())
            yield totals[-1]

    found = last_in_time(weights())
    assert deadlines == [0.5, 1.0, 1.0, 1.0][: num_complete + 1]
    assert not draws.is_exact
    assert draws.num_worlds == (found or 0) == (totals[-1] if totals else 0)
    assert (found is None) == (num_complete == 0)


class Stingy:
    """A model whose samples agree with the infostate from some number on."""

    def __init__(self, required, is_compiled=False):
        self.required, self.is_compiled, self.asked = required, is_compiled, []

    def roots(self, infostate, belief, rng):
        self.asked.append((belief.num_samples, belief.max_worlds))
        if belief.num_samples < self.required:
            raise UnsupportedGameError("no sampled history agrees")
        return "roots"


@pytest.mark.parametrize(
    ("required", "seconds", "asked"),
    [
        (1, 0.8, [(40, 400)]),
        (1, 1e-3, [(10, 100)]),
        (300, 0.8, [(40, 400), (400, 4000)]),
        (4000, 0.8, [(40, 400), (400, 4000), (4000, 40_000)]),
        (10_000, 20.0, [(1000, 10_000), (10_000, 200_000)]),
        (1, None, [(10_000, 200_000)]),
    ],
)
def test_searches_by_the_rules_list_as_many_worlds_as_their_time_allows(required, seconds, asked):
    belief, model = PublicPrivateBelief(0.0), Stingy(required)
    assert timed_roots(model, START, belief, generator(), seconds) == "roots"
    assert model.asked == asked
    compiled = Stingy(1, is_compiled=True)
    timed_roots(compiled, START, belief, generator(), seconds)
    assert compiled.asked == [(10_000, 200_000)]
    small, model = replace(belief, num_samples=30, max_worlds=50), Stingy(1)
    timed_roots(model, START, small, generator(), seconds)
    assert model.asked == [(10, 50) if seconds == 1e-3 else (30, 50)]


def test_if_no_number_of_samples_agrees_the_error_is_raised():
    model = Stingy(10**9)
    with pytest.raises(UnsupportedGameError, match="no sampled history agrees"):
        timed_roots(model, START, PublicPrivateBelief(0.0), generator(), 0.2)
    assert model.asked[-1] == (10_000, 200_000)


@pytest.mark.parametrize("kind", [PIMC, EPIMC, ISMCTS])
def test_the_time_for_the_belief_is_reported(model, clock, monkeypatch, kind):
    listed = model.roots

    def slow_roots(*arguments):
        clock.now += 0.15
        return listed(*arguments)

    monkeypatch.setattr(model, "roots", slow_roots)
    searcher = kind(model, milliseconds=100)
    with pytest.warns(ShortSearchWarning, match="in its 100 ms, after 150 ms for its belief,"):
        searcher.search(START, generator())
    record = searcher.last_search
    assert record.belief_seconds == pytest.approx(0.15)
    assert 0.15 <= record.seconds < 0.2
