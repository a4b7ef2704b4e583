"""Chance-sampled CFR on public forms: unbiased estimates, draws, convergence."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.forms import PublicForm
from infoset.game import PublicRulesGame
from infoset.learning import LEARNERS, PublicChanceSampling, start_self_play
from infoset.learning.public_chance import PublicChance
from infoset.policy import uniform_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_public_form, build_tree, derive_public_form
from infoset.utils.splitmix import make_stream, next_uniform, uniforms
from tests.support.cached_games import cached_tree
from tests.support.random_public_games import RandomPublicGame
from tests.support.suited_rules import SuitedPoker

TURN = "nolimit_endgame(board=Ks9s8s4s,bets=[1],max_raises=1,ranges=['QQ,JTs';'JJ,AhKd'])"
SUITED = PublicRulesGame(SuitedPoker(num_ranks=2, board=("1a",), num_deals=1), "suited")
MAX_DRAWS = 700


def small_forms() -> dict[str, PublicForm]:
    """Return forms with public chance moves whose draws can be enumerated."""
    found = {"suited": build_public_form(SUITED)}
    for seed in range(60):
        form = derive_public_form(build_tree(RandomPublicGame(seed)))
        chance = PublicChance(form)
        if 1 < np.prod(1.0 + chance.last - chance.first) <= MAX_DRAWS:
            found[f"random {seed}"] = form
    return found


FORMS = small_forms()


def all_draws(chance):
    """Yield what each combination of outcomes leaves, and its probability."""
    intervals = []
    for move, (first, last) in enumerate(zip(chance.first, chance.last, strict=True)):
        ends = np.append(0.0, chance.limits[first : last + 1] - move)
        intervals.append([*zip(ends[:-1], np.diff(ends), strict=True)])
    for chosen in product(*intervals):
        middle = np.array([begin + width / 2 for begin, width in chosen])
        yield chance.outcome(middle), float(np.prod([width for _, width in chosen]))


def start(form, seed=0):
    return PublicChanceSampling(form, {}, False, seed)


def test_there_are_enough_forms():
    assert len(FORMS) > 5


@pytest.mark.parametrize("name", FORMS)
def test_expected_regrets_are_those_of_cfr(name):
    form = FORMS[name]
    exact = RegretMinimizer(form, SCHEMES["cfr-simultaneous"])
    exact.run(1)
    chance = PublicChance(form)
    for player in range(2):
        sums, total, ends = 0.0, 0.0, np.zeros(len(form.terminals))
        for drawn, probability in all_draws(chance):
            play = start(form)
            play.learn(player, drawn)
            sums = sums + probability * play.state()[f"regret.{player}"]
            ends += probability * drawn.terminals
            total += probability
        assert total == pytest.approx(1.0)
        assert ends == pytest.approx(chance.probability)
        assert sums == pytest.approx(exact.state()[f"regrets.{player}"], abs=1e-12)


@pytest.mark.parametrize("name", FORMS)
def test_draws_leave_one_outcome_of_each_move(name):
    form = FORMS[name]
    chance = PublicChance(form)
    drawn = chance.draw(make_stream(1))
    left = set(np.flatnonzero(drawn.nodes).tolist())
    ends = form.terminals
    for node in left:
        assert node == 0 or int(form.parent[node]) in left
        followers = [
            *form.action[1:][drawn.nodes[1:] & (form.parent[1:] == node)].tolist(),
            *ends.action[drawn.terminals & (ends.node == node)].tolist(),
        ]
        actions = [-1] if form.player[node] < 0 else [*range(form.num_actions[node])]
        assert sorted(followers) == actions


def test_uniforms_are_those_of_kernels():
    one, other = make_stream(3), make_stream(3)
    assert uniforms(one, 5).tolist() == [next_uniform(other) for _ in range(5)]
    assert uniforms(one, 0).tolist() == []
    assert one == other


def test_runs_can_be_resumed_and_depend_on_the_seed():
    form = FORMS["suited"]
    whole, first, second, other = (start(form, seed) for seed in (4, 4, 4, 5))
    whole.run(40)
    first.run(15)
    second.set_state(first.state())
    second.run(25)
    other.run(40)
    assert second.policy().digest == whole.policy().digest
    assert second.current_policy().digest == whole.current_policy().digest
    assert other.policy().digest != whole.policy().digest


def test_a_constant_in_the_payoffs_changes_nothing():
    form = FORMS["suited"]
    ends = form.terminals
    shifted = replace(
        form,
        terminals=replace(ends, payoff=ends.payoff + 8),
        utility_limits=form.utility_limits + 8,
        constant_sum=form.constant_sum + 16,
    )
    policies = []
    for one in (form, shifted):
        play = start(one)
        play.run(50)
        policies.append(play.policy().probabilities)
    for one, other in zip(*policies, strict=True):
        assert one == pytest.approx(other, abs=1e-9)


def test_a_turn_is_learned():
    form = build_public_form(infoset.load(TURN))
    result = infoset.learn(form, "cs-mccfr", episodes=2000)
    uniform = evaluate_policy(uniform_policy(form))
    assert result.nash_conv[0] < uniform.nash_conv / 4
    assert result.policies[0].form is form


@pytest.mark.broad
def test_leduc_poker_is_learned():
    form = derive_public_form(cached_tree("leduc_poker"))
    few, many = (infoset.learn(form, episodes=episodes) for episodes in (500, 8000))
    assert many.method == "cs-mccfr"
    assert "needs no tree" in many.reason
    assert many.exploitability[0] < few.exploitability[0] / 3
    assert many.exploitability[0] < 0.1


@pytest.mark.parametrize("name", [*LEARNERS])
def test_learners_that_need_a_tree_refuse_public_forms_by_name(name):
    form = FORMS["suited"]
    if name in ("auto", "cs-mccfr"):
        assert infoset.learn(form, name, episodes=2).method == "cs-mccfr"
        return
    with pytest.raises(UnsupportedGameError, match=f"^{re.escape(name)} .* choose cs-mccfr"):
        start_self_play(LEARNERS[name], form, horizon=10)


def test_other_forms_and_executors_are_refused():
    with pytest.raises(UnsupportedGameError, match="no public nodes and hands"):
        infoset.learn(cached_tree("kuhn_poker").sequence_form, "cs-mccfr")
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(ParameterError, match="leave the executor out"),
    ):
        infoset.learn(FORMS["suited"], "cs-mccfr", executor=executor)
