"""True state sampling ratios: the paper's numbers, Bayes' rule by hand, and invariants."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.evaluation import (
    hand_sampling_ratios,
    mean_true_state_sampling_ratio,
    true_state_sampling_ratio,
)
from infoset.policy import TabularPolicy, tabulate, uniform_policy
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.determinized_dice import DeterminizedDice, SampledDice

SPECS = ["kuhn_poker", "leduc_poker", "kuhn_poker(players=3)", "liars_dice(numdice=2,dice_sides=2)"]


def some_policy(spec, seed=3):
    return cached_random_policies(spec, seed=seed)[0]


# The numbers of two six-sided dice, by arrays


def first_bids(player):
    """Return [B, K] the first bid of each hand in the limit of many worlds."""
    return np.array([player.answer(player.worlds(k), -1) for k in range(len(player.hands))]).T


@pytest.mark.parametrize(
    ("share", "by_uniform", "by_prior"),
    [
        (0.0, 9.379084967320262, 8.899159663865547),
        (0.3, 9.085858585858587, 9.0),
        (0.5, 8.816239316239317, 9.0),
        (0.8, 2.1494252873563213, 2.0),
        (1.0, 1.0694444444444444, 1.0),
    ],
)
def test_first_bids_in_the_limit_of_many_worlds(share, by_uniform, by_prior):
    player = DeterminizedDice(2, 6, share)
    reach = first_bids(player)
    assert mean_true_state_sampling_ratio(reach, player.prior) == pytest.approx(by_uniform)
    against_prior = mean_true_state_sampling_ratio(reach, player.prior, baseline="prior")
    assert against_prior == pytest.approx(by_prior)


@pytest.mark.parametrize(
    ("share", "by_uniform", "by_prior"),
    [
        (0.0, 9.33, 8.80),
        (0.3, 8.85, 8.42),
        (0.5, 7.49, 7.62),
        (0.8, 2.01, 2.18),
        (0.9, 1.15, 1.10),
        (1.0, 1.07, 1.00),
    ],
)
def test_first_bids_in_a_thousand_worlds_come_to_the_numbers_known(share, by_uniform, by_prior):
    """These are averages over 400 searches; the published ones are over 200 to 400."""
    player, rng = SampledDice(2, 6, share, 1000), np.random.default_rng(1)
    reach = np.zeros((len(player.bids), len(player.hands)))
    for hand in range(len(player.hands)):
        chances = player.scores(player.worlds(hand), -1)
        wins = rng.multinomial(1000, chances, size=400)
        best = wins == wins.max(axis=1, keepdims=True)
        reach[:, hand] = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    assert mean_true_state_sampling_ratio(reach, player.prior) == pytest.approx(
        by_uniform, abs=0.15
    )
    against_prior = mean_true_state_sampling_ratio(reach, player.prior, baseline="prior")
    assert against_prior == pytest.approx(by_prior, abs=0.15)


@pytest.mark.parametrize("baseline", ["uniform", "prior"])
@pytest.mark.parametrize("spec", ["liars_dice", "liars_dice(numdice=2,dice_sides=2)"])
def test_arrays_and_trees_agree(spec, baseline):
    tree, policy = cached_tree(spec), some_policy(spec)
    game = tree.game
    dice = DeterminizedDice(game.numdice, game.dice_sides)
    states = tree.infostate_trees[0]
    reach = np.zeros((len(dice.bids), len(dice.hands)))
    for number in states.acting.tolist():
        infostate = states.infostate_at(number)
        if len(infostate.steps) == 1:
            legal_actions = states.legal_actions(number)
            hand, _ = dice.seen(infostate)
            reach[:, hand] = policy.action_probabilities(infostate, legal_actions)
    ratios = true_state_sampling_ratio(tree, policy, 0, baseline=baseline)
    mean = mean_true_state_sampling_ratio(reach, dice.prior, baseline=baseline)
    assert ratios.after_action(1) == pytest.approx(mean, rel=1e-12)


def test_the_pairs_of_what_two_players_know_may_be_more_than_numbers_of_32_bits():
    tree = cached_tree("liars_dice")
    assert np.prod([int(numbers.max()) for numbers in tree.infostate.T]) > 2**31
    ratios = true_state_sampling_ratio(tree, uniform_policy(tree.sequence_form), 0, observer=1)
    np.testing.assert_allclose(ratios.ratio, 1, atol=1e-9)


def test_dice_leak_less_with_a_public_belief():
    spec = "liars_dice(dice_sides=3)"
    tree = cached_tree(spec)
    means = []
    for share in (0.0, 0.75, 1.0):
        player = DeterminizedDice(1, 3, share)
        policy = tabulate(tree.sequence_form, [player, player])
        means.append(true_state_sampling_ratio(tree, policy, 0, baseline="prior").mean)
    assert means == sorted(means, reverse=True)
    assert means[0] > 1.5
    assert means[-1] == pytest.approx(1)


def test_weights_are_of_what_others_do():
    """Kuhn poker: the second player's ratios after a pass and a bet, weighted by probability."""
    spec = "kuhn_poker"
    tree, policy = cached_tree(spec), some_policy(spec)
    states, first = tree.infostate_trees[1], policy.probabilities[1]
    labels = dict(zip(states.acting_labels, states.acting.tolist(), strict=True))
    first_acts = [policy[f"[{card}]", 0] for card in "JQK"]
    reach, weights = [], []
    for act in ("pass", "bet"):
        start = [states.first_sequence[labels[f"[{card}] / {act}"]] for card in "JQK"]
        reach.append(np.stack([first[start], first[np.array(start) + 1]]))
        # For an observer, the first player's card is one of the two that the second does not have.
        weights.append(
            [np.mean([first_acts[k][act] for k in range(3) if k != card]) for card in range(3)]
        )
    weighted = np.array(reach) * np.array(weights)[:, None, :]
    dealt = np.full(3, 1 / 3)
    expected = true_state_sampling_ratio(tree, policy, 1)
    states_after = {
        tree.public_tree.label(state): mean for state, mean in enumerate(expected.by_public_state())
    }
    passes_bets = weighted[0, 1]  # after a pass and a bet the game continues
    ratio = mean_true_state_sampling_ratio(passes_bets, dealt)
    assert states_after[". / pass / bet"] == pytest.approx(ratio)
    both = mean_true_state_sampling_ratio(weighted[:, 1], dealt)
    shares = (weighted[:, 1] * dealt).sum(axis=1)
    single = [mean_true_state_sampling_ratio(row, dealt) for row in weighted[:, 1]]
    assert both == pytest.approx(np.average(single, weights=shares))
    by_weights = mean_true_state_sampling_ratio(np.array(reach)[:, 1], dealt, weights=[0.25, 0.75])
    parts = np.array(reach)[:, 1] * dealt
    single = [mean_true_state_sampling_ratio(row, dealt) for row in np.array(reach)[:, 1]]
    shares = parts.sum(axis=1) * [0.25, 0.75]
    assert by_weights == pytest.approx(np.average(single, weights=shares))


def test_ratios_of_hands_by_hand():
    reach = np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.0]])
    prior = np.array([0.25, 0.5, 0.25])
    by_uniform = hand_sampling_ratios(reach, prior)
    assert by_uniform[:2] == pytest.approx(np.array([[1.5, 1.5, 0], [0, 1.5, 1.5]]))
    assert np.isnan(by_uniform[2]).all()
    by_prior = hand_sampling_ratios(reach, prior, baseline="prior")
    assert by_prior[:2] == pytest.approx(np.array([[2, 1, 0], [0, 1, 2]]))
    never = hand_sampling_ratios(np.ones(3), np.array([0.5, 0.5, 0.0]))
    assert never[:2] == pytest.approx(1)
    assert np.isnan(never[2])


# Bayes by hand


def ratios_by_hand(tree, policy, player, observer, baseline):
    """Return the ratio at every history, with dictionaries and products along paths."""
    form = policy.form
    chance, reach = np.ones(tree.num_histories), np.ones((tree.num_histories, tree.num_players))
    for history in range(1, tree.num_histories):
        parent, edge = tree.parent[history], tree.edge[history]
        chance[history] = chance[parent] * tree.graph.probability[edge]
        reach[history] = reach[parent]
        for who, taken in enumerate(tree.graph.joint_action[edge].tolist()):
            if taken >= 0:
                first = form.infostate_trees[who].first_sequence[tree.infostate[parent, who]]
                reach[history, who] *= policy.probabilities[who][first + taken]
    weight, prior = defaultdict(float), defaultdict(float)
    consistent = defaultdict(set)
    seen = tree.public_state if observer is None else tree.infostate[:, observer]
    for history, (known, own) in enumerate(
        zip(seen.tolist(), tree.infostate[:, player].tolist(), strict=True)
    ):
        others = [w for w in range(tree.num_players) if w not in (player, observer)]
        ways = chance[history] * np.prod(reach[history, others])
        prior[known, own] += ways
        weight[known, own] += ways * reach[history, player]
        consistent[known].add(own)
    found = []
    for known, own in zip(seen.tolist(), tree.infostate[:, player].tolist(), strict=True):
        total = sum(weight[known, other] for other in consistent[known])
        guess = 1 / len(consistent[known])
        if baseline == "prior":
            guess = prior[known, own] / sum(prior[known, other] for other in consistent[known])
        found.append(weight[known, own] / total / guess)
    return np.array(found)


@pytest.mark.parametrize("baseline", ["uniform", "prior"])
@pytest.mark.parametrize(
    ("spec", "player", "observer"),
    [
        ("kuhn_poker", 0, None),
        ("kuhn_poker", 1, 0),
        pytest.param("leduc_poker", 0, 1, marks=pytest.mark.long),
        ("leduc_poker", 1, None),
        ("kuhn_poker(players=3)", 1, None),
        ("kuhn_poker(players=3)", 2, 0),
        ("liars_dice(numdice=2,dice_sides=2)", 0, 1),
    ],
)
def test_every_history_by_hand(spec, player, observer, baseline):
    tree, policy = cached_tree(spec), some_policy(spec)
    ratios = true_state_sampling_ratio(tree, policy, player, observer=observer, baseline=baseline)
    by_hand = ratios_by_hand(tree, policy, player, observer, baseline)
    assert ratios.ratio == pytest.approx(by_hand, rel=1e-9)


# Invariants


@pytest.mark.parametrize("observer", [None, 1])
@pytest.mark.parametrize("spec", SPECS)
def test_a_policy_that_does_not_look_at_its_cards_gives_nothing_away(spec, observer):
    tree = cached_tree(spec)
    uniform = uniform_policy(tree.sequence_form)
    ratios = true_state_sampling_ratio(tree, uniform, 0, observer=observer, baseline="prior")
    assert ratios.ratio == pytest.approx(1)
    assert ratios.mean == pytest.approx(1)
    assert ratios.by_public_state() == pytest.approx(1)


@pytest.mark.parametrize("spec", SPECS)
def test_a_policy_that_does_gives_something_away_on_average(spec):
    ratios = true_state_sampling_ratio(cached_tree(spec), some_policy(spec), 0, baseline="prior")
    assert ratios.mean > 1.01  # E[belief / guess] is 1 + χ²
    assert ratios.ratio.min() < 1 < ratios.ratio.max()


@pytest.mark.parametrize("observer", [None, 1])
@pytest.mark.parametrize("spec", SPECS)
def test_beliefs_sum_to_one_so_that_ratios_are_at_most_the_number_of_candidates(spec, observer):
    tree = cached_tree(spec)
    ratios = true_state_sampling_ratio(tree, some_policy(spec), 0, observer=observer)
    seen = tree.public_state if observer is None else tree.infostate[:, observer]
    for known in np.unique(seen)[::7]:
        here = seen == known
        candidates, first = np.unique(tree.infostate[here, 0], return_index=True)
        assert ratios.ratio[here][first].mean() == pytest.approx(1)
        assert ratios.ratio[here].max() <= len(candidates) + 1e-9


def test_means_are_of_the_moments_they_say():
    """Kuhn poker by hand: player 0 bets with the king alone, and calls with the queen."""
    tree = cached_tree("kuhn_poker")
    form = tree.sequence_form
    values = [array.copy() for array in uniform_policy(form).probabilities]
    labels = form.infostate_trees[0].acting_labels
    for card, bets, calls in [("J", 0, 0), ("Q", 0, 1), ("K", 1, 1)]:
        for label, share in [(f"[{card}]", bets), (f"[{card}] / pass / bet", calls)]:
            first = form.treeplexes[0].first_sequence[labels.index(label)]
            values[0][first : first + 2] = 1 - share, share
    policy = TabularPolicy(form, tuple(values))
    ratios = true_state_sampling_ratio(tree, policy, 0)
    # After a bet the king is certain: ratio 3. After a pass jack and queen are equally likely: 3 /
    # 2.
    assert ratios.after_action(1) == pytest.approx(1 / 3 * 3 + 2 / 3 * 1.5)
    assert np.isnan(ratios.after_action(2))  # calling or not ends the game
    assert ratios.mean == pytest.approx(2.0)
    means = ratios.by_public_state()
    by_state = {tree.public_tree.label(state): mean for state, mean in enumerate(means)}
    assert by_state[". / bet"] == pytest.approx(3)
    assert by_state[". / pass"] == by_state[". / pass / bet"] == pytest.approx(1.5)
    opponent = true_state_sampling_ratio(tree, policy, 0, observer=1)
    # A pass has no information for the player with the king; for the others it rules out the king.
    assert opponent.after_action(1) == pytest.approx((2 * 2 + 2 * 2 + 2 * 1) / 6)


def test_an_observer_that_never_goes_there_would_think_the_same():
    tree, policy = cached_tree("leduc_poker"), some_policy("leduc_poker")
    plex = tree.sequence_form.treeplexes[1]
    folding = np.zeros(plex.num_sequences)
    folding[0], folding[plex.first_sequence] = 1, 1
    stiff = TabularPolicy(tree.sequence_form, (policy.probabilities[0].copy(), folding))
    ratios = [
        true_state_sampling_ratio(tree, given, 0, observer=1).ratio for given in (policy, stiff)
    ]
    assert ratios[1] == pytest.approx(ratios[0], rel=1e-12)


def test_histories_that_the_policy_never_leads_to_have_no_ratio():
    tree = cached_tree("kuhn_poker")
    form = tree.sequence_form
    values = [array.copy() for array in uniform_policy(form).probabilities]
    for first in form.treeplexes[0].first_sequence:
        values[0][first : first + 2] = 1, 0
    ratios = true_state_sampling_ratio(tree, TabularPolicy(form, tuple(values)), 0)
    assert (np.isnan(ratios.ratio) == (ratios.reach == 0)).sum() > 0
    assert np.isnan(ratios.ratio[ratios.reach == 0]).any()
    assert not np.isnan(ratios.ratio[ratios.reach > 0]).any()
    assert ratios.mean == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (dict(player=2), ParameterError, "no player 2"),
        (dict(player=0, observer=0), ParameterError, "cannot observe itself"),
        (dict(player=0, baseline="all"), UnknownNameError, "known: prior, uniform"),
    ],
)
def test_bad_arguments(arguments, error, message):
    tree = cached_tree("kuhn_poker")
    with pytest.raises(error, match=message):
        true_state_sampling_ratio(tree, uniform_policy(tree.sequence_form), **arguments)


def test_other_bad_arguments():
    tree = cached_tree("kuhn_poker")
    uniform = uniform_policy(tree.sequence_form)
    with pytest.raises(PolicyMismatchError, match="is for leduc_poker, not for kuhn_poker"):
        true_state_sampling_ratio(tree, some_policy("leduc_poker"), 0)
    with pytest.raises(ParameterError, match="a GameTree"):
        true_state_sampling_ratio(tree.game, uniform, 0)
    with pytest.raises(ParameterError, match="number=0 must be a whole number, at least 1"):
        true_state_sampling_ratio(tree, uniform, 0).after_action(0)


@pytest.mark.parametrize(
    ("reach", "prior", "message"),
    [
        (np.ones((3, 2)), np.ones(3) / 3, r"shape \(3, 2\) and `prior` has shape \(3,\)"),
        (np.ones((2, 3)), np.ones(3), "prior sums to 3.0"),
        (np.full((2, 3), -0.1), np.ones(3) / 3, r"outside \[0, 1\]"),
        (np.zeros((2, 3)), np.ones(3) / 3, "probability zero"),
    ],
)
def test_bad_arrays(reach, prior, message):
    with pytest.raises(ParameterError, match=message):
        mean_true_state_sampling_ratio(reach, prior)


@pytest.mark.parametrize("weights", [np.ones(3), np.array([1.0, -1.0]), np.zeros(2)])
def test_bad_weights(weights):
    with pytest.raises(ParameterError, match=r"shape \(2,\)|probability zero"):
        mean_true_state_sampling_ratio(np.ones((2, 3)), np.ones(3) / 3, weights=weights)


def test_a_prior_whose_inverse_overflows():
    """Only the king bets, or almost: an opponent with the king is very improbable after a bet."""
    tree = cached_tree("kuhn_poker")
    weights = [own.copy() for own in uniform_policy(tree.sequence_form).probabilities]
    weights[0][1:7] = [1, 1e-320, 1, 1e-320, 0, 1]
    policy = TabularPolicy.from_weights(tree.sequence_form, weights)
    found = true_state_sampling_ratio(tree, policy, 1, baseline="prior")
    acts = np.isin(np.arange(len(tree.parent)), tree.parent[tree.infostate[:, 1] > 0])
    ratios = found.ratio[acts & (tree.infostate_trees[1].num_actions[tree.infostate[:, 1]] > 0)]
    assert len(ratios) == 12
    assert ratios == pytest.approx(1, rel=1e-2)
