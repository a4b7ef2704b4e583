"""Beliefs as distributions, and errors for infostates without a belief."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from infoset.beliefs import Belief, PublicPrivateBelief, private_belief, public_belief
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.game import Infostate, Observation, PublicState, Step, initial_history
from infoset.games import load_game
from infoset.policy import TabularPolicy, uniform_policy
from infoset.tree import build_tree
from tests.support.function_game import FunctionGame

KUHN = load_game("kuhn_poker")


@cache
def kuhn_tree():
    return build_tree(KUHN)


KING = Infostate(0, (Step(None, "K", None),))
AFTER_BET = Infostate(1, (Step(None, "J", None), Step(None, None, "bet")))


@pytest.fixture(params=["rules", "tree"])
def source(request):
    return KUHN if request.param == "rules" else kuhn_tree()


def always(action):
    """Return the policy that takes a given action wherever it is legal."""
    form = kuhn_tree().sequence_form
    weights = []
    for tree in form.infostate_trees:
        chosen = [np.array([1.0])]
        for number in tree.acting.tolist():
            legal = tree.legal_actions(number)
            chosen.append(np.array([float(move == action) for move in legal]))
        weights.append(np.concatenate(chosen))
    return TabularPolicy.from_weights(form, weights)


def test_a_belief_is_a_distribution_over_histories(source):
    belief = private_belief(source, KING)
    assert len(belief) == 2
    assert belief.is_exact
    assert {world.cards for world in belief.worlds} == {("K", "J"), ("K", "Q")}
    assert belief.infostates(0) == (KING, KING)
    assert sorted(map(str, belief.infostates(1))) == ["[J]", "[Q]"]
    assert sum(belief.infostate_probabilities(1).values()) == pytest.approx(1)
    assert belief.rewards_so_far.tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ValueError, match="read-only"):
        belief.probability[0] = 1


def test_a_noisy_signal_is_a_hidden_variable_of_the_world():
    """Footnote 6 of the FOSG paper: observations are functions of what chance has drawn."""
    draws = {("heads", "h"): 0.4, ("heads", "t"): 0.1, ("tails", "h"): 0.1, ("tails", "t"): 0.4}
    game = FunctionGame(
        transitions=lambda world, joint: list(draws.items()) if world == "start" else [],
        observe=lambda world, joint, drawn: Observation(private=(drawn[1],)),
    )
    belief = private_belief(game, Infostate(0, (Step(None, "h", None),)))
    found = dict(zip(belief.worlds, belief.probability.tolist(), strict=True))
    assert found == pytest.approx({("heads", "h"): 0.8, ("tails", "h"): 0.2})


def test_histories_of_rules_are_created_on_demand():
    belief = private_belief(KUHN, AFTER_BET)
    first, second = belief.histories
    assert belief.histories[0] is first
    assert belief.histories[-1] is second
    assert belief.histories[0:1] == [first]
    assert first.infostates[1] == AFTER_BET
    assert first.path()[1] == initial_history(KUHN).extend((None, None), first.path()[1].world)
    with pytest.raises(IndexError):
        belief.histories[2]


@pytest.mark.parametrize("public_weight", [0, 0.4, 1])
def test_infostates_are_numbered_from_the_own_one(source, public_weight):
    """Whatever the source, the numbers are those of the infostates of the histories, in order."""
    limited = PublicPrivateBelief(public_weight, max_worlds=3, num_samples=4)  # merges two samples
    rng = np.random.default_rng(2)
    for kind in (PublicPrivateBelief(public_weight), limited):
        belief = kind.at(source, AFTER_BET, rng=rng)
        numbers = belief.infostate_numbers(AFTER_BET)
        for player in range(2):
            known = {AFTER_BET: 0} if player == 1 else {}
            column = [known.setdefault(one, len(known)) for one in belief.infostates(player)]
            assert numbers[:, player].tolist() == column


def test_rewards_so_far_are_those_of_the_histories():
    game = load_game("random_game(seed=4,max_histories=60)")
    tree = build_tree(game)
    for number in range(0, tree.infostate_trees[0].num_infostates, 7):
        known = tree.infostate_trees[0].infostate_at(number)
        belief = private_belief(game, known)
        assert belief.rewards_so_far.tolist() == [
            list(map(float, history.rewards_so_far)) for history in belief.histories
        ]


def test_draws_follow_the_probabilities():
    belief = PublicPrivateBelief(0.4).at(KUHN, KING)
    drawn = belief.sample(np.random.default_rng(0), 50_000)
    frequency = np.bincount(drawn, minlength=len(belief)) / 50_000
    assert frequency == pytest.approx(belief.probability, abs=0.01)
    assert len(belief.sample(np.random.default_rng(0), 0)) == 0
    with pytest.raises(ParameterError, match="size=-1"):
        belief.sample(np.random.default_rng(0), -1)


def test_a_public_state_of_a_tree_has_a_number():
    seen = AFTER_BET.public_state
    number = int(kuhn_tree().public_state[private_belief(kuhn_tree(), AFTER_BET).histories[0]])
    by_number = public_belief(kuhn_tree(), number)
    assert by_number.histories.tolist() == public_belief(kuhn_tree(), seen).histories.tolist()
    with pytest.raises(ParameterError, match=r"public states 0 to .*, not 99"):
        public_belief(kuhn_tree(), 99)
    with pytest.raises(ParameterError, match="for a tree its index"):
        public_belief(KUHN, number)


def test_the_first_impossible_step_is_named(source):
    wrong = Infostate(0, (*KING.steps, Step("raise", None, "raise")))
    with pytest.raises(
        UnknownNameError,
        match=r"agrees with step 2 of \[K\] / raise: after '\[K\]' player 0 could observe "
        r"\['pass', 'bet'\]",
    ):
        private_belief(source, wrong)
    with pytest.raises(UnknownNameError, match=r"step 1 of \[A\].*could observe \['\[J\]', "):
        private_belief(source, Infostate(0, (Step(None, "A", None), Step("bet", None, "bet"))))


def test_no_observation_follows_a_terminal_history():
    end = next(
        stop
        for stop in kuhn_tree().terminals.tolist()
        if kuhn_tree()
        .infostate_trees[0]
        .label(int(kuhn_tree().infostate[stop, 0]))
        .startswith("[K] / bet")
    )
    known = kuhn_tree().infostate_trees[0].infostate_at(int(kuhn_tree().infostate[end, 0]))
    with pytest.raises(UnknownNameError, match="the game is over"):
        private_belief(KUHN, known.extend(Step(None, None, None)))


def test_impossible_public_states_are_refused(source):
    with pytest.raises(UnknownNameError, match=r"public .*\['pass', 'bet'\]"):
        public_belief(source, PublicState((None, "raise")))


def test_observations_of_probability_zero_are_refused(source):
    passive = always("pass")
    with pytest.raises(UnsupportedGameError, match=r"player 1's observations .* probability zero"):
        private_belief(source, AFTER_BET, policies=passive, model_noise=0)
    with pytest.raises(UnsupportedGameError, match=r"the public observations .* probability zero"):
        public_belief(source, AFTER_BET.public_state, policies=[passive, None], model_noise=0)
    with pytest.raises(UnsupportedGameError, match="probability zero"):
        PublicPrivateBelief(0.5, policies=passive, model_noise=0).at(source, AFTER_BET)


def test_the_own_policy_does_not_matter(source):
    own = Infostate(0, (*KING.steps, Step("bet", None, "bet")))
    belief = private_belief(source, own, policies=[always("pass"), uniform_policy()])
    assert belief.probability.tolist() == [0.5, 0.5]


def test_one_policy_is_that_of_all_players(source):
    table = uniform_policy(kuhn_tree().sequence_form)
    beliefs = [
        public_belief(source, AFTER_BET.public_state, policies=policies)
        for policies in (table, uniform_policy(), [table, uniform_policy()], (None, None))
    ]
    for belief in beliefs:
        assert belief.probability == pytest.approx(beliefs[0].probability)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("kuhn_poker", KING), "source='kuhn_poker' is of type str; give a game, such as"),
        ((KUHN, "[K]"), r"infostate='\[K\]' is of type str; give an Infostate"),
        ((KUHN, Infostate(2)), "there is no player 2; kuhn_poker has players 0 to 1"),
    ],
)
def test_something_else_is_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        private_belief(*given)
    with pytest.raises(ParameterError, match=message):
        PublicPrivateBelief(0.5).at(*given)


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        ([None], "got 1 policies for 2 players"),
        ([None, "lp"], "policies contain a str, which is not a function and has no method"),
        (3, "policies=3 is of type int; give one policy per player"),
    ],
)
def test_what_is_no_policy_is_refused(policies, message):
    for source in (KUHN, kuhn_tree()):
        with pytest.raises(ParameterError, match=message):
            private_belief(source, KING, policies=policies)


def test_probabilities_are_those_of_a_distribution():
    histories = private_belief(KUHN, KING).histories
    with pytest.raises(ParameterError, match=r"of shape \(1,\) for 2 histories"):
        Belief(histories, [1.0], KUHN, "enumeration")
    with pytest.raises(ParameterError, match="positive and sum to 1"):
        Belief(histories, [1.0, 0.0], KUHN, "enumeration")
    with pytest.raises(ParameterError, match=r"sum 0\.75"):
        Belief(histories, [0.5, 0.25], KUHN, "enumeration")
    with pytest.raises(ParameterError, match="give the GameTree as the source"):
        Belief(np.array([1, 2]), [0.5, 0.5], KUHN, "tree").worlds  # noqa: B018


class Unhashable(type(KUHN)):
    __hash__ = None


def test_a_game_that_cannot_be_hashed_is_believed_in_too():
    assert len(private_belief(Unhashable(), KING)) == 2
