"""Questions of a page about a game, and their answers as JSON values.

A page names policies, opponents and methods by their positions in lists that it was given; it
never sends text that names a file or a game. The server, the notebook and saved pages share these
questions.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
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
from infoset.views.game_view import GameView, MethodView, PolicyView, SubjectKind
from infoset.views.glossary import TERMS
from infoset.views.hand_grids import view_hand_grid
from infoset.views.live_runs import LiveRun
from infoset.views.method_catalog import WatchedMethod
from infoset.views.plays import NumberedPlayView, Play, PlayView
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
from infoset.views.questions import QUESTIONS
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
    "histories": view_histories,
}
PUBLIC_VIEWS: Final[Mapping[str, Callable[..., Any]]] = {
    "state": view_public_state,
    "children": view_public_children,
    "infostates": view_public_infostates,
    "hands": view_public_hand_grid,
}
FORM_VIEWS: Final[Mapping[str, Callable[..., Any]]] = {
    "form_history": view_form_history,
    "form_children": view_form_children,
    "form_infostates": view_form_infostates,
}
"""Views by question, of trees, public forms and extensive forms."""


class RequestError(ParameterError):
    """A page has asked a question that does not exist, or with an argument out of range."""


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
        self._answers = self._make_answers()

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
        if not isinstance(name, str) or name not in self._answers:
            raise RequestError(f"unknown question; known are {', '.join(self._answers)}")
        question = QUESTIONS[name]
        missing = {*question.arguments} - given.keys() - question.optional
        unknown = given.keys() - {*question.arguments}
        if missing or unknown:
            raise RequestError(f"{name} takes {', '.join(question.arguments) or 'no arguments'}")
        for key, value in given.items():
            bound = self._bound(key)
            if type(value) is not int or not 0 <= value < bound:
                raise RequestError(f"{key} must be a whole number from 0 to {bound - 1}")
        try:
            answer = self._answers[name](**given)
        except RequestError:
            raise
        except ParameterError as error:
            raise RequestError(str(error)) from error
        return asdict(answer)

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

    def describe(self) -> GameView:
        """Return what the page shows first: the game, and the lists whose positions it sends."""
        policies = zip(self.policy_names, self._values, strict=True)
        return GameView(
            game=str(self.game) if self.public_form is None else self.public_form.name,
            kind=self.kind,
            num_players=self.game.num_players,
            sizes=self._sizes(),
            policies=tuple(_policy_view(name, values) for name, values in policies),
            opponents=tuple(self._opponents) if self.rules is not None else (),
            methods=tuple(
                MethodView(method.name, method.kind, method.about) for method in self.methods
            ),
            terms=dict(TERMS),
        )

    @property
    def kind(self) -> SubjectKind:
        """What is shown: a tree, a public form, an extensive form, or rules alone."""
        if self.tree is not None:
            return "tree"
        if self.public_form is not None:
            return "public"
        return "rules" if self.form is None else "form"

    def _sizes(self) -> dict[str, int]:
        if self.tree is not None:
            return {
                "histories": self.tree.num_histories,
                "public states": self._num_states(),
                "infostates": sum(own.num_infostates for own in self.tree.infostate_trees),
            }
        if self.public_form is not None:
            return {
                "public nodes": self.public_form.num_nodes,
                "hands": sum(self.public_form.num_hands),
            }
        return {} if self.form is None else {"histories": self.form.num_histories}

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

    def _make_answers(self) -> dict[str, Callable[..., Any]]:
        """Return the functions that answer the questions about this game."""
        found: dict[str, Callable[..., Any]] = {"game": self.describe}
        if self.tree is not None or self.public_form is not None:
            views = TREE_VIEWS if self.tree is not None else PUBLIC_VIEWS
            found |= {name: self._with_values(view) for name, view in views.items()}
            found |= {
                "beliefs": self._beliefs,
                "differences": self._differences,
                "match": self._match,
            }
        if self.form is not None:
            found |= {name: self._with_values(view) for name, view in FORM_VIEWS.items()}
        if self.rules is not None and self._opponents:
            found |= {
                "play": self._play,
                "act": self._act,
                "review": self._review,
                "opponent_belief": self._opponent_belief,
            }
        return found

    def _bound(self, argument: str) -> int:
        """Return the exclusive upper bound of an argument; views check some ranges themselves."""
        if argument in ("policy", "first", "second"):
            return len(self._values)
        if argument in ("player", "row", "column"):
            return self.game.num_players
        if argument == "state":
            return self._num_states()
        if argument == "history" and self.form is not None:
            return self.form.num_histories
        return len(self._opponents) if argument == "opponent" else MAX_SEED

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

    def _play(self, opponent: int, player: int, seed: int) -> NumberedPlayView:
        assert self.rules is not None
        chosen: Sequence[Opponent] = list(self._opponents.values())
        play = Play(self.rules, player, chosen[opponent], seed)
        with self._lock:
            self._num_plays += 1
            self._plays[self._num_plays] = _HeldPlay(play, threading.Lock())
            while len(self._plays) > MAX_PLAYS:
                self._plays.popitem(last=False)
            return _numbered(play.view(), self._num_plays)

    def _act(self, play: int, action: int) -> NumberedPlayView:
        held = self._known_play(play)
        with held.lock:
            return _numbered(held.play.act(action), play)

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


def _policy_view(name: str, values: Values) -> PolicyView:
    measured = values.evaluation
    nash_conv = max(0.0, measured.nash_conv)
    return PolicyView(name, tuple(measured.values), nash_conv, measured.exploitability)


def _numbered(view: PlayView, number: int) -> NumberedPlayView:
    return NumberedPlayView(**vars(view), play=number)
