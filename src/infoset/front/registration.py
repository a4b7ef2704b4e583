"""Registration of a user's methods, learners and searchers by name."""

from __future__ import annotations

from collections.abc import Sequence

from infoset.learning import LEARNERS, LearnerSpec
from infoset.regret import RegretScheme
from infoset.search import SEARCHERS, Searcher, SearcherSpec
from infoset.solvers import METHODS, MethodSpec, get_method

__all__ = ["register_learner", "register_method", "register_searcher"]


def register_method(method: RegretScheme | MethodSpec, *aliases: str) -> None:
    """Register a method by its name for `solve`, `compare` and the command line.

    Parameters
    ----------
    method : RegretScheme or MethodSpec
        A scheme of the CFR family, or an object with `name`, `description` and `run`.
    *aliases : str
        Alternative names.

    Raises
    ------
    ParameterError
        If a name belongs to another method, or the object is not a method.

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
    """Register a learner by its name for `learn` and the command line.

    Raises
    ------
    ParameterError
        If a name belongs to another learner, or the object is not a learner.
    """
    LEARNERS.register(learner, *aliases)


def register_searcher(
    name: str, searcher: type[Searcher], *, description: str = "", aliases: Sequence[str] = ()
) -> None:
    """Register a searcher by name for `make_searcher`, matches and the command line.

    Parameters
    ----------
    name : str
    searcher : type[Searcher]
        A class whose first parameter is the search model.
    description : str
        One line, which is shown in lists.
    aliases : Sequence[str]
        Alternative names.

    Raises
    ------
    ParameterError
        If a name belongs to another searcher.
    """
    SEARCHERS.register(SearcherSpec(name, description, searcher), *aliases)
