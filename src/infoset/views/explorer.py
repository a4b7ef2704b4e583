"""Questions of a page about a game, and their answers as JSON values.

A page names policies, opponents and methods by their positions in lists that it was given; it
never sends text that names a file or a game. The server, the notebook and saved pages share these
questions.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

from infoset.efg import ExtensiveForm
from infoset.errors import ParameterError
from infoset.evaluation import CorrelatedPolicy
from infoset.forms import PublicForm
from infoset.game import Game
from infoset.policy import Policy, TabularPolicy
from infoset.tree import GameTree
from infoset.views.form_views import (
    FormValues,
    view_form_children,
    view_form_history,
    view_form_infostates,
)
from infoset.views.glossary import TERMS
from infoset.views.hand_grids import view_hand_grid
from infoset.views.live_runs import LiveRun
from infoset.views.method_catalog import WatchedMethod
from infoset.views.plays import Play
from infoset.views.policy_differences import view_differences
from infoset.views.policy_matches import view_match
from infoset.views.policy_values import PolicyValues
from infoset.views.public_form_views import (
    view_public_beliefs,
    view_public_children,
    view_public_differences,
    view_public_hand_grid,
    view_public_infostates,
    view_public_match,
    view_public_state,
)
from infoset.views.public_places import PublicPlaces
from infoset.views.state_views import (
    view_beliefs,
    view_children,
    view_histories,
    view_infostates,
    view_state,
)

__all__ = ["MAX_PLAYS", "MAX_RUNS", "Explorer", "Opponent", "RequestError"]

MAX_PLAYS: Final = 8
"""Plays that are remembered; the one that was used least recently is forgotten."""
MAX_RUNS: Final = 2
"""Runs that can be watched at the same time."""
MAX_SEED: Final = 2**31
MAX_POLICIES: Final = 50

Opponent = Policy | CorrelatedPolicy
Subject = GameTree | PublicForm | ExtensiveForm | Game
Values = PolicyValues | PublicPlaces | FormValues

TREE_VIEWS: Final[Mapping[str, Callable[..., Any]]] = {
    "state": view_state,
    "children": view_children,
    "infostates": view_infostates,
    "hands": view_hand_grid,
}
PUBLIC_VIEWS: Final[Mapping[str, Callable[..., Any]]] = {
    "state": view_public_state,
    "children": view_public_children,
    "infostates": view_public_infostates,
    "hands": view_public_hand_grid,
}
"""Views of a place, by question, of games that are built as trees and as public forms."""


class RequestError(ParameterError):
    """A page has asked a question that does not exist, or with an argument out of range."""


@dataclass(frozen=True)
class _Question:
    """How a question is answered, and the exclusive upper bounds of its arguments."""

    answer: Callable[..., Any]
    arguments: Mapping[str, Callable[[], int]]
    optional: frozenset[str] = frozenset()


class _HeldPlay(NamedTuple):
    """A play with its own lock: a search that takes long holds up nobody else."""

    play: Play
    lock: threading.Lock


class Explorer:
    """A game with policies, opponents and methods, which answers the questions of a page.

    Parameters
    ----------
    game : GameTree, PublicForm, ExtensiveForm or Game
        A game as a tree has all views; a public form has those of public states and hands, without
        histories and runs; an extensive form has those of histories and infostates; rules, which
        are too large to build, can only be played.
    policies : Mapping[str, TabularPolicy or PublicPolicy]
        By the name that the page shows; at least one unless the game is given as rules.
    opponents : Mapping[str, Policy or CorrelatedPolicy]
        Further policies and searchers that can be played against.
    rules : Game, optional
        The rules for playing; by default those of the tree. Without rules there is no play.
    methods : Sequence[WatchedMethod]
        Methods that can be watched.

    Raises
    ------
    PolicyMismatchError
        If a policy belongs to another game.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> explorer = Explorer(kuhn, {"uniform": uniform_policy(kuhn.sequence_form)})
    >>> answer = explorer.ask({"ask": "state", "policy": 0, "state": 1})
    >>> answer["num_histories"], round(answer["values"][0], 9)
    (6, 0.125)
    """

    def __init__(
        self,
        game: Subject,
        policies: Mapping[str, TabularPolicy],
        opponents: Mapping[str, Opponent] | None = None,
        *,
        rules: Game | None = None,
        methods: Sequence[WatchedMethod] = (),
    ) -> None:
        self.game = game
        self.tree = game if isinstance(game, GameTree) else None
        self.public_form = game if isinstance(game, PublicForm) else None
        self.form = game if isinstance(game, ExtensiveForm) else None
        self.rules = rules or (self.tree.game if self.tree else None)
        if isinstance(game, Game):
            self.rules = game
        self.methods = tuple(methods) if self.tree else ()
        self.policy_names: list[str] = []
        self._values: list[Values] = []
        self._opponents: dict[str, Opponent] = {}
        self._plays: OrderedDict[int, _HeldPlay] = OrderedDict()
        self._num_plays = 0
        self._lock = threading.RLock()
        self._runs: list[LiveRun] = []
        for name, policy in policies.items():
            self.add_policy(name, policy)
        self._opponents.update(opponents or {})
        self._questions = self._make_questions()

    def ask(self, request: object) -> Any:
        """Answer a question of a page.

        Parameters
        ----------
        request : object
            JSON values: an object with the name of the question as `ask`, and its arguments.

        Raises
        ------
        RequestError
            If the question does not exist, or an argument is missing, unknown or out of range.
        InfosetError
            If a search fails.
        """
        if not isinstance(request, dict):
            raise RequestError("a request is a JSON object")
        given = dict(request)
        name = given.pop("ask", None)
        question = self._questions.get(name) if isinstance(name, str) else None
        if question is None:
            raise RequestError(f"unknown question; known are {', '.join(self._questions)}")
        missing = question.arguments.keys() - given.keys() - question.optional
        unknown = given.keys() - question.arguments.keys()
        if missing or unknown:
            raise RequestError(f"{name} takes {', '.join(question.arguments) or 'no arguments'}")
        for key, value in given.items():
            bound = question.arguments[key]()
            if type(value) is not int or not 0 <= value < bound:
                raise RequestError(f"{key} must be a whole number from 0 to {bound - 1}")
        try:
            answer = question.answer(**given)
        except RequestError:
            raise
        except ParameterError as error:
            raise RequestError(str(error)) from error
        return answer if isinstance(answer, (dict, list)) else asdict(answer)

    def add_policy(self, name: str, policy: TabularPolicy) -> int:
        """Add a policy to those of the page; return its position.

        Raises
        ------
        PolicyMismatchError
            If the policy belongs to another game.
        """
        with self._lock:
            values = self._values_of(policy)
            taken = {*self.policy_names, *self._opponents}
            number, unique = 2, name
            while unique in taken:
                unique, number = f"{name} #{number}", number + 1
            self.policy_names.append(unique)
            self._values.append(values)
            self._opponents[unique] = policy
            return len(self.policy_names) - 1

    def start_run(self, method: int, state: int, seconds: float | None = None) -> LiveRun:
        """Start a run that can be watched.

        Raises
        ------
        RequestError
            If the method or state does not exist, or two runs are in progress.
        InfosetError
            If the method does not apply to the game.
        """
        if self.tree is None or method not in range(len(self.methods)):
            raise RequestError(f"there are {len(self.methods)} methods, counted from 0")
        if state not in range(self._num_states()):
            raise RequestError(f"there are {self._num_states()} public states, counted from 0")
        with self._lock:
            self._runs = [run for run in self._runs if not run.is_over]
            if len(self._runs) >= MAX_RUNS:
                raise RequestError(f"{MAX_RUNS} runs are in progress; stop one of them")
            run = LiveRun(self.tree, self.methods[method].make(self.tree), state, seconds=seconds)
            self._runs.append(run)
            run.start()
            return run

    def keep_policy(self, run: LiveRun) -> int | None:
        """Add the policy of a run to those of the page; None if it has none or there are 50."""
        if run.policy is None or len(self.policy_names) >= MAX_POLICIES:
            return None
        point = run.newest()
        count = f", {point.iteration:,} iterations" if point is not None else ""
        return self.add_policy(f"{run.name}{count}", run.policy)

    def stop(self) -> None:
        """End all runs."""
        with self._lock:
            for run in self._runs:
                run.stop()
        for run in self._runs:
            run.wait(5)

    def describe(self) -> dict[str, Any]:
        """Return what the page shows first: the game, and the lists whose positions it sends."""
        kind = "rules"
        sizes: dict[str, int] = {}
        if self.tree is not None:
            kind = "tree"
            sizes = {
                "histories": self.tree.num_histories,
                "public states": self._num_states(),
                "infostates": sum(own.num_infostates for own in self.tree.infostate_trees),
            }
        elif self.public_form is not None:
            kind = "public"
            sizes = {
                "public nodes": self.public_form.num_nodes,
                "hands": sum(self.public_form.num_hands),
            }
        elif self.form is not None:
            kind = "form"
            sizes = {"histories": self.form.num_histories}
        return {
            "game": str(self.game) if self.public_form is None else self.public_form.name,
            "kind": kind,
            "num_players": self.game.num_players,
            "sizes": sizes,
            "policies": [self._policy_view(number) for number in range(len(self.policy_names))],
            "opponents": list(self._opponents) if self.rules is not None else [],
            "methods": [
                {"name": method.name, "kind": method.kind, "about": method.about}
                for method in self.methods
            ],
            "terms": TERMS,
        }

    def _policy_view(self, number: int) -> dict[str, Any]:
        measured = self._values[number].evaluation
        return {
            "name": self.policy_names[number],
            "values": list(measured.values),
            "nash_conv": max(0.0, measured.nash_conv),
            "exploitability": measured.exploitability,
        }

    def _values_of(self, policy: TabularPolicy) -> Values:
        if self.public_form is not None and policy.form.kind == "public":
            return PublicPlaces(self.public_form, policy)
        if policy.form.kind == "public" or self.public_form is not None:
            raise ParameterError(
                f"{self.game} shows policies of its own form: give a policy on the public form "
                "for a public form, and one on the sequence form for a tree"
            )
        if self.tree is not None:
            return PolicyValues(self.tree, policy)
        if self.form is not None:
            return FormValues(self.form, policy)
        raise ParameterError(f"{self.game} is too large for policies in tables")

    def _num_states(self) -> int:
        if self.public_form is not None:
            return self.public_form.num_nodes + len(self.public_form.terminals)
        assert self.tree is not None
        return self.tree.public_tree.num_public_states

    def _make_questions(self) -> dict[str, _Question]:
        """Return the questions that can be asked about this game."""
        found: dict[str, _Question] = {"game": _Question(self.describe, {})}
        policy, player = lambda: len(self._values), lambda: self.game.num_players
        if self.tree is not None or self.public_form is not None:
            at = {"policy": policy, "state": self._num_states}
            start = {"start": self._most}
            page = frozenset({"start"})
            views = TREE_VIEWS if self.tree is not None else PUBLIC_VIEWS
            found |= {
                "state": _Question(self._with_values(views["state"]), at),
                "children": _Question(self._with_values(views["children"]), at | start, page),
                "infostates": _Question(
                    self._with_values(views["infostates"]), at | {"player": player} | start, page
                ),
                "hands": _Question(self._with_values(views["hands"]), at | {"player": player}),
                "beliefs": _Question(self._beliefs, at | {"row": player, "column": player}),
                "differences": _Question(
                    self._differences, {"first": policy, "second": policy} | start, page
                ),
                "match": _Question(self._match, {"first": policy, "second": policy}),
            }
        if self.tree is not None:
            found["histories"] = _Question(self._with_values(view_histories), at | start, page)
        if self.form is not None:
            at = {"policy": policy, "history": lambda: self.form.num_histories}  # type: ignore[union-attr]
            start, page = {"start": self._most}, frozenset({"start"})
            found |= {
                "form_history": _Question(self._with_values(view_form_history), at),
                "form_children": _Question(self._with_values(view_form_children), at | start, page),
                "form_infostates": _Question(
                    self._with_values(view_form_infostates),
                    {"policy": policy, "player": player} | start,
                    page,
                ),
            }
        if self.rules is not None and self._opponents:
            found |= {
                "play": _Question(
                    self._play,
                    {
                        "opponent": lambda: len(self._opponents),
                        "player": player,
                        "seed": lambda: MAX_SEED,
                    },
                ),
                "act": _Question(self._act, {"play": self._most, "action": self._most}),
                "review": _Question(
                    self._review, {"play": self._most, "policy": policy}, frozenset({"policy"})
                ),
                "opponent_belief": _Question(
                    self._opponent_belief, {"play": self._most, "thought": self._most}
                ),
            }
        return found

    @staticmethod
    def _most() -> int:
        """Return the bound of numbers whose range is checked by the view."""
        return MAX_SEED

    def _with_values(self, view: Callable[..., Any]) -> Callable[..., Any]:
        """Return a view that takes the position of a policy in place of its values."""

        def answer(policy: int, **arguments: int) -> Any:
            with self._lock:
                return view(self._values[policy], **arguments)

        return answer

    def _beliefs(self, policy: int, state: int, row: int, column: int) -> Any:
        with self._lock:
            values = self._values[policy]
            if isinstance(values, PublicPlaces):
                return view_public_beliefs(values, state, (row, column))
            return view_beliefs(self._tree_values(policy), state, (row, column))

    def _differences(self, first: int, second: int, start: int = 0) -> Any:
        with self._lock:
            one, other = self._values[first], self._values[second]
            if isinstance(one, PublicPlaces) and isinstance(other, PublicPlaces):
                return view_public_differences(one, other, start)
            return view_differences(self._tree_values(first), self._tree_values(second), start)

    def _match(self, first: int, second: int) -> Any:
        with self._lock:
            one, other = self._values[first], self._values[second]
            if isinstance(one, PublicPlaces) and isinstance(other, PublicPlaces):
                return view_public_match(one, other)
            return view_match(self._tree_values(first).policy, self._tree_values(second).policy)

    def _tree_values(self, policy: int) -> PolicyValues:
        values = self._values[policy]
        assert isinstance(values, PolicyValues)
        return values

    def _play(self, opponent: int, player: int, seed: int) -> dict[str, Any]:
        assert self.rules is not None
        chosen: Sequence[Opponent] = list(self._opponents.values())
        play = Play(self.rules, player, chosen[opponent], seed)
        with self._lock:
            self._num_plays += 1
            self._plays[self._num_plays] = _HeldPlay(play, threading.Lock())
            while len(self._plays) > MAX_PLAYS:
                self._plays.popitem(last=False)
            return {"play": self._num_plays, **asdict(play.view())}

    def _act(self, play: int, action: int) -> dict[str, Any]:
        held = self._known_play(play)
        with held.lock:
            return {"play": play, **asdict(held.play.act(action))}

    def _review(self, play: int, policy: int | None = None) -> Any:
        held = self._known_play(play)
        chosen = None if policy is None or self.tree is None else self._tree_values(policy).policy
        with held.lock:
            return held.play.review(chosen)

    def _opponent_belief(self, play: int, thought: int) -> Any:
        held = self._known_play(play)
        with held.lock:
            return held.play.belief(thought, self.tree)

    def _known_play(self, play: int) -> _HeldPlay:
        with self._lock:
            if play not in self._plays:
                raise RequestError(f"play {play} does not exist any more; begin another")
            self._plays.move_to_end(play)
            return self._plays[play]
