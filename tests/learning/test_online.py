"""Learners in external loops: equal to self-play, and usable without a tree."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from infoset.errors import (
    CheckpointFileError,
    CheckpointMismatchError,
    ParameterError,
    TrajectoryError,
    UnknownNameError,
)
from infoset.evaluation import best_response, evaluate_policy, expected_values
from infoset.game import Game
from infoset.games import load_game
from infoset.learning import (
    LEARNERS,
    BalancedCFR,
    Decision,
    Knowledge,
    LocalOMD,
    OnlineMirrorDescent,
    OutcomeSampling,
    Trajectory,
    TreeSize,
    get_learner,
    make_learner,
    make_own_tree,
    play_and_learn,
)
from infoset.learning.balanced_cfr import BalancedCFRUpdate
from infoset.learning.online import infostate_table
from infoset.learning.online.key_encoding import keys_from_json, keys_to_json
from infoset.matches import play_matches
from infoset.policy import distance, tabulate, uniform_policy
from infoset.tree import build_tree
from infoset.utils.array_files import read_arrays, write_arrays
from infoset.utils.splitmix import make_stream
from tests.learning.driven import drive, in_turn, learners_for, same_as_self_play
from tests.learning.playing import simulator_of

PATH_ROWS = {name: row for name, row in LEARNERS.items() if isinstance(row, OnlineMirrorDescent)}
BALANCED_ROWS = [name for name, row in LEARNERS.items() if isinstance(row, BalancedCFR)]
FALLING_ROWS = ["local-omd", "balanced-cfr-hedge"]
LOCAL_ROWS = [name for name, row in LEARNERS.items() if isinstance(row, LocalOMD)]
OUTCOME_ROWS = [name for name, row in LEARNERS.items() if isinstance(row, OutcomeSampling)]
TWEAKED = get_learner("tweaked-ftrl", step_sizes=(0.3, 0.015))
PLAIN = get_learner("ixomd", step_sizes=(0.05, 0.01))
ARMS = ("left", "right")


def learner_of(row=PLAIN, player=0, utility_range=(-2, 2), horizon=1000, **more):
    return make_learner(row, player=player, utility_range=utility_range, horizon=horizon, **more)


def own_tree(player=0, game="kuhn_poker"):
    return simulator_of(game).form.infostate_trees[player]


def balanced(**more):
    return learner_of("balanced-omd", tree=own_tree(), **more)


def pull(learner, arm_values=(0.0, 1.0)):
    arm = learner.act("arms", ARMS)
    learner.observe(Trajectory([("arms", arm)], arm_values[ARMS.index(arm)]))
    return arm


def everything(learner):
    return {name: array.tobytes() for name, array in learner.state().items()}


class Unlistable(Game):
    """Kuhn poker with one of 2⁶⁴ serial numbers on the deck: it cannot be enumerated."""

    num_players = 2
    kuhn = load_game("kuhn_poker")

    def initial_world(self):
        return 0, self.kuhn.initial_world()

    def actors(self, world):
        return self.kuhn.actors(world[1])

    def legal_actions(self, world, player):
        return self.kuhn.legal_actions(world[1], player)

    def transitions(self, world, joint_action):
        for after, probability in self.kuhn.transitions(world[1], joint_action):
            yield (0, after), Fraction(probability) / 2**64
            raise AssertionError("chance outcomes must not be enumerated")

    def rewards(self, world, joint_action, next_world):
        return self.kuhn.rewards(world[1], joint_action, next_world[1])

    def observe(self, world, joint_action, next_world):
        return self.kuhn.observe(world[1], joint_action, next_world[1])

    def sample_transition(self, world, joint_action, rng):
        serial = int(rng.integers(2**63))
        return serial, self.kuhn.sample_transition(world[1], joint_action, rng)


@pytest.mark.parametrize("name", PATH_ROWS)
def test_driven_learners_are_bit_identical_to_compiled_self_play(name):
    same_as_self_play(PATH_ROWS[name], "kuhn_poker", 400)


def test_driven_learners_agree_in_a_game_with_rare_infostates():
    learners, _ = same_as_self_play(replace(TWEAKED, center=0.5), "leduc_poker", 1500)
    assert all(learner.num_infostates < 468 for learner in learners)


@pytest.mark.broad
def test_decaying_rates_agree_with_compiled_self_play():
    same_as_self_play(replace(PLAIN, anytime=True), "kuhn_poker(players=3)", 300)
    local, hedge = (replace(LEARNERS[name], anytime=True) for name in FALLING_ROWS)
    same_as_self_play(local, "kuhn_poker", 400, turns=in_turn)
    same_as_self_play(hedge, "bandit_tree", 301)


def test_layers_rotate_across_episodes_that_are_only_followed(monkeypatch):
    episodes, explore = [], BalancedCFRUpdate.exploration

    def listened_to(self, state, episode, step):
        episodes.append(episode)
        return explore(self, state, episode, step)

    monkeypatch.setattr(BalancedCFRUpdate, "exploration", listened_to)
    tree = own_tree()
    learner = learner_of("balanced-cfr-rm", 0, tree=tree, horizon=100)
    for learns in (True, False, True, False, False, True):
        if not learns:
            learner.follow()
        infostate = tree.acting_labels[0]
        learner.observe(Trajectory([(infostate, learner.act(infostate))], 1.0))
    assert episodes == [0, 1, 2]
    assert (learner.iteration, learner.episodes) == (3, 6)


@pytest.mark.parametrize("name", LOCAL_ROWS)
def test_local_omd_driven_from_outside_equals_compiled_self_play(name):
    learners, _ = same_as_self_play(LEARNERS[name], "kuhn_poker", 400, turns=in_turn)
    assert [learner.iteration for learner in learners] == [200, 200]


@pytest.mark.parametrize("name", BALANCED_ROWS)
def test_balanced_cfr_driven_from_outside_equals_compiled_learning(name):
    """Only one player learns, because compiled policies of several players change together."""
    same_as_self_play(LEARNERS[name], "bandit_tree", 301)


def test_rounds_have_the_length_that_learners_need():
    form = simulator_of("kuhn_poker").form
    row = get_learner("balanced-cfr-baseline")
    learners = [learner_of(row, p, tree=form.infostate_trees[p], horizon=3000) for p in range(2)]
    assert [learner.turn for learner in learners] == [2, 1]
    play_and_learn(Unlistable(), learners, episodes=7)
    assert [learner.iteration for learner in learners] == [5, 2]
    play_and_learn(Unlistable(), learners, episodes=793)
    mine = tabulate(form, [learner.average_policy for learner in learners])
    assert evaluate_policy(mine).nash_conv < 0.3


@pytest.mark.parametrize("name", OUTCOME_ROWS)
def test_outcome_sampling_driven_from_outside_has_the_same_regrets(name):
    """Compiled self-play also counts the episodes of other players in averages."""
    row, averages = LEARNERS[name], ("cumulative_plan", "parent_counted")
    learners, self_play = same_as_self_play(
        row, "leduc_poker", 600, turns=in_turn, left_out=averages
    )
    assert [learner.iteration for learner in learners] == [300, 300]
    form = self_play.form
    mine = tabulate(form, [learner.average_policy for learner in learners])
    assert distance(mine, self_play.policy()) < 0.02


def test_learners_that_explore_alternate():
    dice = load_game("liars_dice(dice_sides=3)")
    learners = [learner_of("os-mccfr", player, (-1, 1), game="dice") for player in range(2)]
    assert all(learner.explores for learner in learners)
    play_and_learn(dice, learners, episodes=7)
    assert [learner.iteration for learner in learners] == [4, 3]
    assert [learner.episodes for learner in learners] == [7, 7]
    mixed = [learners[0], learner_of(TWEAKED, 1, (-1, 1))]
    play_and_learn(dice, mixed, episodes=5)
    assert [learner.iteration for learner in mixed] == [6, 3]


@pytest.mark.parametrize("room", [1, 1000])
def test_growing_tables_agree_with_large_ones(room, monkeypatch):
    simulator = simulator_of("leduc_poker")

    def learned():
        learners = learners_for(TWEAKED, simulator, 300)
        drive(simulator, learners, 300, make_stream(1))
        return learners

    grown = learned()
    monkeypatch.setattr(infostate_table, "INITIAL_CAPACITY", room)
    for first, second in zip(grown, learned(), strict=True):
        known = first.num_infostates
        assert known == second.num_infostates > 64
        for name, array in first._tables.state._asdict().items():
            other = getattr(second._tables.state, name)
            size = known if len(array) == len(first._tables.infostates.depth) else 2 * known
            np.testing.assert_array_equal(array[:size], other[:size], name)


def test_infostates_are_numbered_in_order_of_appearance():
    table = infostate_table.DiscoveredInfostates(0)
    assert table.visit("a", ("x", "y"), 0) == 0
    assert table.visit("b", ("x", "y", "z"), 2) == 1
    assert table.visit("c", ("x",), 5) == 2
    assert table.visit("b", None, 2) == 1
    assert [table.sequences(number) for number in range(3)] == [
        slice(1, 3),
        slice(3, 6),
        slice(6, 7),
    ]
    assert table.depth[:3].tolist() == [0, 1, 2]
    assert [table.parent(number) for number in range(3)] == [-1, 0, 1]
    with pytest.raises(TrajectoryError, match=r"follows 'z' at b, but .* 'y'"):
        table.visit("b", None, 5)


def test_a_growing_table_agrees_with_a_known_tree():
    simulator = simulator_of("leduc_poker")
    seeing = replace(TWEAKED, knowledge=Knowledge.OWN_TREE)
    blind = learners_for(TWEAKED, simulator, 300)
    knowing = learners_for(seeing, simulator, 300)
    for learners in (blind, knowing):
        drive(simulator, learners, 300, make_stream(2))
    form = simulator.form
    tables = [
        tabulate(form, [getattr(learner, which) for learner in learners]).probabilities
        for learners in (blind, knowing)
        for which in ("average_policy", "current_policy")
    ]
    for player in range(2):
        np.testing.assert_allclose(tables[0][player], tables[2][player], rtol=1e-14)
        np.testing.assert_allclose(tables[1][player], tables[3][player], rtol=1e-14)


def test_learning_in_a_game_that_cannot_be_enumerated():
    game = Unlistable()
    learners = [learner_of(TWEAKED, player, seed=3) for player in range(2)]
    form = build_tree(game.kuhn).sequence_form

    def nash_conv():
        return evaluate_policy(tabulate(form, [s.average_policy for s in learners])).nash_conv

    play_and_learn(game, learners, episodes=100)
    early = nash_conv()
    play_and_learn(game, learners, episodes=1900)
    assert [learner.iteration for learner in learners] == [2000, 2000]
    assert nash_conv() < 0.35 < early


def test_utility_rises_against_a_fixed_opponent():
    game = Unlistable()
    quick = get_learner("tweaked-ftrl", step_sizes=(1, 0.05))
    learner = learner_of(quick, player=1, seed=2)
    utilities = play_and_learn(game, [None, learner], episodes=1500)
    assert utilities.shape == (1500, 2)
    np.testing.assert_array_equal(utilities.sum(axis=1), 0)
    assert utilities[-500:, 1].mean() > utilities[:200, 1].mean() + 0.2
    form = build_tree(game.kuhn).sequence_form
    learnt = expected_values(tabulate(form, [None, learner.current_policy]))[1]
    most, least = (
        best_response(uniform_policy(form), 1).value,
        expected_values(uniform_policy(form))[1],
    )
    assert least < -0.12 < 0.3 < learnt < most < 0.42
    match = play_matches(game.kuhn, learner.current_policy, None, num_deals=200)
    assert abs(match.position_means[1] - learnt) < 0.4


@pytest.mark.parametrize(
    ("name", "utility_range"),
    [
        ("liars_dice(numdice=5)", (-1, 1)),
        ("goofspiel(num_cards=13)", (-1, 1)),
        pytest.param("hanabi", (0, 25), marks=pytest.mark.long),
    ],
)
def test_infostates_of_a_huge_game_are_added_as_they_appear(name, utility_range, tmp_path):
    game = load_game(name)
    learners = [learner_of(TWEAKED, player, utility_range) for player in range(2)]
    play_and_learn(game, learners, episodes=15)
    few = [learner.num_infostates for learner in learners]
    play_and_learn(game, learners, episodes=15)
    assert all(
        15 <= number < learner.num_infostates for number, learner in zip(few, learners, strict=True)
    )
    again = [learner_of(TWEAKED, player, utility_range) for player in range(2)]
    for old, new in zip(learners, again, strict=True):
        old.save(tmp_path / "learner.ckpt")
        new.load(tmp_path / "learner.ckpt")
    utilities = [play_and_learn(game, both, episodes=3) for both in (learners, again)]
    np.testing.assert_array_equal(*utilities)
    assert [*map(everything, again)] == [*map(everything, learners)]


def test_learners_receive_own_keys_and_utilities_only():
    """A learner that receives numbers for infostates, and nothing else, learns the same."""
    seen = []

    class Witness:
        player = 0

        def action_probabilities(self, infostate, legal_actions):
            raise AssertionError

    learner = learner_of(TWEAKED)
    act, observe = learner.act, learner.observe
    learner.act = lambda key, legal: seen.append(("act", key, tuple(legal))) or act(key, legal)
    learner.observe = lambda told: seen.append(("observe", told)) or observe(told)
    play_and_learn(Unlistable(), [learner, None], episodes=50)
    blind, names = learner_of(TWEAKED), {}
    for what, *told in seen:
        if what == "act":
            assert told[0].player == 0
            blind.act(names.setdefault(told[0], len(names)), told[1])
        else:
            assert set(told[0].steps) <= {(key, a) for key in names for a in ("pass", "bet")}
            blind.observe(Trajectory(blind.steps, told[0].utility))
    for key, number in names.items():
        assert learner.current_policy[key] == blind.current_policy[number]
        assert learner.average_policy[key] == blind.average_policy[number]


def test_saved_and_resumed_learners_are_bit_identical(tmp_path):
    game = Unlistable()
    whole = [learner_of(TWEAKED, player, seed=4) for player in range(2)]
    all_at_once = play_and_learn(game, whole, episodes=70, seed=9)
    parts = [learner_of(TWEAKED, player, seed=4) for player in range(2)]
    first = play_and_learn(game, parts, episodes=40, seed=9)
    for learner in parts:
        learner.save(tmp_path / f"{learner.player}.ckpt")
    parts = [learner_of(TWEAKED, player, seed=4) for player in range(2)]
    for learner in parts:
        learner.load(tmp_path / f"{learner.player}.ckpt")
    rest = play_and_learn(game, parts, episodes=30, seed=9)
    np.testing.assert_array_equal(np.concatenate([first, rest]), all_at_once)
    assert [*map(everything, parts)] == [*map(everything, whole)]
    play_and_learn(game, parts, episodes=1, seed=9)
    assert [*map(everything, parts)] != [*map(everything, whole)]


def test_a_learner_with_a_known_tree_can_be_saved(tmp_path):
    simulator = simulator_of("kuhn_poker")
    row = get_learner("balanced-ftrl")
    whole, half = learners_for(row, simulator, 60), learners_for(row, simulator, 60)
    drive(simulator, whole, 60, make_stream(1))
    drive(simulator, half, 30, stream := make_stream(1))
    half[0].save(tmp_path / "0.ckpt")
    again = learners_for(row, simulator, 60)[0]
    again.load(tmp_path / "0.ckpt")
    drive(simulator, [again, half[1]], 30, stream)
    assert everything(again) == everything(whole[0])


def test_an_abandoned_episode_leaves_no_trace():
    game = Unlistable()

    class Failing:
        def action_probabilities(self, infostate, legal_actions):
            raise KeyboardInterrupt

    learner, other = learner_of(TWEAKED), learner_of(TWEAKED)
    for each in (learner, other):
        play_and_learn(game, [each, None], episodes=20)
    before = everything(learner)
    with pytest.raises(KeyboardInterrupt):
        play_and_learn(game, [learner, Failing()], episodes=5)
    assert everything(learner) == before
    learner.act("[K]", ("pass", "bet"))
    learner.abandon()
    for each in (learner, other):
        play_and_learn(game, [each, None], episodes=20)
    assert other.average_policy._tables.state.cumulative_plan[0] == 40
    for key in (key for key in other._tables.infostates._numbers):
        assert other.current_policy[key] == learner.current_policy[key]


def test_an_invalid_episode_changes_no_learner():
    game = Unlistable()
    wide, narrow = learner_of(TWEAKED, 0), learner_of(TWEAKED, 1, utility_range=(-1, 1))
    with pytest.raises(TrajectoryError, match=r"the utility -?2 is outside .* from -1 to 1"):
        play_and_learn(game, [wide, narrow], episodes=100)
    assert wide.episodes == narrow.episodes < 100
    assert wide.steps == narrow.steps == ()


def test_following_learns_nothing():
    learner = learner_of()
    pull(learner)
    policy = learner.current_policy["arms"]
    learner.follow()
    pull(learner)
    assert learner.current_policy["arms"] == policy
    assert (learner.episodes, learner.iteration) == (2, 1)
    pull(learner)
    assert learner.current_policy["arms"] != policy
    assert not learner.explores


def test_an_episode_without_decisions_counts():
    learner = learner_of()
    learner.observe(Trajectory([], 1.0))
    assert learner.iteration == 1
    pull(learner)
    assert learner.average_policy["arms"] == {"left": 0.5, "right": 0.5}


def test_players_and_seeds_have_different_random_streams():
    arms = [
        "".join(pull(learner_of(player=player, seed=seed))[0] for seed in range(20))
        for player in range(2)
    ]
    assert len(set(arms)) == 2
    assert set(arms[0]) == {"l", "r"}


@pytest.mark.parametrize(
    ("legal_actions", "message"),
    [
        (None, r"has the actions \[\]: .* legal action"),
        ((), r"has the actions \[\]: "),
        (("left", "left"), r"no action twice"),
        (([], "left"), r"the action \(\[\], 'left'\) is not hashable \(unhashable"),
    ],
)
def test_a_new_infostate_needs_its_actions(legal_actions, message):
    learner = learner_of()
    before = everything(learner)
    with pytest.raises(TrajectoryError, match=message):
        learner.act("arms", legal_actions)
    assert everything(learner) == before
    assert learner.num_infostates == 0


def test_infostates_must_keep_their_actions_and_past():
    learner = learner_of()
    pull(learner)
    before = everything(learner)
    with pytest.raises(TrajectoryError, match=r"now has the actions \['left', 'up'\]"):
        learner.act("arms", ("left", "up"))
    assert learner.act("arms") in ARMS
    with pytest.raises(TrajectoryError, match=r"now follows '\w+' at arms"):
        learner.act("arms")
    learner.abandon()
    learner.act("door", ARMS)
    with pytest.raises(TrajectoryError, match=r"follows '\w+' at door, but .* no earlier"):
        learner.act("arms")
    learner.abandon()
    assert learner.state()["cumulative_plan"].tobytes() == before["cumulative_plan"]


def test_outcomes_are_observed_only_after_acting():
    learner = learner_of()
    with pytest.raises(TrajectoryError, match=r"step 1 of the trajectory is 'left' at the infost"):
        learner.observe(Trajectory([("arms", "left")], 0.0))
    first = learner.act("arms", ARMS)
    second = learner.act("doors", ARMS)
    before = everything(learner)
    steps = [("arms", first), ("doors", second)]
    other = "left" if second == "right" else "right"
    for told, message in (
        ([], r"step 1 of the trajectory is missing, but act.. took '\w+' at the infostate arms"),
        (steps[:1], r"step 2 of the trajectory is missing, but act"),
        (steps[::-1], r"step 1 of the trajectory is '\w+' at the infostate doors, but act"),
        ([steps[0], ("doors", other)], r"step 2 of the trajectory is '\w+' at the infostate door"),
        ([*steps, ("more", first)], r"step 3 .* at the infostate more, but act.. took no"),
    ):
        with pytest.raises(TrajectoryError, match=message):
            learner.observe(Trajectory(told, 0.0))
    with pytest.raises(TrajectoryError, match="step 2 of the trajectory is 'doors', "):
        learner.observe(Trajectory([steps[0], "doors"], 0.0))
    with pytest.raises(ParameterError, match=r"trajectory=0.5 is of type float; give Trajectory"):
        learner.observe(0.5)
    with pytest.raises(ParameterError, match=r"utility=None is of type NoneType; give a number"):
        learner.observe(Trajectory(steps, None))
    for utility in (2.1, -2.1, np.inf, np.nan):
        with pytest.raises(TrajectoryError, match=r"outside .* from -2 to 2"):
            learner.observe(Trajectory(steps, utility))
    with pytest.raises(TrajectoryError, match=r"call follow\(\)"):
        learner.follow()
    with pytest.raises(TrajectoryError, match=r"call save\(\) between episodes, after observe"):
        learner.save("nowhere.ckpt")
    with pytest.raises(TrajectoryError, match=r"call load\(\) between episodes"):
        learner.load("nowhere.ckpt")
    with pytest.raises(TrajectoryError, match=r"the infostate \[\] is not hashable"):
        learner.act([], ARMS)
    assert everything(learner) == before
    learner.observe(Trajectory(steps, 2.0))
    assert learner.iteration == 1


def test_a_known_tree_refuses_other_infostates():
    learner = balanced()
    before = everything(learner)
    with pytest.raises(UnknownNameError, match=r"no decision at \[X\]"):
        learner.act("[X]", ("pass", "bet"))
    theirs = own_tree(1)
    with pytest.raises(TrajectoryError, match="is an infostate of player 1"):
        learner.act(theirs.infostate_at(int(theirs.acting[0])))
    with pytest.raises(TrajectoryError, match=r"now has the actions \['bet', 'pass'\]"):
        learner.act("[K]", ("bet", "pass"))
    with pytest.raises(TrajectoryError, match=r"follows no earlier action, but .* 'pass'"):
        learner.act("[K] / pass / bet")
    assert everything(learner) == before
    assert learner.act("[K]") in ("pass", "bet")


def written_down(tree):
    """The decisions of a compiled tree."""
    first, labels = tree.first_sequence[tree.acting], tree.acting_labels
    decisions = []
    for number, label in zip(tree.acting.tolist(), labels, strict=True):
        sequence, after = int(tree.last_sequence[number]), None
        if sequence > 0:
            above = int(np.searchsorted(first, sequence, side="right")) - 1
            actions = tree.legal_actions(int(tree.acting[above]))
            after = labels[above], actions[sequence - int(first[above])]
        decisions.append(Decision(label, list(tree.legal_actions(number)), after))
    return decisions


@pytest.mark.parametrize("name", ["balanced-ftrl", "balanced-cfr-rm", "os-mccfr-balanced"])
def test_a_hand_written_tree_replaces_a_built_one(name):
    built = own_tree(0, "leduc_poker")
    by_hand = make_own_tree(0, written_down(built))
    first, second = (
        learner_of(name, utility_range=(-13, 13), tree=tree) for tree in (built, by_hand)
    )
    for episode in range(60):
        deeper = built.acting_labels[:30]
        steps = []
        for label in deeper:
            try:
                taken = first.act(label)
            except TrajectoryError:
                continue
            steps.append((label, taken))
            assert second.act(label) == taken
        for learner in (first, second):
            learner.observe(Trajectory(steps, episode % 27 - 13))
    ours, theirs = everything(first), everything(second)
    assert ours == theirs
    assert first.current_policy[steps[0][0]] != {"call": 0.5, "raise": 0.5}


def test_invalid_trees_are_refused():
    door = Decision("door", ARMS)
    for decisions, error, message in (
        ([], ParameterError, "give at least one Decision"),
        ([door, door], ParameterError, "the decision 'door' is listed twice"),
        ([Decision("door", ())], ParameterError, r"has the actions \[\]"),
        ([Decision("door", ("a", "a"))], ParameterError, "no action twice"),
        ([Decision("x", ARMS, ("dor", "left")), door], UnknownNameError, "'dor'"),
        ([door, Decision("x", ARMS, ("dor", "left"))], UnknownNameError, "did you mean door"),
        ([door, Decision("x", ARMS, ("(start)", "left"))], UnknownNameError, "follows .*start"),
        ([door, Decision("x", ARMS, ("door", "rigt"))], UnknownNameError, "did you mean right"),
    ):
        with pytest.raises(error, match=message):
            make_own_tree(0, decisions)


def test_learners_that_need_more_knowledge_are_refused():
    with pytest.raises(ParameterError, match="es-mccfr learns from a simulator that can be reset"):
        learner_of("es-mccfr")
    with pytest.raises(ParameterError, match="auto learns in self-play only: choose another"):
        learner_of("auto")
    with pytest.raises(ParameterError, match="balanced-omd needs its own infostate tree: give"):
        learner_of("balanced-omd")
    with pytest.raises(ParameterError, match="ixomd discovers infostates in play: leave tree"):
        learner_of("ixomd", tree=own_tree())
    with pytest.raises(ParameterError, match="step sizes of ixomd depend on the size"):
        learner_of("ixomd")
    with pytest.raises(ParameterError, match=r"tree of player 1, but player=0: give"):
        learner_of("balanced-omd", tree=own_tree(1))
    with pytest.raises(ParameterError, match="tree='kuhn' is of type str"):
        learner_of("balanced-omd", tree="kuhn")
    with pytest.raises(UnknownNameError, match="did you mean"):
        learner_of("ixom")
    for wrong in ((1, 1), (2, 1), (0, np.inf), (np.nan, 1), None, (1, 2, 3), "no"):
        with pytest.raises(ParameterError, match="the minimum and the maximum utility"):
            learner_of(utility_range=wrong)
    for name in ("horizon", "player", "seed"):
        with pytest.raises(ParameterError, match=f"{name}=-1 must be a whole number"):
            learner_of(**{name: -1})
    with pytest.raises(ParameterError, match="size=6 is of type int; give TreeSize"):
        learner_of("ixomd", size=6)
    size = TreeSize(infostates=6, sequences=12, decisions=2, actions=2)
    sized = learner_of("ixomd", size=size, horizon=400).settings()["parameters"]
    assert sized == simulator_numbers("ixomd", 400)


def simulator_numbers(name, horizon):
    self_play = LEARNERS[name].self_play(simulator_of("kuhn_poker"), horizon=horizon)
    return self_play.settings()["parameters"][:1]


def test_players_are_checked():
    game = Unlistable()
    learner = learner_of()
    for learners, message in (
        ([learner], "players has length 1, but .* has 2"),
        ([None, None], "at least one learner"),
        ([None, learner], "the learner for player 1 was made for player 0"),
        ([learner, "uniform"], "'uniform' cannot be player 1"),
    ):
        with pytest.raises(ParameterError, match=message):
            play_and_learn(game, learners, episodes=1)
    with pytest.raises(ParameterError, match="episodes=0 must be a whole number, at least 1"):
        play_and_learn(game, [learner, None], episodes=0)
    with pytest.raises(ParameterError, match="the rules of a game"):
        play_and_learn("kuhn_poker", [learner, None], episodes=1)
    assert learner.episodes == 0


def test_checkpoints_of_other_learners_are_refused(tmp_path):
    path = tmp_path / "learner.ckpt"
    learner = learner_of(game="arms")
    pull(learner)
    learner.save(path)
    for other, message in (
        (learner_of(TWEAKED, game="arms"), "method ixomd there and tweaked-ftrl here"),
        (learner_of(game="legs"), "game arms there and legs here"),
        (learner_of(game="arms", player=1), "player 0 there and 1 here"),
        (learner_of(game="arms", utility_range=(-2, 3)), "utility_range"),
        (learner_of(game="arms", seed=1), "seed 0 there and 1 here"),
        (learner_of(game="arms", horizon=2), "horizon"),
        (learner_of(replace(PLAIN, center=0.5), game="arms"), "center 0.0 there and 0.5 here"),
        (learner_of(get_learner(PLAIN, step_sizes=(1, 1)), game="arms"), "parameters"),
    ):
        before = everything(other)
        with pytest.raises(CheckpointMismatchError, match=message):
            other.load(path)
        assert everything(other) == before
    balanced().save(path)
    longer = make_learner(
        "balanced-omd",
        player=0,
        utility_range=(-2, 2),
        horizon=1000,
        tree=own_tree(0, "kuhn_poker(players=3)"),
    )
    with pytest.raises(CheckpointMismatchError, match="fingerprint"):
        longer.load(path)
    path.write_bytes(b"nothing")
    with pytest.raises(CheckpointFileError, match="cannot be read as a checkpoint"):
        learner.load(path)
    assert learner.iteration == 1


def test_a_checkpoint_of_a_tree_with_other_actions_is_refused(tmp_path):
    first, second = (
        learner_of("balanced-omd", tree=make_own_tree(0, [Decision("arms", actions)]))
        for actions in (ARMS, ("left", "up"))
    )
    first.save(tmp_path / "learner.ckpt")
    with pytest.raises(CheckpointMismatchError, match="fingerprint"):
        second.load(tmp_path / "learner.ckpt")


def test_keys_round_trip():
    infostate = own_tree().infostate_at(int(own_tree().acting[-1]))
    keys = (infostate, ("K", 3, (None, True)), frozenset({("a", 1), "b"}), 0.1, Fraction(1, 3))
    assert keys_from_json(keys_to_json(keys)) == keys
    assert keys_from_json(keys_to_json(np.int64(3))) == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"steps": 3, "player": 0}',
        '{"player": 0, "steps": [["pass", null]]}',
        '{"player": "0", "steps": []}',
        '{"set": 3}',
        '{"fraction": "1/0"}',
        '{"fraction": "1e999999999"}',
        '[{"set": [], "set": []}]',
        "[" * 100_000,
    ],
)
def test_other_keys_are_refused(text):
    with pytest.raises(ValueError, match=r"."):
        keys_from_json(np.frombuffer(text.encode(), np.uint8))


def json_array(value):
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"infostates": json_array([3])}, "3 is not an infostate with actions and parent"),
        ({"infostates": json_array([["a", ["x"], 10**9]])}, "is not an infostate with actions"),
        ({"infostates": json_array([["a", ["x"], -1]])}, "is not an infostate with actions"),
        ({"infostates": json_array([["a", ["x"], 0]] * 2)}, "is not an infostate with actions"),
        ({"infostates": json_array([["a", ["x", "x"], 0]])}, "no action twice"),
        ({"infostates": json_array([["a", [*range(999)], 0]])}, "the array policy is of type"),
        ({"infostates": None}, "infostates is missing"),
        ({"policy": np.ones(1)}, r"policy is of type float64, \[1\]"),
        ({"policy": None}, "policy is missing"),
        ({"stream": np.zeros(1)}, "stream is of type float64"),
        ({"done": None}, "done is missing"),
    ],
)
def test_states_of_other_shapes_are_refused_and_change_nothing(tmp_path, changes, message):
    learner, path = learner_of(), tmp_path / "learner.ckpt"
    pull(learner)
    learner.save(path)
    header, arrays = read_arrays(path)
    changed = {name: array for name, array in (arrays | changes).items() if array is not None}
    write_arrays(path, header, changed)
    pull(learner)
    before = everything(learner)
    with pytest.raises(CheckpointFileError, match=message):
        learner.load(path)
    assert everything(learner) == before


def test_keys_that_cannot_be_serialized_are_refused(tmp_path):
    learner = learner_of()
    learner.observe(Trajectory([(bytes, learner.act(bytes, ARMS))], 0.0))
    with pytest.raises(ParameterError, match=r"of type type: use"):
        learner.save(tmp_path / "learner.ckpt")


def test_policies_require_the_right_action_names():
    learner = learner_of()
    with pytest.raises(UnknownNameError, match="player 0 does not know the infostate arms"):
        learner.current_policy["arms"]
    pull(learner)
    with pytest.raises(TrajectoryError, match=r"now has the actions \[.up.\]"):
        learner.current_policy.action_probabilities("arms", ("up",))
