"""Registration of a user's methods, learners and searchers by name."""

from __future__ import annotations

from collections.abc import Sequence

from infoset.learning import LEARNERS, LearnerSpec
from infoset.regret import RegretScheme
from infoset.search import SEARCHERS, Searcher, SearcherSpec
from infoset.solvers import METHODS, MethodSpec, get_method


def register_method(method: RegretScheme | MethodSpec, *aliases: str) -> None:
    """Register a method by its name for `solve`, `compare` and the command line.

    Parameters
    ----------
    method
        A scheme of the CFR family, or an object with `name`, `description` and `run`.
    *aliases
        Alternative names.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from infoset.regret import SCHEMES
    >>> register_method(replace(SCHEMES["cfr+"], name="my-cfr+"))
    >>> get_method("my-cfr+").name
    'my-cfr+'
    """
    METHODS.register(get_method(method), *aliases)


def register_learner(learner: LearnerSpec, *aliases: str) -> None:
    """Register a learner by its name for `learn` and the command line."""
    LEARNERS.register(learner, *aliases)


def register_searcher(
    name: str, searcher: type[Searcher], *, description: str = "", aliases: Sequence[str] = ()
) -> None:
    """Register a searcher by name for `make_searcher`, matches and the command line.

    Parameters
    ----------
    searcher
        A class whose first parameter is the search model.
    description
        One line, which is shown in lists.
    aliases
        Alternative names.

    Raises
    ------
    ParameterError
        If a name belongs to another searcher.
    """
    SEARCHERS.register(SearcherSpec(name, description, searcher), *aliases)
