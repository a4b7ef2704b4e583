"""Methods that a page can run: solvers, learners, and policy networks if JAX is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from infoset.forms import Form
from infoset.front import ComparedMethod
from infoset.learning import LEARNERS, learns_on_forms
from infoset.solvers import METHODS, runs_on
from infoset.solvers.regret_family import RegretMethod
from infoset.tree import GameTree
from infoset.utils.extras import has_extra
from infoset.views.game_view import SubjectKind

ON_TREES: Final[tuple[SubjectKind, ...]] = ("tree",)
ANYWHERE: Final[tuple[SubjectKind, ...]] = ("tree", "public")

# Those of infoset.deep, which takes seconds to import.
NETWORKS: Final = {
    "rnad": "R-NaD with a network, on sampled episodes",
    "rnad-large": "R-NaD with larger batches, for lower exploitability after a few minutes",
    "rnad-expected": "R-NaD with a network and expectations over the whole tree, without sampling",
}


@dataclass(frozen=True)
class WatchedMethod:
    """A method that can be run and watched."""

    name: str
    kind: str
    """The group in which a page lists it."""
    about: str
    """The method in one line, with its source."""
    make: Callable[[GameTree | Form], ComparedMethod]
    """Returns the method for a tree or a public form, as `LiveRun` accepts it."""
    subjects: tuple[SubjectKind, ...] = ANYWHERE
    """The kinds of games on which it runs."""

    @classmethod
    def named(
        cls, name: str, kind: str, about: str, subjects: tuple[SubjectKind, ...] = ANYWHERE
    ) -> WatchedMethod:
        """Return a method that `infoset.compare` knows by its name."""
        return cls(name, kind, about, lambda game: name, subjects)


def watched_methods() -> tuple[WatchedMethod, ...]:
    """Return all methods of the library; networks only if the extra `deep` is installed.

    Examples
    --------
    >>> {method.kind for method in watched_methods()} >= {"CFR family", "learners"}
    True
    """
    found = []
    for spec in METHODS.values():
        kind = "CFR family" if isinstance(spec, RegretMethod) else "other solvers"
        subjects = ANYWHERE if runs_on(spec, "public") else ON_TREES
        found.append(WatchedMethod.named(spec.name, kind, spec.description, subjects))
    found.sort(key=lambda method: method.kind)
    for learner in LEARNERS.values():
        if learner.name not in METHODS:
            subjects = ANYWHERE if learns_on_forms(learner) else ON_TREES
            about = learner.description
            found.append(WatchedMethod.named(learner.name, "learners", about, subjects))
    if has_extra("deep"):
        found += [_network(preset, about) for preset, about in NETWORKS.items()]
    return tuple(found)


def _network(preset: str, about: str) -> WatchedMethod:
    """Return a preset of policy networks; JAX is loaded when it runs."""

    def make(game: GameTree | Form) -> ComparedMethod:
        from infoset.deep import NetworkMethod

        assert isinstance(game, GameTree)  # guaranteed by `subjects`
        return NetworkMethod(game, preset)

    return WatchedMethod(f"{preset} network", "policy networks", about, make, ON_TREES)
