"""Assumed policies that err: beliefs after actions to which they give probability zero."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from infoset.beliefs import MODEL_NOISE, PublicPrivateBelief, private_belief, public_belief
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.game import Infostate, Observation, PublicState, Step, initial_history
from infoset.game.infostate import infostate_generator
from infoset.games import load_game
from infoset.matches import play_matches
from infoset.policy import TabularPolicy, random_policy, tabulate, uniform_policy
from infoset.search import ISMCTS, PIMC, RulesModel, search_model
from infoset.tree import build_tree
from tests.beliefs.test_history_sources import probability_of_cells
from tests.beliefs.test_posterior_beliefs import check_same
from tests.support.cached_games import cached_tree
from tests.support.function_game import FunctionGame

GAMES = (
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(dice_sides=3)",
    "goofspiel(num_cards=3,imp_info=True,points_order=descending)",
)


def first_action(infostate, legal_actions):
    """Play the first action; the model of the opponents in most tests."""
    return np.eye(len(legal_actions))[0]


def sparse(infostate, legal_actions):
    """Play some of the actions with positive probability."""
    rng = infostate_generator(3, infostate)
    weights = rng.random(len(legal_actions)) * (rng.random(len(legal_actions)) < 0.4)
    return weights / weights.sum() if weights.any() else first_action(infostate, legal_actions)


@pytest.mark.parametrize("where", ["tree", "rules", "samples"])
def test_a_policy_is_asked_once_at_each_infostate(where):
    """A policy may be a search, and the histories of a belief share infostates and their paths."""
    tree, asked = cached_tree("leduc_poker"), []

    def counting(infostate, legal_actions):
        asked.append(infostate)
        return np.full(len(legal_actions), 1 / len(legal_actions))

    infostates = tree.infostate_trees[0]
    deep = max(infostates.acting.tolist(), key=lambda n: len(infostates.infostate_at(n).steps))
    limits = {"max_worlds": 12, "num_samples": 8} if where == "samples" else {}
    belief = PublicPrivateBelief(0.5, policies=counting, **limits)
    source = tree if where == "tree" else tree.game
    belief.at(source, infostates.infostate_at(deep), rng=np.random.default_rng(0))
    assert len(asked) > 2
    # Two samples have separate batches, and share the beginning that could be listed.
    assert len(asked) <= len({*asked}) * (2 if where == "samples" else 1)


def surprising(tree, policy, player, number):
    """Return some infostates of a player that the policies of the others exclude."""
    infostates, found = tree.infostate_trees[player], []
    for index in np.random.default_rng(0).permutation(infostates.num_infostates).tolist():
        known = infostates.infostate_at(index)
        try:
            private_belief(tree, known, policies=policy, model_noise=0)
        except UnsupportedGameError:
            found.append(known)
        if len(found) == number:
            break
    assert found
    return found


def consistent_assessment(game, known, function):
    """Return the belief on the histories with the fewest excluded actions of the other players.

    This is the limit of the posterior if the policies tremble uniformly, from one action of the
    histories after another.
    """
    prior, weights = private_belief(game, known), {}
    for history, weight in zip(prior.histories, prior.probability.tolist(), strict=True):
        errors, path = 0, history.path()
        for before, after in pairwise(path):
            for player in set(before.actors) - {known.player}:
                legal = before.legal_actions(player)
                taken = legal.index(after.infostates[player].steps[-1].action)
                chance = function(before.infostates[player], legal)[taken]
                errors += chance == 0
                weight *= chance or 1 / len(legal)
        weights[history] = (errors, weight)
    fewest = min(errors for errors, _ in weights.values())
    kept = {history: weight for history, (errors, weight) in weights.items() if errors == fewest}
    return {history: weight / sum(kept.values()) for history, weight in kept.items()}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("function", [first_action, sparse])
def test_as_the_noise_vanishes_the_belief_tends_to_the_consistent_assessment(name, function):
    tree = cached_tree(name)
    for known in surprising(tree, function, 1, number=4):
        limit = consistent_assessment(tree.game, known, function)
        errors = []
        for noise in (1e-2, 1e-4, 1e-6):
            belief = private_belief(tree.game, known, policies=function, model_noise=noise)
            assert belief.model_noise == noise
            found = dict(zip(belief.histories, belief.probability.tolist(), strict=True))
            assert set(found) >= set(limit)
            errors.append(max(abs(p - limit.get(history, 0)) for history, p in found.items()))
        assert errors[2] < 1e-4
        # The error is of the order of the noise.
        assert errors[2] <= 0.02 * errors[1] + 1e-9
        assert errors[1] <= 0.02 * errors[0] + 1e-9


@pytest.mark.parametrize("name", GAMES)
def test_where_the_model_is_positive_no_bit_changes(name):
    tree = cached_tree(name)
    policy = random_policy(tree.sequence_form, np.random.default_rng(0))
    for source in (tree, tree.game):
        size = tree.infostate_trees[0].num_infostates
        for number in range(1, size, 1 + size // 20):
            known = tree.infostate_trees[0].infostate_at(number)
            beliefs = [
                private_belief(source, known, policies=policy, model_noise=noise)
                for noise in (0, MODEL_NOISE, 1)
            ]
            assert [belief.model_noise for belief in beliefs] == [0, 0, 0]
            assert len({belief.probability.tobytes() for belief in beliefs}) == 1


@pytest.mark.parametrize("name", GAMES)
def test_rules_and_tree_agree_after_errors_of_the_model(name):
    tree = cached_tree(name)
    for known in surprising(tree, first_action, 0, number=6):
        settings = {"policies": first_action, "model_noise": 0.03}
        pairs = [
            [private_belief(source, known, **settings) for source in (tree.game, tree)],
            [public_belief(source, known.public_state, **settings) for source in (tree.game, tree)],
            [
                PublicPrivateBelief(0.3, **settings).at(source, known)
                for source in (tree.game, tree)
            ],
        ]
        for by_rules, on_tree in pairs:
            check_same(by_rules, on_tree)
            assert by_rules.model_noise == on_tree.model_noise
        assert pairs[0][0].model_noise == pairs[2][0].model_noise == 0.03


@pytest.mark.parametrize("is_tree", [False, True])
def test_noise_is_a_mixture_with_uniform_play_at_every_infostate(is_tree):
    tree = cached_tree("leduc_poker")
    source = tree if is_tree else tree.game
    table = tabulate(tree.sequence_form, [FunctionalPolicy(first_action)] * 2)
    uniform = uniform_policy(tree.sequence_form)
    mixed = TabularPolicy(
        tree.sequence_form,
        tuple(
            0.9 * own + 0.1 * even
            for own, even in zip(table.probabilities, uniform.probabilities, strict=True)
        ),
    )
    for number in range(1, tree.infostate_trees[1].num_infostates, 31):
        known = tree.infostate_trees[1].infostate_at(number)
        noisy = private_belief(
            source, known, policies=first_action, model_noise=0.1, always_noisy=True
        )
        plain = private_belief(source, known, policies=mixed)
        assert (noisy.model_noise, plain.model_noise) == (0.1, 0)
        assert noisy.probability == pytest.approx(plain.probability, rel=1e-12)


class FunctionalPolicy:
    """The policy of a function."""

    def __init__(self, function):
        self.action_probabilities = function


def test_functions_and_searchers_are_models():
    tree = cached_tree("kuhn_poker")
    searcher = PIMC(search_model(tree), num_worlds=None)
    table = tabulate(tree.sequence_form, [searcher] * 2)
    known = surprising(tree, first_action, 0, number=1)[0]
    for source in (tree, tree.game):
        found = [
            private_belief(source, known, policies=model, always_noisy=True).probability.tobytes()
            for model in (table, searcher, searcher.action_probabilities, [None, table])
        ]
        assert len(set(found)) == 1
        one, other = (
            private_belief(source, known, policies=models).probability.tobytes()
            for models in ([None, first_action], FunctionalPolicy(first_action))
        )
        assert one == other


def test_the_private_part_of_a_mixture_is_exact_if_only_the_own_model_errs():
    tree = cached_tree("kuhn_poker")
    known = Infostate(
        0, (Step(None, "Q", None), Step("pass", None, "pass"), Step(None, None, "bet"))
    )
    always_bet = FunctionalPolicy(lambda infostate, legal: np.eye(2)[1])
    for source in (tree, tree.game):
        private = private_belief(source, known, policies=always_bet)
        assert private.model_noise == 0
        mixed = PublicPrivateBelief(0.5, policies=always_bet).at(source, known)
        assert mixed.model_noise == MODEL_NOISE
        own = mixed.infostate_probabilities(0)[known]
        assert own == pytest.approx(0.5 + 0.5 / 3)


def secret_typist(length):
    """Player 1 knows a secret, and makes moves that player 0 sees."""
    return FunctionGame(
        2,
        initial_world=lambda: "start",
        actors=lambda world: (
            ()
            if world == "start"
            else (1,)
            if world[1] < length
            else (0,)
            if world[1] == length
            else ()
        ),
        legal_actions=lambda world, player: ("a", "b"),
        transitions=lambda world, joint: (
            [(("X", 0), 0.5), (("Y", 0), 0.5)]
            if world == "start"
            else [((world[0], world[1] + 1), 1)]
            if world[1] <= length
            else []
        ),
        observe=lambda world, joint, after: (
            Observation(private={1: after[0]}) if world == "start" else Observation(joint[1])
        ),
    )


@pytest.mark.parametrize("is_tree", [False, True])
def test_hundreds_of_errors_do_not_underflow(is_tree):
    """The model excludes every `b` of either secret, but one `b` of Y."""

    def model(infostate, legal_actions):
        is_likely = infostate.steps[0].private == "Y" and len(infostate.steps) == 5
        return np.array([0.5, 0.5]) if is_likely else np.array([1.0, 0.0])

    length = 400
    game = secret_typist(length)
    known = Infostate(0, (Step(None, None, None), *[Step(None, None, "b")] * length))
    source = game
    if is_tree:  # the whole tree would have 2 ** 400 histories
        length = 8
        source = build_tree(secret_typist(length))
        known = Infostate(0, known.steps[: 1 + length])
    belief = private_belief(source, known, policies=model, model_noise=1e-4)
    assert belief.model_noise == 1e-4
    posterior = {world[0]: p for world, p in zip(belief.worlds, belief.probability, strict=True)}
    assert posterior["X"] / posterior["Y"] == pytest.approx(0.5e-4 / 0.5)


def test_sampled_beliefs_survive_errors_and_are_right_on_average():
    game = load_game("liars_dice(numdice=2)")
    known = Infostate(1, (Step(None, (1, 2), None), Step(None, None, "2-5")))
    settings = {"policies": sparse, "model_noise": 0.2, "always_noisy": True}
    wanted = probability_of_cells(private_belief(game, known, **settings))
    total = dict.fromkeys(wanted, 0.0)
    num_seeds = 100
    for seed in range(num_seeds):
        rng = np.random.default_rng(seed)
        drawn = private_belief(game, known, **settings, rng=rng, max_worlds=10, num_samples=15)
        assert (drawn.method, drawn.model_noise) == ("samples", 0.2)
        for world, probability in probability_of_cells(drawn).items():
            total[world] += probability / num_seeds
    assert total == pytest.approx(wanted, abs=0.03)


def test_samples_are_drawn_again_with_noise_where_the_model_excludes_all_of_them():
    game = load_game("liars_dice(numdice=2)")
    bids = [Step("1-1", None, "1-1"), Step(None, None, "2-5"), Step("2-6", None, "2-6")]
    known = Infostate(0, (Step(None, (1, 2), None), *bids, Step(None, None, "3-1")))
    settings = {"max_worlds": 10, "num_samples": 15}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        drawn = private_belief(game, known, policies=first_action, rng=rng, **settings)
        assert (drawn.method, drawn.model_noise) == ("samples", MODEL_NOISE)
        with pytest.raises(UnsupportedGameError, match="have probability zero"):
            private_belief(game, known, policies=first_action, rng=rng, model_noise=0, **settings)


def always_last(infostate, legal_actions):
    return np.eye(len(legal_actions))[-1]


class PlaysFirst:
    """The opponent that plays what `always_last` excludes."""

    def action_probabilities(self, infostate, legal_actions):
        return np.eye(len(legal_actions))[0]


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("leduc_poker", lambda game, belief: PIMC(search_model(game), belief=belief)),
        ("leduc_poker", lambda game, belief: PIMC(RulesModel(game), belief=belief, num_worlds=2)),
        (
            "liars_dice(numdice=2)",
            lambda game, belief: ISMCTS(search_model(game), belief=belief, num_simulations=50),
        ),
        (
            "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
            lambda game, belief: ISMCTS(RulesModel(game), belief=belief, num_simulations=3),
        ),
    ],
)
def test_a_match_against_an_opponent_who_never_plays_the_model_runs_to_the_end(name, make):
    game = load_game(name)
    belief = PublicPrivateBelief(
        0.2, policies=always_last, model_noise=0.05, max_worlds=300, num_samples=100
    )
    searcher = make(game, belief)
    result = play_matches(game, searcher, PlaysFirst(), num_deals=2)
    assert np.isfinite(result.mean)
    assert searcher.num_noisy_searches > 0
    assert searcher.last_search.model_noise == 0.05
    assert searcher.notes()[-1].endswith("searches mixed the assumed policies with uniform play")
    strict = make(game, PublicPrivateBelief(0.2, policies=always_last, model_noise=0))
    with pytest.raises(UnsupportedGameError, match="give a positive model_noise"):
        play_matches(game, strict, PlaysFirst(), num_deals=2)


def test_settings_of_a_searcher_name_the_noise():
    model = search_model(load_game("kuhn_poker"))
    belief = PublicPrivateBelief(0.0, policies=always_last, model_noise=0.5, always_noisy=True)
    settings = PIMC(model, belief=belief).settings()
    assert settings["policies"] == ["always_last"]
    assert (settings["model_noise"], settings["always_noisy"]) == (0.5, True)
    assert "model_noise" not in PIMC(model).settings()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_noise": 1.5}, "model_noise=1.5 must be a finite number from 0 to 1"),
        ({"model_noise": -0.1}, "model_noise=-0.1 must be"),
        ({"always_noisy": 1}, "always_noisy"),
        ({"policies": [first_action]}, "got 1 policies for 2 players"),
        ({"policies": [3, None]}, "policies contain a int, which is not a function"),
        ({"policies": dict}, "policies"),
    ],
)
def test_bad_models(settings, message):
    game = load_game("kuhn_poker")
    with pytest.raises(ParameterError, match=message):
        public_belief(game, initial_history(game).public_state, **settings)
    if "policies" not in settings:
        with pytest.raises(ParameterError, match=message):
            PublicPrivateBelief(0.0, **settings)


def test_nothing_assumed_means_no_noise():
    game = load_game("kuhn_poker")
    belief = public_belief(game, PublicState((None, "bet")), always_noisy=True)
    assert belief.model_noise == 0
