"""A folder of saved world graphs, from which games are loaded instead of being built again."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infoset.errors import GraphCacheWarning, ParameterError
from infoset.game import Game
from infoset.game.rules_identity import UnknownRulesError, parameters_digest, rules_digest
from infoset.tree.graph_file import read_graph, write_graph
from infoset.tree.world_graph import WorldGraph
from infoset.utils.arguments import check_path

DIGITS: Final = 16
SUFFIX: Final = ".graph"
_FOLDER: ContextVar[Path | None] = ContextVar("graph_cache", default=None)


@contextmanager
def graph_cache(folder: str | Path) -> Iterator[Path]:
    """Save the world graphs of all games that are built in the block, and load those saved before.

    Building a large game mostly consists of visiting its world states in Python. A graph that is
    loaded has the same arrays and labels; its world states are made by the rules when they are
    needed. A saved graph is used only if the class of the game, its parameters, the source code and
    constants of its module and of your own modules that it imports, and the versions of Python,
    NumPy, other packages and this library are the same. Otherwise, or if the file is damaged, the
    game is built, the file is replaced, and a `GraphCacheWarning` says why.

    The same warning is issued, and nothing is saved, if a label is not text, a number, bytes, None,
    or a tuple or frozen set of these, if the rules are not in a file, or if the disk is full. Rules
    that read other files must make their content a parameter or a constant of the module.

    Parameters
    ----------
    folder
        It is created if it does not exist. Any of its files can be deleted.

    Raises
    ------
    ParameterError
        If the folder cannot be created.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> with graph_cache("graphs"):
    ...     tree = build_tree(load_game("kuhn_poker"))
    """
    check_path("cache", folder)
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(
            f"cache={path} cannot be made ({error.strerror or error}); give another folder"
        ) from error
    token = _FOLDER.set(path)
    try:
        yield path
    finally:
        _FOLDER.reset(token)


@dataclass(frozen=True)
class CacheEntry:
    """The file of one game in the cache."""

    game: Game
    path: Path
    rules: str
    """Digest of the rules before they were called."""

    def load(self) -> WorldGraph | None:
        """Return the graph in the file; None, with a warning unless there is no file, otherwise."""
        try:
            return read_graph(self.game, self.path, self.rules)
        except FileNotFoundError:
            return None
        except (ValueError, MemoryError) as error:
            _warn(f"{self.path} is not used and will be replaced: {error or 'out of memory'}")
            return None

    def save(self, graph: WorldGraph) -> None:
        """Write a graph to the file; a warning is issued if this is impossible."""
        try:
            write_graph(graph, self.path, self.rules)
        except OSError as error:
            _warn(f"{self.game} cannot be saved in {self.path}: {error.strerror or error}")
        except (ValueError, RecursionError) as error:
            _warn(f"{self.game} is not saved in the cache, because a label has no text: {error}")


def find_cache_entry(game: Game) -> CacheEntry | None:
    """Return the entry of a game in the cache of `graph_cache`.

    It is None if there is no cache, and, with a warning, if the rules cannot be identified.
    """
    folder = _FOLDER.get()
    if folder is None:
        return None
    try:
        parameters, rules = parameters_digest(game), rules_digest(game)
    except UnknownRulesError as error:
        _warn(f"{game} is not saved in the cache: {error}")
        return None
    except (OSError, ValueError, SyntaxError, RecursionError) as error:
        _warn(f"{game} is not saved in the cache, because its source cannot be read: {error}")
        return None
    name = re.sub(r"\W+", "_", game.name or type(game).__name__)[:100]
    return CacheEntry(game, folder / f"{name}-{parameters[:DIGITS]}{SUFFIX}", rules)


def _warn(message: str) -> None:
    warnings.warn(message, GraphCacheWarning, stacklevel=4)
