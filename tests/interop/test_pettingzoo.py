"""Games as PettingZoo environments, checked by PettingZoo's tests and by the rules of the game."""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import (
    ExplorationLimitError,
    GameRuleError,
    MissingExtraError,
    ParameterError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.game import transcript
from infoset.games import RandomGame, load_game, matrix_game
from infoset.interop import pettingzoo as module
from infoset.interop import pettingzoo_environment, to_pettingzoo, to_pettingzoo_parallel
from infoset.tree import InfostateEncoder, build_world_graph
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games

pytest.importorskip("pettingzoo")
from gymnasium.spaces import Discrete
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)
from pettingzoo.utils import aec_to_parallel

from tests.support.cached_games import cached_tree

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True)"
GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(dice_sides=2)",
    GOOFSPIEL,
]
RANDOM = RandomGame(seed=3, num_players=3, max_depth=5, max_histories=200, simultaneous_share=0.5)
DICTIONARIES = (
    pytest.mark.filterwarnings(  # it warns about all dictionaries except PettingZoo's own
        "ignore:Observation space for each agent probably should be",
        "ignore:Observation is not a NumPy array",
    )
)


def load(name):
    return load_game(name) if isinstance(name, str) else name


@DICTIONARIES
@pytest.mark.parametrize("name", [*GAMES, "matrix_pd", RANDOM], ids=str)
def test_pettingzoo_accepts_it(name):
    api_test(to_pettingzoo(load(name)), num_cycles=50)
    seed_test(partial(to_pettingzoo, load(name)), num_cycles=50)


def parallel(name):
    return aec_to_parallel(to_pettingzoo(load(name)))


@pytest.mark.parametrize("name", [GOOFSPIEL, "matrix_pd"])
def test_games_of_simultaneous_moves_can_be_parallel(name):
    parallel_api_test(parallel(name), num_cycles=20)


def test_parallel_environments_have_seeds():
    parallel_seed_test(partial(parallel, "matrix_mp"), num_cycles=20)


@pytest.mark.parametrize("name", ["kuhn_poker", RANDOM], ids=str)
def test_other_games_cannot_be_parallel(name):
    with pytest.raises(AssertionError, match="is_parallelizable"):
        parallel(name)


@DICTIONARIES
@pytest.mark.parametrize("name", [*GAMES, "matrix_pd", RANDOM], ids=str)
def test_pettingzoo_accepts_parallel_environments(name):
    parallel_api_test(to_pettingzoo_parallel(load(name)), num_cycles=20)
    parallel_seed_test(partial(to_pettingzoo_parallel, load(name)), num_cycles=20)


def play_parallel(env, choose, seed=None):
    """Play to the end; return the sum of the rewards of each agent."""
    observations, _ = env.reset(seed=seed)
    got = Counter()
    while env.agents:
        chosen = {agent: choose(seen["action_mask"]) for agent, seen in observations.items()}
        observations, rewards, *_ = env.step(chosen)
        got.update(rewards)
    return [got[agent] for agent in env.possible_agents]


def play(env, choose, seed=None):
    """Play to the end; return the sum of the rewards of each agent that `last` reports."""
    env.reset(seed=seed)
    got = Counter()
    for agent in env.agent_iter():
        observation, reward, is_over, _, _ = env.last()
        got[agent] += reward
        env.step(None if is_over else choose(observation["action_mask"]))
    return [got[agent] for agent in env.possible_agents]


def chooser(seed):
    rng = np.random.default_rng(seed)
    return lambda mask: int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0


somebody_acts = random_games(max_depth=st.integers(2, 5)).filter(
    lambda game: (build_world_graph(game).action_set >= 0).any()
)


@given(game=somebody_acts, seed=st.integers(0, 2**32))
def test_rewards_sum_to_the_utilities(game, seed):
    env, choose = to_pettingzoo(game), chooser(seed)
    for number in range(5):
        got = play(env, choose, seed + number)
        assert env.history.is_terminal
        assert got == pytest.approx([float(reward) for reward in env.history.rewards_so_far])
        assert env.agents == []


@given(game=somebody_acts, seed=st.integers(0, 2**32))
def test_rewards_of_parallel_environments_sum_to_the_utilities(game, seed):
    env, choose = to_pettingzoo_parallel(game), chooser(seed)
    for number in range(5):
        got = play_parallel(env, choose, seed + number)
        assert env.history.is_terminal
        assert got == pytest.approx([float(reward) for reward in env.history.rewards_so_far])


@given(game=somebody_acts, seed=st.integers(0, 2**32))
def test_every_agent_of_a_parallel_environment_sees_its_infostate(game, seed):
    env, choose = to_pettingzoo_parallel(game), chooser(seed)
    encoder = InfostateEncoder.from_graph(build_world_graph(game))
    observations, infos = env.reset(seed=seed)
    while not env.history.is_terminal:
        history, before = env.history, len(env.history.path())
        for player, agent in enumerate(env.agents):
            seen = observations[agent]
            assert np.array_equal(seen["observation"], encoder(history.infostates[player]))
            assert np.array_equal(seen["action_mask"], infos[agent]["action_mask"])
            legal = {env.actions[number] for number in np.flatnonzero(seen["action_mask"])}
            assert legal == set(history.legal_actions(player))
        chosen = {agent: choose(seen["action_mask"]) for agent, seen in observations.items()}
        observations, _, over, cut, infos = env.step(chosen)
        taken = env.history.path()[before].joint_action
        for player in history.actors:
            assert taken[player] == env.actions[chosen[f"player_{player}"]]
        assert set(over.values()) == {env.history.is_terminal}
        assert not any(cut.values())


def test_agents_who_do_not_act_may_omit_their_action():
    env = to_pettingzoo_parallel(load_game("kuhn_poker"))
    env.reset(seed=1)
    observations, rewards, *_ = env.step({"player_0": 1})
    assert [seen["action_mask"].tolist() for seen in observations.values()] == [[0, 0], [1, 1]]
    assert rewards == {"player_0": 0, "player_1": 0}
    with pytest.raises(GameRuleError, match=r"got action None; legal actions are 0 .pass., 1"):
        env.step({"player_0": 0})
    _, rewards, over, *_ = env.step({"player_1": 0})
    assert rewards == {"player_0": 1, "player_1": -1}
    assert (over, env.agents) == ({"player_0": True, "player_1": True}, [])


def assert_sees(env, encoder, history, waiting):
    """Check what each agent observes: its infostate, and its actions if it is still to act."""
    for player, agent in enumerate(env.possible_agents):
        observation, mask = env.observe(agent), env.observe(agent)["action_mask"]
        assert env.observation_space(agent).contains(observation)
        assert np.array_equal(observation["observation"], encoder(history.infostates[player]))
        assert np.array_equal(mask, env.infos[agent]["action_mask"])
        legal = {env.actions[number] for number in np.flatnonzero(mask)}
        assert legal == (set(history.legal_actions(player)) if player in waiting else set())


@given(game=somebody_acts, seed=st.integers(0, 2**32))
def test_every_agent_sees_its_infostate_and_moves_in_turn(game, seed):
    env, choose = to_pettingzoo(game), chooser(seed)
    encoder = InfostateEncoder.from_graph(build_world_graph(game))
    env.reset(seed=seed)
    while not env.history.is_terminal:
        history, waiting = env.history, sorted(env.history.actors)
        while waiting:
            assert (env.agent_selection, env.history) == (f"player_{waiting[0]}", history)
            assert_sees(env, encoder, history, waiting)
            waiting.pop(0)
            env.step(choose(env.last()[0]["action_mask"]))
    if not any(env.terminations.values()):  # chance ended the play before anyone acted
        env.step(0)
    assert all(env.terminations.values())
    assert_sees(env, encoder, env.history, waiting=[])


def test_later_agents_do_not_observe_earlier_actions_of_a_step():
    env, seen = to_pettingzoo(load_game("matrix_mp")), []
    for action in (0, 1):
        env.reset(seed=0)
        env.step(action)
        assert env.agent_selection == "player_1"
        assert env.rewards == {"player_0": 0, "player_1": 0}
        seen.append(env.last()[0])
    assert np.array_equal(seen[0]["observation"], seen[1]["observation"])


def transcript_of(env, seed):
    play(env, chooser(0), seed)
    return transcript(env.history)


def test_a_seed_fixes_the_play_and_those_after_it():
    first, second = (to_pettingzoo(load_game("leduc_poker")) for _ in range(2))
    seeds = [4, None, None]
    plays = [transcript_of(first, seed) for seed in seeds]
    assert plays == [transcript_of(second, seed) for seed in seeds]
    assert len(set(plays)) > 1
    assert len({transcript_of(first, seed) for seed in range(2)}) > 1


def test_chance_follows_its_probabilities():
    env = to_pettingzoo(load_game("kuhn_poker"))
    env.reset(seed=0)
    deals = Counter()
    for _ in range(1200):
        env.reset()
        deals[env.history.world] += 1
    assert len(deals) == 6
    assert all(abs(count - 200) < 4 * np.sqrt(1200 * 5 / 36) for count in deals.values())


def test_rewards_of_the_first_chance_move_come_with_the_first_step():
    game = FunctionGame(
        actors=lambda world: (0,) if world == "paid" else (),
        transitions=lambda world, joint: {"start": [("paid", 1)], "paid": [("end", 1)]}.get(
            world, []
        ),
        rewards=lambda world, joint, after: (5 if after == "paid" else 1,),
    )
    env = to_pettingzoo(game)
    env.reset()
    assert (env.rewards, env.last()[1]) == ({"player_0": 0}, 0)
    env.step(0)
    assert (env.rewards, env.last()[1]) == ({"player_0": 6}, 6)


def ended_by_chance():
    """Chance ends half of the plays before anyone can act."""
    moves = {"start": [("over", 0.5), ("play", 0.5)], "play": [("end", 1)]}
    return FunctionGame(
        num_players=2,
        actors=lambda world: (0,) if world == "play" else (),
        transitions=lambda world, joint: moves.get(world, []),
        rewards=lambda world, joint, after: (1, -1) if after in ("over", "end") else (0, 0),
    )


@DICTIONARIES
def test_pettingzoo_accepts_plays_that_chance_ends_before_anyone_acts():
    for _ in range(6):
        api_test(to_pettingzoo(ended_by_chance()), num_cycles=20)


def test_the_first_step_ends_a_play_in_which_nobody_acts():
    env = to_pettingzoo(ended_by_chance())
    seed = 0
    env.reset(seed=seed)
    while not env.history.is_terminal:
        seed += 1
        env.reset(seed=seed)
    assert env.agent_selection == "player_0"
    assert not any(env.terminations.values())
    assert not env.observe("player_0")["action_mask"].any()
    env.step(0)
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": 1, "player_1": -1}


def test_a_play_without_actions_pays_once():
    game = FunctionGame(
        num_players=2,
        actors=lambda world: (1,) if world == "heads" else (),
        transitions=lambda world, joint: {
            "start": [("heads", 0.5), ("tails", 0.5)],
            "heads": [("end", 1)],
        }.get(world, []),
        rewards=lambda world, joint, after: (3, -3) if after == "tails" else (0, 0),
    )
    env = to_pettingzoo(game)
    plays = [(play(env, chooser(0), seed), env.history.world) for seed in range(10)]
    assert {world: got for got, world in plays} == {"tails": [3, -3], "end": [0, 0]}


def test_a_game_without_actions_is_refused():
    with pytest.raises(UnsupportedGameError, match="no player ever acts in FunctionGame"):
        to_pettingzoo(FunctionGame())


def test_a_compiled_game_is_not_explored_again(monkeypatch):
    tree = cached_tree("kuhn_poker")
    monkeypatch.setattr(module, "build_world_graph", None)
    assert play(to_pettingzoo(tree), lambda mask: 1, seed=0) in ([2, -2], [-2, 2])


def test_a_custom_encoding():
    tree = cached_tree("kuhn_poker")

    def number(infostate):
        return np.int64(tree.infostate_trees[infostate.player].index_of(infostate))

    env = to_pettingzoo(tree, encode=number, space=Discrete(37))
    env.reset(seed=2)
    observation = env.observe("player_0")
    assert env.observation_space("player_0").contains(observation)
    (card,) = (step.private for step in env.history.infostates[0].steps)
    label = tree.infostate_trees[0].label(int(observation["observation"]))
    assert label == f"[{card}]"


def test_a_game_of_any_size_with_encoding_and_actions(monkeypatch):
    monkeypatch.setattr(module, "build_world_graph", None)
    game = load_game("goofspiel(num_cards=13,imp_info=True)")
    env = to_pettingzoo(
        game,
        encode=lambda infostate: np.array(len(infostate.steps)),
        space=Discrete(30),
        actions=range(1, 14),
    )
    assert sum(play(env, chooser(1), seed=1)) == 0
    few = to_pettingzoo(game, encode=len, space=Discrete(30), actions=range(1, 13))
    with pytest.raises(UnknownNameError, match="unknown action '13'"):
        few.reset()


def test_a_game_too_large_to_explore_says_what_to_do(monkeypatch):
    monkeypatch.setattr(module, "build_world_graph", partial(build_world_graph, max_worlds=10))
    with pytest.raises(ExplorationLimitError, match="or pass encode, space and actions"):
        to_pettingzoo(load_game("leduc_poker"))


def test_what_is_rendered():
    env = to_pettingzoo(load_game("kuhn_poker"), render_mode="ansi")
    env.reset(seed=1)
    env.step(1)
    assert env.render() == transcript(env.history)
    assert "player 0: bet | all see bet" in env.render()
    assert to_pettingzoo(load_game("kuhn_poker")).render() is None
    env.close()
    parallel = to_pettingzoo_parallel(load_game("kuhn_poker"), render_mode="ansi")
    parallel.reset(seed=1)
    assert parallel.render() == transcript(parallel.history)


@pytest.mark.parametrize("convert", [to_pettingzoo, to_pettingzoo_parallel])
def test_humans_see_the_play_while_it_goes_on(convert, capsys):
    env = convert(load_game("kuhn_poker"), render_mode="human")
    for seed in (1, 2):
        env.reset(seed=seed)
        printed = [capsys.readouterr().out]
        assert printed[0].startswith("kuhn_poker\n1. chance")
        for agent in ("player_0", "player_1"):
            env.step(0 if convert is to_pettingzoo else {agent: 0})
            printed.append(capsys.readouterr().out)
            assert f"{agent.replace('_', ' ')}: pass" in printed[-1]
        shown = [line.split() for line in "".join(printed).splitlines()]
        assert shown == [line.split() for line in transcript(env.history).splitlines()]
    assert env.render() is None
    assert capsys.readouterr().out == f"{transcript(env.history)}\n"


def test_what_humans_see_has_no_control_characters(monkeypatch, capsys):
    """Labels of a game may come from a file of others."""
    shown = "first\nplayer 0: \x1b[2J"
    monkeypatch.setattr(pettingzoo_environment, "transcript", lambda history: shown)
    to_pettingzoo(load_game("kuhn_poker"), render_mode="human").reset()
    assert capsys.readouterr().out == "first\nplayer 0: \\x1b[2J\n"


def test_actions_that_are_not_legal_are_refused():
    env = to_pettingzoo(matrix_game([[1, 2, 3], [3, 2, 1]]))
    env.reset()
    for action in (None, 2, -1, 7, 0.5):
        with pytest.raises(GameRuleError, match=rf"got action {action}; .* are 0 .*, 1 \("):
            env.step(action)
    env.step(np.int32(1))
    assert env.agent_selection == "player_1"


def test_what_makes_no_sense_is_refused():
    game = load_game("kuhn_poker")
    with pytest.raises(ParameterError, match="only one of encode and space"):
        to_pettingzoo(game, encode=len)
    with pytest.raises(ParameterError, match="only one of encode and space"):
        to_pettingzoo(game, space=Discrete(2))
    with pytest.raises(ParameterError, match="render_mode='rgb_array' is unknown; use 'ansi'"):
        to_pettingzoo(game, render_mode="rgb_array")


def test_without_pettingzoo_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'infoset\[pettingzoo\]'"):
        to_pettingzoo(load_game("kuhn_poker"))
