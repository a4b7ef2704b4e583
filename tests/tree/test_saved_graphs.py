"""Saved world graphs: the same graph comes back, and only for the same rules."""

from __future__ import annotations

import errno
import importlib
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from infoset.errors import ExplorationLimitError, GraphCacheWarning, GraphFileError, ParameterError
from infoset.game import Game
from infoset.games import load_game
from infoset.tree import WorldGraph, build_sequence_form, build_world_graph, graph_cache
from infoset.tree.explorer import Explorer
from infoset.utils import array_files

GAMES = [
    "kuhn_poker(players=3)",
    "leduc_poker",
    "goofspiel(num_cards=3)",
    "hanabi(players=2,colors=1,ranks=2,hand_size=1)",
    "liars_dice(dice_sides=2)",
    "matrix_mp",
]

RULES = """
from dataclasses import dataclass
from infoset.game import Game, Observation
from stakes_of_coins import STAKE, stake

SIDES = ("heads", "tails")


@dataclass(frozen=True)
class Coins(Game):
    factor: int = 1
    num_players = 2

    def initial_world(self):
        return ()

    def actors(self, world):
        return (len(world),) if len(world) < 2 else ()

    def legal_actions(self, world, player):
        return SIDES

    def transitions(self, world, joint_action):
        return [((*world, joint_action[len(world)]), 1)] if len(world) < 2 else []

    def rewards(self, world, joint_action, next_world):
        if len(next_world) < 2:
            return (0, 0)
        won = self.factor * stake() * (1 if next_world[0] == next_world[1] else -1)
        return (won, -won)

    def observe(self, world, joint_action, next_world):
        return Observation(private=[next_world[0] if len(next_world) < 2 else None, None])
"""
STAKES = "STAKE = 1\n\n\ndef stake():\n    return STAKE\n"


@pytest.fixture(autouse=True)
def no_silent_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraphCacheWarning)
        yield


@pytest.fixture
def counted(monkeypatch):
    """Count the games that are explored, which means that they are not loaded."""
    games: list[str] = []
    explore = Explorer.explore

    def counting(self):
        games.append(str(self.game))
        return explore(self)

    monkeypatch.setattr(Explorer, "explore", counting)
    return games


class Coin:
    """Modules of a game in a folder, which the test edits and loads as new processes would."""

    def __init__(self, folder: Path, monkeypatch) -> None:
        self.folder = folder
        monkeypatch.syspath_prepend(str(folder))
        self.write("rules_of_coins", RULES)
        self.write("stakes_of_coins", STAKES)

    def write(self, module: str, source: str) -> None:
        (self.folder / f"{module}.py").write_text(source, "utf-8")

    def load(self, **parameters: object) -> Game:
        for module in ("rules_of_coins", "stakes_of_coins"):
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        made: Game = importlib.import_module("rules_of_coins").Coins(**parameters)
        return made


@pytest.fixture
def coins(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield Coin(tmp_path, monkeypatch)
    for module in ("rules_of_coins", "stakes_of_coins"):
        sys.modules.pop(module, None)


def only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.graph")
    return path


def assert_equal(one: WorldGraph, other: WorldGraph) -> None:
    assert tuple(one.worlds) == tuple(other.worlds)
    for name, value in vars(one).items():
        again = getattr(other, name)
        if isinstance(value, np.ndarray):
            assert value.dtype == again.dtype
            assert value.tobytes() == again.tobytes()
            assert not again.flags.writeable
        elif name != "worlds":
            assert value == again


@pytest.mark.parametrize("name", GAMES)
def test_a_loaded_graph_is_the_one_that_was_built(name, tmp_path, counted):
    built = build_world_graph(load_game(name))
    with graph_cache(tmp_path / "cache"):
        build_world_graph(load_game(name))
        loaded = build_world_graph(load_game(name))
    assert len(counted) == 2
    assert_equal(built, loaded)
    assert type(built.worlds[-1]) is type(loaded.worlds[-1])


def test_world_states_can_be_asked_for_in_any_order(tmp_path):
    game = load_game("leduc_poker")
    built = build_world_graph(game)
    with graph_cache(tmp_path):
        build_world_graph(game)
        loaded = build_world_graph(load_game("leduc_poker"))
    for number in (5070, 3, 0, -1, 2500, 5070):
        assert loaded.worlds[number] == built.worlds[number]
    assert loaded.worlds[7:40:3] == built.worlds[7:40:3]
    with pytest.raises(IndexError):
        loaded.worlds[len(built.worlds)]


def test_nothing_is_saved_outside_the_block(tmp_path, counted):
    with graph_cache(tmp_path):
        pass
    build_sequence_form(load_game("kuhn_poker"))
    assert not [*tmp_path.iterdir()]


def test_other_parameters_have_other_files(coins, tmp_path, counted):
    with graph_cache(tmp_path / "cache"):
        once = build_world_graph(coins.load())
        twice = build_world_graph(coins.load(factor=2))
        again = build_world_graph(coins.load(factor=2))
    assert len(counted) == 2
    assert np.array_equal(2 * once.rewards, twice.rewards)
    assert np.array_equal(twice.rewards, again.rewards)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("rules_of_coins", RULES.replace("next_world[0] == next", "next_world[0] != next")),
        ("stakes_of_coins", STAKES.replace("return STAKE", "return -STAKE")),
    ],
    ids=["the rules", "a module that they import"],
)
def test_changed_source_is_noticed(module, source, coins, tmp_path, counted):
    with graph_cache(tmp_path / "cache"):
        before = build_world_graph(coins.load())
        coins.write(module, source)
        with pytest.warns(GraphCacheWarning, match=r"will be replaced: the source code of the rul"):
            after = build_world_graph(coins.load())
        build_world_graph(coins.load())
    assert len(counted) == 2
    assert np.array_equal(after.rewards, -before.rewards)


def test_a_changed_constant_is_noticed(coins, tmp_path):
    with graph_cache(tmp_path / "cache"):
        before = build_world_graph(coins.load())
        game = coins.load()
        sys.modules["stakes_of_coins"].STAKE = 3  # type: ignore[attr-defined]
        with pytest.warns(GraphCacheWarning, match="will be replaced"):
            after = build_world_graph(game)
    assert np.array_equal(after.rewards, 3 * before.rewards)


def test_rules_that_were_edited_after_loading_are_not_saved(coins, tmp_path):
    game = coins.load()
    coins.write("stakes_of_coins", STAKES.replace("return STAKE", "return 5"))
    with (
        graph_cache(tmp_path / "cache"),
        pytest.warns(GraphCacheWarning, match="has changed since it was loaded; start Python"),
    ):
        build_world_graph(game)
    assert not [*(tmp_path / "cache").iterdir()]


def test_a_module_that_is_imported_inside_a_function_is_noticed(coins, tmp_path, counted):
    source = RULES.replace("from stakes_of_coins import STAKE, stake\n", "").replace(
        "        won =", "        from stakes_of_coins import stake\n\n        won ="
    )
    coins.write("rules_of_coins", source)
    with graph_cache(tmp_path / "cache"):
        before = build_world_graph(coins.load())
        build_world_graph(coins.load())
        assert len(counted) == 1
        coins.write("stakes_of_coins", STAKES.replace("return STAKE", "return -STAKE"))
        with pytest.warns(GraphCacheWarning, match="will be replaced"):
            after = build_world_graph(coins.load())
    assert np.array_equal(after.rewards, -before.rewards)


def test_a_package_that_is_installed_without_a_version_is_noticed(tmp_path, monkeypatch):
    installed = tmp_path / "site-packages"
    for folder in (installed / "coin_games", installed / "coin_games" / "rules"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").write_text("__version__ = '1'\n", "utf-8")
    own = RULES.replace("from stakes_of_coins", "from ..stakes")
    (installed / "coin_games" / "rules" / "coins.py").write_text(own, "utf-8")
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    rewards = []
    for stake in ("STAKE", "-STAKE"):
        changed = STAKES.replace("return STAKE", f"return {stake}")
        (installed / "coin_games" / "stakes.py").write_text(changed, "utf-8")
        for name in [name for name in sys.modules if name.startswith("coin_games")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        game = importlib.import_module("coin_games.rules.coins").Coins()
        with warnings.catch_warnings(), graph_cache(tmp_path / "cache"):
            warnings.simplefilter("ignore")
            rewards.append(build_world_graph(game).rewards)
    assert np.array_equal(rewards[0], -rewards[1])


def test_a_replaced_function_of_a_module_is_noticed(coins, tmp_path):
    with graph_cache(tmp_path / "cache"):
        game = coins.load()
        build_world_graph(game)
        coins.write("replaced_rewards", "def own_rewards(*transition):\n    return (2, -2)\n")
        module = sys.modules[type(game).__module__]
        module.unused = importlib.import_module("replaced_rewards").own_rewards  # type: ignore[attr-defined]
        with pytest.warns(GraphCacheWarning, match="will be replaced"):
            build_world_graph(game)


def test_a_replaced_method_is_noticed(coins, tmp_path):
    with graph_cache(tmp_path / "cache"):
        before = build_world_graph(coins.load())
        game = coins.load()
        coins.write("other_rewards", "def rewards(self, *transition):\n    return (2, -2)\n")
        type(game).rewards = importlib.import_module("other_rewards").rewards  # type: ignore[method-assign]
        with pytest.warns(GraphCacheWarning, match="will be replaced"):
            after = build_world_graph(game)
    assert not np.array_equal(after.rewards, before.rewards)


@pytest.mark.parametrize("cut", [0, 1, 100, -1, -200])
def test_a_truncated_file_is_replaced(cut, tmp_path, counted):
    with graph_cache(tmp_path):
        built = build_world_graph(load_game("kuhn_poker"))
        path = only_file(tmp_path)
        path.write_bytes(path.read_bytes()[:cut])
        with pytest.warns(GraphCacheWarning, match=r"kuhn_poker-\w+\.graph is not used and will"):
            again = build_world_graph(load_game("kuhn_poker"))
        loaded = build_world_graph(load_game("kuhn_poker"))
    assert len(counted) == 2
    assert_equal(built, again)
    assert_equal(built, loaded)


def test_every_changed_byte_of_an_array_is_noticed(tmp_path):
    with graph_cache(tmp_path):
        built = build_world_graph(load_game("kuhn_poker"))
        path = only_file(tmp_path)
        whole = path.read_bytes()
        generator = np.random.default_rng(0)
        replaced = 0
        for place in generator.integers(0, len(whole), 30).tolist():
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 8]) + whole[place + 1 :])
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", GraphCacheWarning)
                assert_equal(built, build_world_graph(load_game("kuhn_poker")))
            replaced += len(told)
    # Some bytes of an archive, such as times and padding, have no meaning.
    assert replaced > 20


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("next_world", lambda a: a + 1000),
        ("next_world", lambda a: a * 0),
        ("first_edge", lambda a: a[::-1].copy()),
        ("action_set", lambda a: a + 50),
        ("joint_action", lambda a: a + 2),
        ("public_observation", lambda a: a - 100),
        ("probability", lambda a: -a),
        ("rewards", lambda a: a * np.nan),
        ("rewards", lambda a: a[:-1]),
        ("exact_probability", lambda a: a + 100),
    ],
)
def test_arrays_that_are_not_those_of_a_graph_are_refused(name, change, tmp_path):
    with graph_cache(tmp_path):
        built = build_world_graph(load_game("kuhn_poker"))
        path = only_file(tmp_path)
        header, arrays = array_files.read_arrays(path)
        array_files.write_arrays(path, header, {**arrays, name: change(arrays[name])})
        with pytest.warns(GraphCacheWarning, match="is not used and will be replaced"):
            assert_equal(built, build_world_graph(load_game("kuhn_poker")))


@pytest.mark.parametrize("part", ["fractions", "exact_probability"])
def test_half_of_the_exact_probabilities_is_refused(part, tmp_path):
    """Without one of the two, the graph would be one of rounded probabilities."""
    with graph_cache(tmp_path):
        build_world_graph(load_game("kuhn_poker"))
        path = only_file(tmp_path)
        header, arrays = array_files.read_arrays(path)
        for parts in (header, arrays):
            parts.pop(part, None)
        array_files.write_arrays(path, header, arrays)
        with pytest.warns(GraphCacheWarning, match="its exact_probability cannot be"):
            build_world_graph(load_game("kuhn_poker"))


def test_a_file_with_pickled_objects_is_not_read(tmp_path):
    with graph_cache(tmp_path):
        build_world_graph(load_game("kuhn_poker"))
        objects = np.array([{}], dtype=object)
        with only_file(tmp_path).open("wb") as file:
            np.savez(file, header=objects)
        with pytest.warns(GraphCacheWarning, match="is not used and will be replaced"):
            build_world_graph(load_game("kuhn_poker"))


def test_a_full_disk_does_not_stop_building(tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(array_files.np, "savez", full)
    with graph_cache(tmp_path), pytest.warns(GraphCacheWarning, match="No space left on device"):
        assert build_world_graph(load_game("kuhn_poker")).num_worlds == 55
    assert not [*tmp_path.iterdir()]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ParameterError, match="cannot be made"),
        graph_cache(tmp_path / "file" / "graphs"),
    ):
        pass


def test_limits_apply_to_loaded_graphs_too(tmp_path):
    with graph_cache(tmp_path):
        build_world_graph(load_game("leduc_poker"))
        with pytest.raises(ExplorationLimitError, match="at the limit of 100"):
            build_world_graph(load_game("leduc_poker"), max_worlds=100)


def test_partial_graphs_are_not_saved(tmp_path):
    with graph_cache(tmp_path):
        build_world_graph(load_game("leduc_poker"), max_worlds=100, partial=True)
    assert not [*tmp_path.iterdir()]


def test_a_class_in_a_function_is_not_saved(tmp_path):
    class Local(type(load_game("kuhn_poker"))):  # type: ignore[misc]
        pass

    with (
        graph_cache(tmp_path),
        pytest.warns(GraphCacheWarning, match="Local is defined in a function; define it in a mod"),
    ):
        build_world_graph(Local())
    assert not [*tmp_path.iterdir()]


def test_a_game_that_holds_an_object_is_not_saved(coins, tmp_path):
    with (
        graph_cache(tmp_path / "cache"),
        pytest.warns(GraphCacheWarning, match=r"attribute factor cannot be identified: <object"),
    ):
        build_world_graph(coins.load(factor=_One()))


class _One(int):
    def __repr__(self):
        return "<object>"


def test_a_game_with_labels_of_another_type_is_not_saved(coins, tmp_path):
    source = RULES.replace("private=[next_world[0] if", "private=[1j if")
    coins.write("rules_of_coins", source)
    with (
        graph_cache(tmp_path / "cache"),
        pytest.warns(GraphCacheWarning, match=r"a label has no text: 1j has the type complex"),
    ):
        build_world_graph(coins.load())


def test_rules_with_hidden_dependencies_are_found_out_when_they_are_replayed(coins, tmp_path):
    with graph_cache(tmp_path / "cache"):
        build_world_graph(coins.load())
        loaded = build_world_graph(coins.load())
    type(loaded.game).transitions = lambda *arguments: []  # type: ignore[method-assign]
    with pytest.raises(GraphFileError, match="do not use a cache"):
        tuple(loaded.worlds)


def test_an_array_that_is_missing_from_the_directory_of_the_archive_is_noticed(tmp_path):
    """The optional exact probabilities are the last entry."""
    path = tmp_path / "one.graph"
    array_files.write_arrays(path, {"format": 1}, {"first": np.arange(3), "last": np.arange(4)})
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()[:-1]}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in kept.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match="does not contain the arrays"):
        array_files.read_arrays(path)
