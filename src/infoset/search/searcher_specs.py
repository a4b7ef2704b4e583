"""The registry of searchers that can be chosen by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Final

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import Form
from infoset.game import Game
from infoset.games import parse_spec
from infoset.policy import uniform_policy
from infoset.resolving import ContinualResolving, DepthLimitedSearch
from infoset.runs.searcher import Searcher
from infoset.search.alpha_mu import AlphaMu
from infoset.search.epimc import EPIMC
from infoset.search.ismcts import ISMCTS
from infoset.search.models import SearchModel, search_model
from infoset.search.pimc import PIMC
from infoset.tree import GameTree, WorldGraph
from infoset.utils.arguments import check_choice, check_type
from infoset.utils.registry import Registry

EXAMPLE = (
    "write it as name(parameter=value,...), for example pimc(num_worlds=200,public_weight=0.5)"
)

BELIEF_PARAMETERS: Final = ("public_weight", "max_worlds", "num_samples")
"""Parameters of `PublicPrivateBelief` that can be given instead of `belief`."""


@dataclass(frozen=True)
class SearcherSpec:
    """A registered searcher."""

    name: str
    description: str
    """One line, with the source."""
    searcher_class: type[Searcher]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Named sets of parameters, for `preset`."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of its parameters: those of the class except `model`, and those of its belief.

        Searchers with presets also have the parameter `preset`.
        """
        own = [name for name in signature(self.searcher_class).parameters if name != "model"]
        of_belief = BELIEF_PARAMETERS if "belief" in own else ()
        return (*of_belief, *own, *(("preset",) if self.presets else ()))


_SPECS: Final = (
    SearcherSpec(
        "pimc",
        "perfect-information Monte Carlo with mixed beliefs (Arjonilla et al. 2024)",
        PIMC,
    ),
    SearcherSpec(
        "epimc",
        "PIMC with perfect information only after the player's next decisions (based on Arjonilla "
        "et al. 2024)",
        EPIMC,
    ),
    SearcherSpec(
        "alpha-mu",
        "Pareto fronts of results by world, against an opponent that sees everything (Cazenave and "
        "Ventos 2019)",
        AlphaMu,
    ),
    SearcherSpec(
        "ismcts",
        "information-set Monte Carlo tree search with one tree per player (MO-ISMCTS of Cowling, "
        "Powley and Whitehouse 2012)",
        ISMCTS,
        {
            "openspiel": {"exploration": 0.7, "bonus": "ln", "reward_scale": 1.0},
            "arjonilla-2024": {"bonus": "2ln", "reward_scale": 1.0, "num_rollouts": 20},
        },
    ),
    SearcherSpec(
        "depth_limited",
        "depth-limited re-solving of each decision alone, in the ranges of a blueprint",
        DepthLimitedSearch,
    ),
    SearcherSpec(
        "continual_resolving",
        "continual re-solving to a depth limit, safe by gadgets (Moravčík et al. 2017)",
        ContinualResolving,
    ),
    SearcherSpec(
        "sepot",
        "continual re-solving with a network and its critic (Kubíček, Burch, Lisý 2023)",
        ContinualResolving,
        {"paper": {"opponent": "profile", "leaf_rule": "stateless", "iterations": 1500}},
    ),
)

SEARCHERS: Registry[SearcherSpec] = Registry(
    "searcher",
    _SPECS,
    entry_type=SearcherSpec,
    expected='a name such as "pimc"',
    aliases={"alpha_mu": "alpha-mu", "mo-ismcts": "ismcts"},
)
"""The searchers by name; `SEARCHERS.register` adds one."""


def get_searcher(name: str) -> SearcherSpec:
    """Return the registered searcher of a name, ignoring upper and lower case.

    Examples
    --------
    >>> get_searcher("PIMC").searcher_class.__name__
    'PIMC'
    """
    return SEARCHERS.resolve(name)


def make_searcher(
    searcher: str, source: Game | GameTree | WorldGraph | Form | SearchModel, **parameters: Any
) -> Searcher:
    """Create a searcher for a game by name.

    Parameters
    ----------
    searcher
        A name of `SEARCHERS`, with parameters in parentheses as in names of games: `pimc`,
        `ismcts(num_simulations=500,public_weight=0.2)`.
    source
        The game. Several searchers can share one `search_model(game)`. A form stands for the rules
        of its game, by which searchers search; those that re-solve search on a public form.
    **parameters
        Parameters of the class that are not given in the text, such as `belief` or `seed`.
        `preset` is a named set of parameters, such as `openspiel` of `ismcts`; parameters that are
        given replace those of the preset.
        `public_weight`, `max_worlds` and `num_samples` set up a `PublicPrivateBelief`. In the text,
        `public_weight` is a number, or a list with one weight per move of the player, such as
        `[0.6;0.0]`. A blueprint and leaf values are objects here; the command line also reads
        them from files.

    Raises
    ------
    ParameterError
        If the text cannot be parsed, or a value is invalid or given twice.
    UnsupportedGameError
        If the game of a form is not known by name.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> searcher = make_searcher("pimc(public_weight=0.5)", load_game("kuhn_poker"))
    >>> searcher.belief.public_weight
    0.5
    """
    check_type("searcher", searcher, str, 'a text such as "pimc(num_worlds=200,public_weight=0.5)"')
    name, written = parse_spec(searcher, kind="searcher", example=EXAMPLE)
    spec = get_searcher(name)
    settings = _settings(spec, written, parameters)
    if isinstance(source, Form) and "blueprint" in spec.parameters:
        settings = {"blueprint": uniform_policy(source), **settings}
    model = source if isinstance(source, SearchModel) else search_model(source)
    return spec.searcher_class(model, **settings)


def _settings(
    spec: SearcherSpec, written: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of the class, with the belief built from its parameters."""
    for name in (*written, *given):
        if name not in spec.parameters:
            raise UnknownNameError.of(f"parameter of {spec.name}", name, spec.parameters)
        if name in written and name in given:
            raise ParameterError(
                f"{name} is given twice: in the text of {spec.name} and as an argument; remove "
                f"one of them"
            )
    settings = {**written, **given}
    if "preset" in settings:
        preset = str(settings.pop("preset")).lower()
        check_choice(f"preset of {spec.name}", preset, spec.presets)
        settings = {**spec.presets[preset], **settings}
    if "belief" not in spec.parameters:
        return settings
    of_belief = {name: settings.pop(name) for name in BELIEF_PARAMETERS if name in settings}
    if of_belief and "belief" in settings:
        raise ParameterError(
            f"{' and '.join(of_belief)} and belief are both given; give only one of them, such as "
            f"belief=PublicPrivateBelief(public_weight, policies=...)"
        )
    if of_belief:
        weight = of_belief.pop("public_weight", 0.0)
        settings["belief"] = PublicPrivateBelief(weight, **of_belief)
    return settings
