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
from functools import cached_property
from typing import Any, Final, NamedTuple

from infoset.efg import ExtensiveForm
from infoset.errors import ParameterError
from infoset.evaluation import CorrelatedPolicy
from infoset.forms import PublicForm
from infoset.game import Game, player_name
from infoset.policy import Policy, TabularPolicy
from infoset.tree import GameTree
from infoset.views.form_views import FormValues
from infoset.views.game_view import GameView, MethodView, PolicyView, PotView, SubjectKind
from infoset.views.glossary import TERMS
from infoset.views.live_runs import LiveRun
from infoset.views.mend_views import MendView, mend_from
from infoset.views.method_catalog import WatchedMethod
from infoset.views.places import Places
from infoset.views.plays import NumberedPlayView, OpponentBeliefView, Play, PlayView, ReviewView
from infoset.views.public_places import PublicPlaces
from infoset.views.questions import QUESTIONS, SOURCES, Question
from infoset.views.styles import ActionStyle, styles_of
from infoset.views.tree_places import TreePlaces

MAX_PLAYS: Final = 64
"""Plays that are remembered; the one that was used least recently is forgotten."""
MAX_RUNS: Final = 2
"""Runs that can be watched at the same time."""
MAX_SEED: Final = 2**31
MAX_POLICIES: Final = 50

Opponent = Policy | CorrelatedPolicy
Subject = GameTree | PublicForm | ExtensiveForm | Game
Values = Places | FormValues

_VALUES: Final[tuple[tuple[type, SubjectKind, Callable[..., Values]], ...]] = (
    (GameTree, "tree", TreePlaces),
    (PublicForm, "public", PublicPlaces),
    (ExtensiveForm, "form", FormValues),
)
"""What a game is, its name for the page, and a policy in it as its views read it."""


class RequestError(ParameterError):
    """A page has asked a question that does not exist, or with an argument out of range."""


class _HeldPlay(NamedTuple):
    """A play with its own lock, so that a long search does not block other plays."""

    play: Play
    lock: threading.Lock


class Explorer:
    """A game with policies, opponents and methods, which answers the questions of a page.

    Parameters
    ----------
    game : GameTree, PublicForm, ExtensiveForm or Game
        A tree has all views. A public form has all but those of histories, which it does not list.
        An extensive form has those of histories and infostates. A game given as rules, which is too
        large to build, can only be played.
    policies
        Policies by the name that the page shows; at least one unless the game is given as rules.
    opponents : Mapping[str, Policy or CorrelatedPolicy]
        Further policies and searchers that can be played against.
    rules
        The rules for playing; by default those of the tree. Without rules, play is not offered.
    methods
        Methods that can be watched. The page lists those that run on the game.

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
        self.kind: SubjectKind = "rules"
        self._make_values: Callable[..., Values] | None = None
        for subject, kind, make in _VALUES:
            if isinstance(game, subject):
                self.kind, self._make_values = kind, make
        self.tree = game if isinstance(game, GameTree) else None
        self.rules = rules or (self.tree.game if self.tree else None)
        if isinstance(game, Game):
            self.rules = game
        self.methods = tuple(method for method in methods if self.kind in method.subjects)
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
        self._answers: dict[str, Callable[..., Any]] = {
            "game": self.describe,
            "play": self._play,
            "act": self._act,
            "again": self._again,
            "review": self._review,
            "opponent_belief": self._opponent_belief,
            "mend": self._mend,
        }

    def ask(self, request: object) -> Any:
        """Answer a question of a page.

        Parameters
        ----------
        request
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
        if not isinstance(name, str) or name not in QUESTIONS:
            raise RequestError(f"unknown question; known are {', '.join(QUESTIONS)}")
        question = QUESTIONS[name]
        self._check_has(question.needs)
        missing = {*question.arguments} - given.keys() - question.optional
        unknown = given.keys() - {*question.arguments}
        if missing or unknown:
            raise RequestError(f"{name} takes {', '.join(question.arguments) or 'no arguments'}")
        for key, value in given.items():
            bound = self._bound(key)
            # Not `isinstance`: true and false are whole numbers of Python, but not of JSON.
            if type(value) is not int or not 0 <= value < bound:
                raise RequestError(f"{key} must be a whole number from 0 to {bound - 1}")
        try:
            return asdict(self._answer(name, question, given))
        except RequestError:
            raise
        except ParameterError as error:
            raise RequestError(str(error)) from error

    def _answer(self, name: str, question: Question, given: dict[str, int]) -> Any:
        """Return the answer of a question whose arguments are in range."""
        if question.view is None:
            return self._answers[name](**given)
        with self._lock:
            sources = [self._values[given.pop(key)] for key in SOURCES if key in given]
            return question.view(*sources, **given)

    def _check_has(self, needs: str) -> None:
        """Raise a RequestError if the game lacks what a question needs; the message says why."""
        name = self._name
        if needs == "plays" and self.rules is None:
            raise RequestError(f"{name} is shown without its rules, so that it cannot be played")
        if needs == "plays" and not self._opponents:
            raise RequestError(f"there is nobody to play {name} against: name opponents")
        if needs in ("places", "histories") and self.kind == "rules":
            raise RequestError(f"{name} is too large to build, so it can only be played")
        if needs == "places" and self.kind == "form":
            raise RequestError(
                f"{name} is an extensive form, which has no public states; ask form_history, "
                "form_children or form_infostates"
            )
        if needs == "histories" and self.kind != "form":
            raise RequestError(f"{name} has public states; ask state, children or infostates")

    def add_policy(self, name: str, policy: TabularPolicy) -> int:
        """Add a policy to those of the page; return its position.

        Raises
        ------
        PolicyMismatchError
            If the policy belongs to another game.
        """
        with self._lock:
            if self._make_values is None:
                raise ParameterError(f"{self.game} is too large for policies in tables")
            values = self._make_values(self.game, policy)
            taken = {*self.policy_names, *self._opponents}
            number, unique = 2, name
            while unique in taken:
                unique, number = f"{name} #{number}", number + 1
            self.policy_names.append(unique)
            self._values.append(values)
            self._opponents[unique] = policy
            return len(self.policy_names) - 1

    def children(self, state: int) -> list[int]:
        """Return the numbers of the public states that are one public observation longer."""
        places = self._places()
        return [] if places is None else [*places.at(state).children]

    def start_run(self, method: int, state: int, seconds: float | None = None) -> LiveRun:
        """Start a run that can be watched.

        Raises
        ------
        RequestError
            If the method or state does not exist, or two runs are in progress.
        InfosetError
            If the method does not apply to the game.
        """
        places = self._places()
        if places is None or method not in range(len(self.methods)):
            raise RequestError(f"there are {len(self.methods)} methods, counted from 0")
        if state not in range(places.num_places):
            raise RequestError(f"there are {places.num_places} public states, counted from 0")
        with self._lock:
            self._runs = [run for run in self._runs if not run.is_over]
            if len(self._runs) >= MAX_RUNS:
                raise RequestError(f"{MAX_RUNS} runs are in progress; stop one of them")
            made = self.methods[method].make(places.game)
            run = LiveRun(places, made, state, seconds=seconds)
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
            game=self._name,
            kind=self.kind,
            num_players=self.game.num_players,
            player_names=tuple(
                player_name(self.game, player) for player in range(self.game.num_players)
            ),
            pot=self._pot,
            sizes=self._values[0].sizes if self._values else {},
            actions=self._actions,
            start=self._start(),
            policies=tuple(_policy_view(name, values) for name, values in policies),
            opponents=tuple(self._opponents) if self.rules is not None else (),
            methods=tuple(
                MethodView(method.name, method.kind, method.about) for method in self.methods
            ),
            terms=dict(TERMS),
        )

    def _places(self) -> Places | None:
        """Return the places of the first policy; None where the game has none."""
        first = self._values[0] if self._values else None
        return None if isinstance(first, FormValues) else first

    @cached_property
    def _actions(self) -> tuple[ActionStyle, ...]:
        """The styles of all actions, which policies and their lists share."""
        return styles_of(self._values[0].policy.form) if self._values else ()

    def _start(self) -> int:
        """Return the first place where somebody acts, on the most probable line."""
        places = self._places()
        if places is None:
            return 0
        place = places.at(0)
        while not place.actors and place.children:
            below = [places.at(number) for number in place.children]
            place = max(below, key=lambda child: child.probability)
        return place.number

    @property
    def _pot(self) -> PotView | None:
        places = self._places()
        source = self.rules if places is None else places.policy.form.source
        pot = source.initial_pot if source is not None else None
        return PotView(pot.size, pot.contributions) if pot is not None else None

    @property
    def _name(self) -> str:
        return self._values[0].name if self._values else str(self.game)

    def _bound(self, argument: str) -> int:
        """Return the exclusive upper bound of an argument; views check some ranges themselves."""
        if argument in ("policy", "first", "second"):
            return len(self._values)
        if argument in ("player", "other", "row", "column"):
            return self.game.num_players
        if argument in ("state", "history"):
            return self._values[0].num_places if self._values else 0
        return len(self._opponents) if argument == "opponent" else MAX_SEED

    def _play(self, opponent: int, player: int, seed: int) -> NumberedPlayView:
        assert self.rules is not None
        chosen: Sequence[Opponent] = list(self._opponents.values())
        play = Play(self.rules, player, chosen[opponent], seed)
        return self._hold(play)

    def _hold(self, play: Play) -> NumberedPlayView:
        with self._lock:
            self._num_plays += 1
            self._plays[self._num_plays] = _HeldPlay(play, threading.Lock())
            while len(self._plays) > MAX_PLAYS:  # the first one was used least recently
                self._plays.popitem(last=False)
            return _numbered(play.view(), self._num_plays)

    def _again(self, play: int, step: int, seed: int) -> NumberedPlayView:
        held = self._known_play(play)
        with held.lock:
            return self._hold(held.play.again(step, seed))

    def _act(self, play: int, action: int) -> NumberedPlayView:
        held = self._known_play(play)
        with held.lock:
            return _numbered(held.play.act(action), play)

    def _review(self, play: int, policy: int | None = None) -> ReviewView:
        held = self._known_play(play)
        chosen = None if policy is None else self._values[policy].policy
        with held.lock:
            return held.play.review(chosen)

    def _opponent_belief(self, play: int, thought: int) -> OpponentBeliefView:
        held = self._known_play(play)
        with held.lock:
            return held.play.belief(thought, self._places())

    def _mend(self, policy: int, state: int) -> MendView:
        places = self._values[policy]
        assert not isinstance(places, FormValues)
        if len(self.policy_names) >= MAX_POLICIES:
            raise RequestError(f"the page has {MAX_POLICIES} policies; open it again for more")
        found = mend_from(places, state)
        name = f"{self.policy_names[policy]}, mended at {places.at(state).label}"
        number = self.add_policy(name, found.policy) if max(found.gains) > 0 else None
        return MendView(
            state=state,
            policy=number,
            name=name if number is None else self.policy_names[number],
            before=found.before.exploitability,
            after=found.after.exploitability,
        )

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
