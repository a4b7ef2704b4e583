"""Monte Carlo CFR on public forms: unbiased estimates, exact averages, draws, convergence."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.forms import PublicForm, realize_policy
from infoset.game import PublicRulesGame
from infoset.learning import LEARNERS, PublicChanceSampling, start_self_play
from infoset.learning.public_chance import PublicChance
from infoset.learning.public_hands import PublicHands
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_public_form, build_tree, derive_public_form
from infoset.utils.splitmix import make_stream, next_uniform, uniforms
from tests.support.cached_games import cached_tree
from tests.support.random_public_games import RandomPublicGame
from tests.support.suited_rules import SuitedPoker

pytestmark = pytest.mark.broad

TURN = "nolimit_endgame(board=Ks9s8s4s,bets=[1],max_raises=1,ranges=['QQ,JTs';'JJ,AhKd'])"
SUITED = PublicRulesGame(SuitedPoker(num_ranks=2, board=("1a",), num_deals=1), "suited")
MAX_DRAWS = 700
ON_PUBLIC_FORMS = ("auto", "cs-mccfr", "es-mccfr")


# Random games with public chance moves whose draws can be enumerated.
SEEDS = (1, 3, 6, 7, 9, 14, 15, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 30, 34, 35, 36, 39, 43)
SMALL = ("suited", *(f"random {seed}" for seed in SEEDS))


@cache
def small_form(name: str) -> PublicForm:
    """Return a form of `SMALL`."""
    if name == "suited":
        return build_public_form(SUITED)
    return derive_public_form(build_tree(RandomPublicGame(int(name.split()[1]))))


def all_draws(chance):
    """Yield the sample of each combination of outcomes, and its probability."""
    intervals = []
    for move, (first, last) in enumerate(zip(chance.first, chance.last, strict=True)):
        ends = np.append(0.0, chance.limits[first : last + 1] - move)
        intervals.append([*zip(ends[:-1], np.diff(ends), strict=True)])
    for chosen in product(*intervals):
        middle = np.array([begin + width / 2 for begin, width in chosen])
        yield chance.outcome(middle), float(np.prod([width for _, width in chosen]))


def start(form, seed=0, *, all_opponents=True):
    return PublicChanceSampling(form, {}, seed, all_opponents=all_opponents)


def with_random_policies(form, seed, pure_fraction=1 / 3):
    """Return a state of learners whose policies are random, some of them pure."""
    state, rng = start(form).state(), np.random.default_rng(seed)
    for player, layout in enumerate(form.layouts):
        policy = state[f"policy.{player}"]
        for base, count, actions, *_ in layout.groups.tolist():
            drawn = rng.dirichlet(np.ones(actions), size=count)
            pure = rng.random(count) < pure_fraction
            drawn[pure] = np.eye(actions)[rng.integers(actions, size=count)][pure]
            policy[base : base + count * actions] = drawn.T.ravel()
    return state


def exact_regrets(form, state, player):
    """Return [Q] the regrets that one iteration of CFR adds, from the policies of `state`."""
    exact = RegretMinimizer(form, SCHEMES["cfr-simultaneous"])
    plans = []
    for p, layout in enumerate(form.layouts):
        plans.append(np.ones(len(layout.position)))
        realize_policy(layout.groups, layout.parent, state[f"policy.{p}"], plans[-1])
    policies = {f"policies.{p}": state[f"policy.{p}"] for p in range(2)}
    exact.set_state({**exact.state(), **policies, **{f"plans.{p}": plans[p] for p in range(2)}})
    exact.run(1)
    return exact.state()[f"regrets.{player}"]


def all_samples(form, chance, hands, hand, policy, other):
    """Yield the sample of each combination of opponent actions and chance outcomes, for a hand.

    Each comes with its probability. Moves that are not reached are not varied.
    """
    edges = np.stack(
        [
            np.append(form.parent[1:], form.terminals.node),
            np.append(form.action[1:], form.terminals.action),
        ],
        axis=1,
    )
    moves = {tuple(move): number for number, move in enumerate(np.unique(edges, axis=0).tolist())}
    outcomes = [np.flatnonzero((edges == move).all(axis=1)).tolist() for move in moves]
    probability, first = hands.policy_at(hand, policy), form.sequences[other].first

    def extend(queue, numbers, taken, weight):
        if not queue:
            yield numbers, taken, weight
            return
        node, *rest = queue
        actions, count = [-1], int(form.num_actions[node])
        if form.player[node] == other:
            actions = [a for a in range(count) if probability[first[node] - 1 + a] > 0]
        for action in actions:
            here, left = {**taken, node: action}, weight
            if action >= 0:
                left *= probability[first[node] - 1 + action]
            follow = [action] if action >= 0 or form.player[node] < 0 else range(count)
            open_moves = [moves[node, one] for one in follow]
            for drawn in product(*(range(len(outcomes[move])) for move in open_moves)):
                reached, chosen, part = [], {}, left
                for move, rank in zip(open_moves, drawn, strict=True):
                    ends = np.append(move, chance.limits[chance.first[move] :][: rank + 1])
                    chosen[move] = (ends[-2] + ends[-1]) / 2 - move
                    part *= ends[-1] - ends[-2]
                    outcome = outcomes[move][rank]
                    reached += [outcome + 1] if outcome + 1 < form.num_nodes else []
                yield from extend([*rest, *reached], {**numbers, **chosen}, here, part)

    for numbers, taken, weight in extend([0], {}, {}, 1.0):
        of_move = np.full(chance.num_moves, 0.5)
        of_move[[*numbers]] = [*numbers.values()]
        of_node = np.full(form.num_nodes, -1)
        of_node[[*taken]] = [*taken.values()]
        yield chance.outcome(of_move, of_node)._replace(hand=hand), weight


def expected_regrets(form, state, player):
    """Return [Q] the expected regrets of a player after one episode of external sampling."""
    chance, other = PublicChance(form), 1 - player
    hands, play = PublicHands(form, other), start(form, all_opponents=False)
    sums, total = np.zeros(len(state[f"regret.{player}"])), 0.0
    for hand in np.flatnonzero(hands.probability).tolist():
        samples = all_samples(form, chance, hands, hand, state[f"policy.{other}"], other)
        for drawn, weight in samples:
            play.set_state(state)
            play.learn(player, drawn)
            sums += hands.probability[hand] * weight * play.state()[f"regret.{player}"]
            total += hands.probability[hand] * weight
    assert total == pytest.approx(1.0, abs=1e-12)
    return sums


@pytest.mark.parametrize("name", SMALL)
def test_draws_can_be_enumerated(name):
    chance = PublicChance(small_form(name))
    assert 1 < np.prod(1.0 + chance.last - chance.first) <= MAX_DRAWS


@pytest.mark.parametrize("name", SMALL)
def test_expected_regrets_are_those_of_cfr(name):
    form = small_form(name)
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


def check_expected_regrets(form, state):
    for player in range(2):
        found, exact = expected_regrets(form, state, player), exact_regrets(form, state, player)
        assert found == pytest.approx(exact, abs=1e-12 * form.payoff_width)


@pytest.mark.parametrize("name", SMALL)
def test_expected_regrets_of_external_sampling_are_those_of_cfr(name):
    check_expected_regrets(small_form(name), with_random_policies(small_form(name), seed=1))


@pytest.mark.parametrize(("num_raises", "pure_fraction"), [(1, 0.6), (2, 0.8)])
def test_expected_regrets_of_external_sampling_in_leduc_poker(num_raises, pure_fraction):
    form = build_public_form(infoset.load(f"leduc_poker(num_raises={num_raises})"))
    check_expected_regrets(form, with_random_policies(form, 1, pure_fraction))


def test_expected_regrets_of_external_sampling_on_a_turn_with_merged_suits():
    rules = "nolimit_endgame(board=Ks9s8s4s,bets=[1],max_raises=1,ranges=['QQ';'JJ'])"
    form = build_public_form(infoset.load(rules))
    assert form.symmetry is not None
    check_expected_regrets(form, with_random_policies(form, 3, 1.0))


@pytest.mark.parametrize("all_opponents", [True, False])
@pytest.mark.parametrize("name", ["suited", "random 35"])
def test_averages_are_exact(name, all_opponents):
    form = small_form(name)
    play = start(form, all_opponents=all_opponents)
    totals = [np.zeros(len(own.position)) for own in form.layouts]
    for episode in range(40):
        player = episode % 2
        layout, plan = form.layouts[player], np.ones(len(totals[player]))
        realize_policy(layout.groups, layout.parent, play.state()[f"policy.{player}"], plan)
        totals[player] += plan
        play.run(1)
    average = TabularPolicy.from_weights(
        form, [own.to_sequences(total) for own, total in zip(form.layouts, totals, strict=True)]
    )
    for found, expected in zip(play.policy().probabilities, average.probabilities, strict=True):
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", SMALL)
def test_external_sampling_leaves_one_action_of_the_opponent(name):
    form, stream = small_form(name), make_stream(1)
    chance, ends = PublicChance(form), form.terminals
    for other in range(2):
        hands = PublicHands(form, other)
        hand = hands.draw(stream)
        taken = hands.draw_actions(hand, form.layouts[other].uniform_policy(), stream)
        drawn = chance.draw(stream, taken)
        for node in np.flatnonzero(drawn.nodes).tolist():
            followers = [
                *form.action[1:][drawn.nodes[1:] & (form.parent[1:] == node)].tolist(),
                *ends.action[drawn.terminals & (ends.node == node)].tolist(),
            ]
            actions = [-1] if form.player[node] < 0 else [*range(form.num_actions[node])]
            assert sorted(followers) == ([taken[node]] if form.player[node] == other else actions)


def test_hands_and_actions_are_drawn_with_their_probabilities():
    form, stream = small_form("random 35"), make_stream(2)
    hands, state = PublicHands(form, 0), with_random_policies(form, 1)
    drawn = np.bincount([hands.draw(stream) for _ in range(4000)], minlength=form.num_hands[0])
    assert drawn / 4000 == pytest.approx(hands.probability, abs=0.03)
    assert hands.probability == pytest.approx(form.prior.matrix().sum(axis=1))
    policy, nodes = state["policy.0"], form.decisions[0]
    taken = np.array([hands.draw_actions(2, policy, stream)[nodes] for _ in range(2000)])
    expected = hands.policy_at(2, policy)
    found = [
        (taken[:, place] == action).mean()
        for place, node in enumerate(nodes)
        for action in range(form.num_actions[node])
    ]
    assert found == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("name", SMALL)
def test_draws_leave_one_outcome_of_each_move(name):
    form = small_form(name)
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


@pytest.mark.parametrize("all_opponents", [True, False])
def test_runs_can_be_resumed_and_depend_on_the_seed(all_opponents):
    form = small_form("suited")
    whole, first, second, other = (
        start(form, seed, all_opponents=all_opponents) for seed in (4, 4, 4, 5)
    )
    whole.run(40)
    first.run(15)
    second.set_state(first.state())
    second.run(25)
    other.run(40)
    assert second.policy().digest == whole.policy().digest
    assert second.current_policy().digest == whole.current_policy().digest
    assert other.policy().digest != whole.policy().digest


@pytest.mark.parametrize("all_opponents", [True, False])
def test_a_constant_in_the_payoffs_changes_nothing(all_opponents):
    form = small_form("suited")
    ends = form.terminals
    shifted = replace(
        form,
        terminals=replace(ends, payoff=ends.payoff + 8),
        utility_limits=form.utility_limits + 8,
        constant_sum=form.constant_sum + 16,
    )
    policies = []
    for one in (form, shifted):
        play = start(one, all_opponents=all_opponents)
        play.run(50)
        policies.append(play.policy().probabilities)
    for one, other in zip(*policies, strict=True):
        assert one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "episodes", "fraction"), [("cs-mccfr", 1500, 1 / 4), ("es-mccfr", 2500, 1 / 2)]
)
def test_a_turn_is_learned(name, episodes, fraction):
    form = build_public_form(infoset.load(TURN))
    result = infoset.learn(form, name, episodes=episodes)
    uniform = evaluate_policy(uniform_policy(form))
    assert result.nash_conv[0] < fraction * uniform.nash_conv
    assert result.policies[0].form is form


def test_leduc_poker_is_learned():
    form = derive_public_form(cached_tree("leduc_poker"))
    few, many = (infoset.learn(form, episodes=episodes) for episodes in (500, 8000))
    assert many.method == "cs-mccfr"
    assert "need no tree" in many.reason
    assert many.exploitability[0] < few.exploitability[0] / 3
    assert many.exploitability[0] < 0.1


def test_leduc_poker_is_learned_by_external_sampling():
    form = derive_public_form(cached_tree("leduc_poker"))
    result = infoset.learn(form, "es-mccfr", episodes=5000)
    assert result.exploitability[0] < 0.4


@pytest.mark.parametrize("name", ON_PUBLIC_FORMS)
def test_learners_of_public_forms_are_chosen_by_name(name):
    form = small_form("suited")
    result = infoset.learn(form, name, episodes=20, seeds=[3])
    expected = start(form, 3, all_opponents=name != "es-mccfr")
    expected.run(20)
    assert result.method == ("cs-mccfr" if name == "auto" else name)
    assert result.policies[0].digest == expected.policy().digest


@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in ON_PUBLIC_FORMS])
def test_learners_that_need_a_tree_refuse_public_forms_by_name(name):
    with pytest.raises(
        UnsupportedGameError, match=f"^{re.escape(name)} .* choose cs-mccfr or es-mccfr"
    ):
        start_self_play(LEARNERS[name], small_form("suited"), horizon=10)


def test_an_episode_of_external_sampling_costs_less():
    form = build_public_form(infoset.load(TURN))
    costs = [start(form, all_opponents=every).cost_per_iteration for every in (True, False)]
    assert costs[1] < costs[0]


def test_other_forms_and_executors_are_refused():
    with pytest.raises(UnsupportedGameError, match="no public nodes and hands"):
        infoset.learn(cached_tree("kuhn_poker").sequence_form, "cs-mccfr")
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(ParameterError, match="leave the executor out"),
    ):
        infoset.learn(small_form("suited"), "cs-mccfr", executor=executor)
