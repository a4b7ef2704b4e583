"""Subjects of benchmarks: methods, learners, networks and searchers, known by their shape."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, Final, Literal, TypeAlias, cast

from infoset.benchmark.child_messages import Messenger
from infoset.errors import (
    InfosetError,
    ParameterError,
    SubjectShapeError,
    UnknownNameError,
    as_error,
)
from infoset.forms import SequenceForm
from infoset.front import resolve_learner
from infoset.front.players import is_searcher, resolve_players
from infoset.front.python_files import is_python_file, read_python_object
from infoset.game import Game
from infoset.games import parse_spec
from infoset.learning import LEARNERS, AutoLearner, LearnerSpec
from infoset.matches import SupportsSearch
from infoset.policy import Policy, TabularPolicy
from infoset.regret import RegretScheme
from infoset.runs import Budget, SolveResult
from infoset.search import SEARCHERS
from infoset.solvers import METHODS, CustomMethod, LocalMethod, MethodSpec, get_method, has_seed
from infoset.utils.arguments import check_type
from infoset.utils.paths import looks_like_path, no_such_path

SubjectKind: TypeAlias = Literal["method", "learner", "network", "searcher"]

NETWORK_PREFIX: Final = "network:"
"""What the names of presets of policy networks begin with."""

EXAMPLE: Final = "give a name such as pcfr+, or file.py:NAME"

SHAPES: Final = """\
  def solve(form, budget): return policy            # or an object with this method
  def rule(row, values, policy, state): ...         # update rule: writes policy in place
  scheme = dataclasses.replace(SCHEMES["dcfr"], name="mine", negative_discount=0.5)
  learner = dataclasses.replace(LEARNERS["es-mccfr"], name="mine")  # any LearnerSpec
  class Mine(Searcher):                             # or any class of a search model
      def search(self, infostate, rng): return probabilities
  network = dataclasses.replace(PRESETS["rnad"], name="mine")       # infoset.deep"""
"""The shapes of subjects, as text to paste."""

RULE_PARAMETERS: Final = 4
SOLVER_PARAMETERS: Final = 2


@dataclass(frozen=True)
class Subject:
    """Something that a benchmark measures."""

    text: str
    """How it was named: a name of the library, or `file.py:NAME`."""
    name: str
    """Name on the score card."""
    kind: SubjectKind
    spec: Any = None
    """The method itself; None for searchers, which `searcher` makes for each game, and for subjects
    that another process has reported."""
    draws: bool | None = None
    """Whether it draws random numbers, if another process has reported it; see also `spec`."""

    @property
    def is_random(self) -> bool:
        """Whether it draws random numbers, so that it has seeds."""
        if self.draws is not None:
            return self.draws
        return self.kind != "method" or has_seed(self.spec)

    def searcher(self, game: Game) -> Policy | SupportsSearch:
        """Return a new searcher for a game.

        Raises
        ------
        InfosetError
            If it cannot be made.
        """
        (found,) = resolve_players([self.text], game)
        return cast("Policy | SupportsSearch", found)


def find_subject(text: str) -> Subject:
    """Return what a text names; what an object of a file is follows from its shape.

    Parameters
    ----------
    text
        A method, learner or searcher by name, such as `pcfr+` or `pimc(num_worlds=20)`;
        `network:PRESET`; or `file.py:NAME`, with parameters in parentheses for a class.

    Raises
    ------
    UnknownNameError
        If no method, learner or searcher has the name, or the file has no such object.
    SubjectShapeError
        If the object has none of the shapes; the message shows them.

    Examples
    --------
    >>> find_subject("pcfr+").kind, find_subject("pimc(num_worlds=9)").kind
    ('method', 'searcher')
    """
    check_type("subject", text, str, "a name such as pcfr+, or file.py:NAME")
    if is_python_file(text):
        return _from_file(text)
    if text.startswith(NETWORK_PREFIX):
        from infoset.deep import get_preset

        preset = get_preset(text.removeprefix(NETWORK_PREFIX))
        return Subject(text, f"{preset.name} network", "network", preset)
    if METHODS.knows(text):
        spec = get_method(text)
        return Subject(text, spec.name, "method", spec)
    if LEARNERS.knows(text):
        return Subject(text, resolve_learner(text).name, "learner", _chosen(resolve_learner(text)))
    if looks_like_path(text) and not os.path.exists(text):
        raise ParameterError(no_such_path(text, EXAMPLE))
    name, _ = parse_spec(text, kind="subject", example=EXAMPLE)
    if SEARCHERS.knows(name) and is_searcher(text):
        return Subject(text, text, "searcher")
    known = (*METHODS.known_names, *LEARNERS.known_names, *SEARCHERS.known_names)
    raise UnknownNameError.of("subject", name, known)


def report_subject(job: Mapping[str, Any], messenger: Messenger) -> None:
    """Report what the text of a job names; its file is executed in this process only.

    Parameters
    ----------
    job
        `text`.
    """
    try:
        found = find_subject(job["text"])
    except InfosetError as error:
        kind = type(error).__name__
        messenger.send("wrong", error=kind, message=str(error))
        return
    about = {"name": found.name, "subject": found.kind, "draws": found.is_random}
    messenger.send("subject", **about)


def _chosen(learner: LearnerSpec) -> LearnerSpec:
    return learner.choose()[0] if isinstance(learner, AutoLearner) else learner


def _from_file(text: str) -> Subject:
    """Return the subject of a Python file."""
    name, found, parameters = read_python_object(text)
    if parameters and not isinstance(found, type):
        raise ParameterError(f"{name} is not a class and takes no parameters: {text}")
    method = _method(found, parameters, name)
    if method is not None:
        return _checked_name(Subject(text, method.name, "method", method))
    is_learner = isinstance(found, type) and _has(found, "name", "knowledge", "self_play")
    made = _made(found, parameters, text) if is_learner else found
    if isinstance(made, LearnerSpec) and not isinstance(made, type):
        return _checked_name(Subject(text, made.name, "learner", _chosen(made)))
    # By the name of the class, so that JAX is not loaded.
    if any(base.__name__ == "NetworkSpec" for base in type(made).__mro__):
        return Subject(text, f"{made.name} network", "network", made)
    if _searches(found):
        return Subject(text, name, "searcher")
    raise SubjectShapeError(
        f"{text} is {_described(found)}, which has none of the shapes of a subject; paste one of "
        f"these into the file:\n{SHAPES}"
    )


def _checked_name(subject: Subject) -> Subject:
    """Return a subject of a file, if its name is not that of a method of the library."""
    if METHODS.knows(subject.name) or LEARNERS.knows(subject.name):
        raise ParameterError(
            f"{subject.text} is called {subject.name!r}, which is the name of a method of the "
            "library; choose another name, such as dataclasses.replace(scheme, name='mine')"
        )
    return subject


def _described(found: object) -> str:
    return f"the class {found.__name__}" if isinstance(found, type) else f"a {type(found).__name__}"


def _method(found: Any, parameters: Mapping[str, Any], name: str) -> MethodSpec | None:
    """Return an object, function or class as a method; None if it has another shape."""
    if isinstance(found, RegretScheme):
        return get_method(found)
    if isinstance(found, type):
        if callable(getattr(found, "solve", None)):
            return _of_class(found, parameters, name)
        is_spec = _has(found, "name", "description", "run") and not _has(found, "self_play")
        return cast(MethodSpec, found(**parameters)) if is_spec else None
    if callable(getattr(found, "solve", None)):
        return CustomMethod(name, "an object with the method solve", found.solve)
    if isinstance(found, MethodSpec):
        return found
    return _of_function(found, name) if callable(found) else None


def _has(kind: type, *names: str) -> bool:
    # A field without a default is not an attribute of the class.
    known = {*dir(kind), *getattr(kind, "__dataclass_fields__", {})}
    return known.issuperset(names)


def _of_class(kind: type, parameters: Mapping[str, Any], name: str) -> MethodSpec:
    """Return a class with the method `solve` as a method; a new instance solves each game."""
    has_seed = "seed" in signature(kind).parameters

    def run(form: SequenceForm, budget: Budget) -> SolveResult | TabularPolicy:
        return cast(TabularPolicy, kind(**parameters).solve(form, budget))

    def run_seeded(
        form: SequenceForm, budget: Budget, seed: int = 0
    ) -> SolveResult | TabularPolicy:
        return cast(TabularPolicy, kind(**{**parameters, "seed": seed}).solve(form, budget))

    return CustomMethod(name, "a class with the method solve", run_seeded if has_seed else run)


def _of_function(function: Callable[..., Any], name: str) -> MethodSpec | None:
    """Return a function as a method: one of form and budget, or an update rule."""
    # Functions that Numba has compiled have the original as `py_func`.
    original = getattr(function, "py_func", function)
    try:
        known = signature(original).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    needed = [one for one in known if one.default is Parameter.empty and one.kind in kinds]
    if len(needed) == RULE_PARAMETERS:
        return LocalMethod(name, function)
    if len(needed) == SOLVER_PARAMETERS and not {"infostate", "rng"} & {p.name for p in needed}:
        return CustomMethod(name, "a function of a sequence form and a budget", function)
    return None


def _made(kind: Any, parameters: Mapping[str, Any], text: str) -> Any:
    try:
        return kind(**parameters)
    except BaseException as error:
        raise ParameterError(f"{text} cannot be created: {as_error(error)}") from error


def _searches(found: object) -> bool:
    """Return whether a class or object is a searcher, or a policy that is asked for decisions."""
    return callable(getattr(found, "search", None)) or callable(
        getattr(found, "action_probabilities", None)
    )
