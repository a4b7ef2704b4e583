"""The table of searchers that are known by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Final

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Game
from infoset.games import parse_spec
from infoset.search.ismcts import ISMCTS
from infoset.search.models import SearchModel, search_model
from infoset.search.pimc import EPIMC, PIMC
from infoset.search.searcher import Searcher
from infoset.tree import GameTree, WorldGraph
from infoset.utils.arguments import check_type
from infoset.utils.registry import Registry

__all__ = ["SEARCHERS", "SearcherSpec", "get_searcher", "make_searcher"]

EXAMPLE = (
    "write it as name(parameter=value,...), for example pimc(num_worlds=200,public_weight=0.5)"
)


OF_BELIEF: Final = ("public_weight", "max_worlds", "num_samples")
"""What of a belief may be told in its place."""


@dataclass(frozen=True)
class SearcherSpec:
    """A searcher that is known by name.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    kind : type[Searcher]
        Its class.
    """

    name: str
    description: str
    kind: type[Searcher]

    @property
    def parameters(self) -> tuple[str, ...]:
        """What it can be told by name: what its class takes besides the model, and its belief."""
        return (*OF_BELIEF, *(name for name in signature(self.kind).parameters if name != "model"))


_ROWS: Final = (
    SearcherSpec(
        "pimc",
        "perfect-information Monte Carlo, from mixed beliefs (Arjonilla et al. 2024)",
        PIMC,
    ),
    SearcherSpec(
        "epimc",
        "PIMC whose own next decisions are taken without seeing everything "
        "(after Arjonilla et al. 2024)",
        EPIMC,
    ),
    SearcherSpec(
        "ismcts",
        "information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012)",
        ISMCTS,
    ),
)

SEARCHERS: Registry[SearcherSpec] = Registry(
    "searcher", _ROWS, entry_type=SearcherSpec, expected='a name such as "pimc"'
)
"""The searchers by name."""


def get_searcher(name: str) -> SearcherSpec:
    """Return the searcher of a name, in any case of letters.

    Raises
    ------
    UnknownNameError
        If there is none of that name; the message gives the nearest.
    ParameterError
        If it is no name.

    Examples
    --------
    >>> get_searcher("PIMC").kind.__name__
    'PIMC'
    """
    return SEARCHERS.resolve(name)


def make_searcher(
    searcher: str, source: Game | GameTree | WorldGraph | SearchModel, **parameters: Any
) -> Searcher:
    """Return a searcher for a game, by name.

    Parameters
    ----------
    searcher : str
        A name of `SEARCHERS`, with parameters in parentheses as those of games are written:
        `pimc`, `ismcts(num_simulations=500,public_weight=0.2)`.
    source : Game, GameTree, WorldGraph or SearchModel
        The game; several searchers may share what `search_model` makes of it.
    **parameters
        Parameters of the class that are not in the text, such as `belief` or `seed`.
        `public_weight`, `max_worlds` and `num_samples` set up a `PublicPrivateBelief`. In a text
        `public_weight` is a number, or a list by own move, as `[0.6;0.0]`.

    Raises
    ------
    UnknownNameError
        If there is no such searcher, or it has no such parameter; the message gives the nearest.
    ParameterError
        If the text cannot be read, a value is not allowed, or is given twice.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> searcher = make_searcher("pimc(public_weight=0.5)", load_game("kuhn_poker"))
    >>> searcher.belief.public_weight
    0.5
    """
    check_type("searcher", searcher, str, 'a text such as "pimc(num_worlds=200,public_weight=0.5)"')
    name, written = parse_spec(searcher, kind="searcher", example=EXAMPLE)
    row = get_searcher(name)
    settings = _settings(row, written, parameters)
    model = source if isinstance(source, SearchModel) else search_model(source)
    return row.kind(model, **settings)


def _settings(
    row: SearcherSpec, written: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the class is told, with the belief made from its parameters."""
    for name in (*written, *given):
        if name not in row.parameters:
            raise UnknownNameError.of(f"parameter of {row.name}", name, row.parameters)
        if name in written and name in given:
            raise ParameterError(f"{name} is given twice, in the text of {row.name} and beside it")
    settings = {**written, **given}
    told = {name: settings.pop(name) for name in OF_BELIEF if name in settings}
    if told and "belief" in settings:
        raise ParameterError(
            f"{' and '.join(told)} and belief say the same; give one, or "
            "belief=PublicPrivateBelief(public_weight, policies=...)"
        )
    if told:
        settings["belief"] = PublicPrivateBelief(told.pop("public_weight", 0.0), **told)
    return settings
