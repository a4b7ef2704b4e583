"""Searchers: policies computed by search, one infostate at a time, within limits on its cost."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError, ShortSearchWarning
from infoset.game import Game, Infostate
from infoset.game.infostate import infostate_generator
from infoset.tree import GameTree
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_number, check_type
from infoset.utils.clocks import working_seconds

CLOCK_FRACTION = 0.05
"""Target duration of a batch, as a fraction of the time limit. The clock is read between
batches."""

MAX_GROWTH = 4
"""Largest ratio of the sizes of successive batches."""

LATE = 0.2
"""Largest overrun, as a fraction of the limit, at which a search still counts as on time."""


@dataclass(frozen=True)
class SearchBudget:
    """Limits of a search: a number of worlds or simulations, a time limit, or both."""

    unit: str
    """Name of the parameter that sets the number, such as `num_worlds`."""
    number: int | None
    """Maximum number of worlds or simulations; None for no limit on the number."""
    milliseconds: float | None
    """Time limit; None for no limit. With a limit, answers depend on the speed of the machine."""

    def __post_init__(self) -> None:
        if self.number is not None:
            check_count(self.unit, self.number, minimum=1)
        if self.milliseconds is not None:
            check_number("milliseconds", self.milliseconds)
            if self.milliseconds == 0:
                raise ParameterError(
                    "milliseconds=0 leaves no time to search; give a positive number, or None for "
                    "no time limit"
                )

    @property
    def seconds(self) -> float | None:
        """The time limit in seconds."""
        return None if self.milliseconds is None else self.milliseconds / 1000

    def settings(self) -> dict[str, float | None]:
        """Return both limits by name."""
        return {self.unit: self.number, "milliseconds": self.milliseconds}

    def batches(self, start: float) -> Iterator[int]:
        """Yield the sizes of batches until the budget is used up.

        Without a time limit there is one batch. With a time limit, batches grow until each takes
        about 5% of it.

        Parameters
        ----------
        start
            `working_seconds()` at the start of the search.
        """
        total = inf if self.number is None else self.number
        if self.seconds is None:
            yield int(total)
            return
        longest = CLOCK_FRACTION * self.seconds
        done, batch = 0, 1
        while batch > 0:
            before = working_seconds()
            yield batch
            now = working_seconds()
            done += batch
            each = max(now - before, 1e-9) / batch
            fitting = min(start + self.seconds - now, max(longest, each)) / each
            batch = int(min(fitting, MAX_GROWTH * batch, total - done))


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchRecord:
    """Result and cost of a search."""

    actions: tuple[Action, ...]
    """[A] the legal actions."""
    values: FloatArray
    """[A] mean value of each action, in the game's units; NaN where unknown."""
    num_nodes: int
    """Positions or infostates visited."""
    seconds: float
    """Duration, without compilation."""
    time_limit: float | None
    """Time limit in seconds."""
    compile_seconds: float = 0.0
    """Time to compile kernels, or to load them from disk, which does not count toward the limit."""
    belief_seconds: float = 0.0
    """Part of `seconds` in which the worlds of the belief were found."""
    preparation_seconds: float = 0.0
    """Time to evaluate one world before the first search of a searcher, so that its kernels are
    compiled; it does not count toward the limit either."""
    model_noise: float = 0.0
    """Weight of uniform play in the assumed policies of the belief, as in `Belief`; 0 if they were
    not mixed or not given."""

    @property
    def is_short(self) -> bool:
        """Whether the time limit ended the search after too few samples for a useful answer."""
        return False

    @property
    def overrun(self) -> float:
        """Time beyond the limit, as a fraction of the limit; 0 if within it."""
        return max(0.0, self.seconds / self.time_limit - 1.0) if self.time_limit else 0.0


@dataclass
class Overruns:
    """Count of the searches with a time limit, and of those more than 20% over it."""

    num_searches: int = 0
    """Searches with a time limit."""
    num_late: int = 0
    """Searches that took more than 20% longer than their limit."""
    worst: float = 0.0
    """Largest overrun, as a fraction of the limit."""

    def add(self, record: SearchRecord) -> None:
        """Count a search."""
        if record.time_limit is not None:
            self.num_searches += 1
            self.num_late += record.overrun > LATE
            self.worst = max(self.worst, record.overrun)

    def __str__(self) -> str:
        if not self.num_late:
            return (
                f"no search out of {self.num_searches:,} exceeded its time limit by more than "
                f"{LATE:.0%}"
            )
        return (
            f"{self.num_late:,} of {self.num_searches:,} searches exceeded their time limit by "
            f"more than {LATE:.0%}; the longest took {1 + self.worst:.2g} times its limit"
        )


@runtime_checkable
class SearchedGame(Protocol):
    """The game as every searcher uses it; `infoset.search.SearchModel` can also play it."""

    @property
    def game(self) -> Game | str:
        """The rules, or the name of a game that is given without them."""

    @property
    def tree(self) -> GameTree | None:
        """The tree of the game, if searches use it."""

    @property
    def num_players(self) -> int:
        """Number N of players."""

    @property
    def is_compiled(self) -> bool:
        """Whether searches run in compiled code, without calling the rules in Python."""

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate, as `infoset.search.SearchModel` does."""

    def require_legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate at which its player acts."""


def check_model(model: object, model_type: type = SearchedGame) -> None:
    """Raise unless a value is a model of the given type."""
    check_type("model", model, model_type, 'a model, such as search_model("leduc_poker")')


def not_acting_error(infostate: Infostate) -> ParameterError:
    """Return the error for an infostate at which its player does not act."""
    return ParameterError(
        f"player {infostate.player} does not act at the infostate {infostate}; give an infostate "
        f"at which its player acts"
    )


DEFAULT_BELIEF = PublicPrivateBelief(0.0)
"""Limits and noise of a belief are shown only where they differ from this one."""


class Searcher(ABC):
    """A policy that is computed by search at each infostate where its player acts.

    Each answer depends on the infostate alone. It comes from one search and is cached.

    Parameters
    ----------
    model
        The game, such as `search_model(game)`.
    belief
        Distribution of worlds. A number is the public weight λ: 0 is the player's private belief, 1
        the public belief.
    seed
        Seed of the policy; `search` takes a generator instead.

    Attributes
    ----------
    overruns : Overruns
        Count of the searches that exceeded their time limit.
    num_noisy_searches : int
        Number of searches whose belief mixed the assumed policies with uniform play, as in
        `Belief.model_noise`.
    """

    if_short: ClassVar[str] = "its choice is nearly random"
    """Consequence of a short search for its answer, as its warning states it."""

    def __init__(
        self, model: SearchedGame, *, belief: PublicPrivateBelief | float = 0.0, seed: int = 0
    ) -> None:
        check_model(model)
        check_count("seed", seed)
        self.model = model
        self.belief = (
            belief if isinstance(belief, PublicPrivateBelief) else PublicPrivateBelief(belief)
        )
        self.seed = seed
        self.overruns = Overruns()
        self.num_noisy_searches = 0
        self._has_warned = False
        self._answers: dict[Infostate, FloatArray] = {}

    def __repr__(self) -> str:
        """Return the class, the game and the settings."""
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings().items())
        return f"{type(self).__name__}({self.model.game}, {settings})"

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers by name; policies by their classes."""
        policies = self.belief.policies
        several = policies if isinstance(policies, Sequence) else (policies,)
        assumed = [_name(policy) for policy in several if policy is not None]
        other: dict[str, Any] = {"policies": assumed} if assumed else {}
        for name in ("model_noise", "always_noisy", "max_worlds", "num_samples"):
            if getattr(self.belief, name) != getattr(DEFAULT_BELIEF, name):
                other[name] = getattr(self.belief, name)
        return {"public_weight": self.belief.public_weight, **other, "seed": self.seed}

    @abstractmethod
    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate, in order.

        Parameters
        ----------
        infostate
            The player's information. The answer depends only on it and on the generator.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there.
        """

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, num_searches: int
    ) -> FloatArray:
        """Return [R, A] the policies of R searches, equal to those of R calls of `search`.

        Parameters
        ----------
        num_searches
            R, at least 1.

        Raises
        ------
        UnknownNameError, ParameterError
            As in `search`, or if `num_searches` is less than 1.
        """
        check_count("num_searches", num_searches, minimum=1)
        return np.stack([self.search(infostate, rng) for _ in range(num_searches)])

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the probability of each legal action, in order, from one search.

        The generator is derived from the seed and the infostate, so that the order of calls does
        not matter.

        Raises
        ------
        UnknownNameError
            As in `search`.
        ParameterError
            As in `search`, or if `legal_actions` differ from those of the game.
        """
        if infostate not in self._answers:
            self._answers[infostate] = self._answer(infostate, legal_actions)
        return self._answers[infostate].copy()

    def notes(self) -> list[str]:
        """Return notes for a report on the searches so far, one sentence each."""
        found = [str(self.overruns)] if self.overruns.num_late else []
        if self.num_noisy_searches:
            number = f"{self.num_noisy_searches:,} searches"
            found.append(f"{number} mixed the assumed policies with uniform play")
        return found

    def _note_search(self, record: SearchRecord, number: int, unit: str) -> None:
        """Count a search, and warn once if its time limit is too short.

        number, unit : the amount of search, such as 2 simulations.
        """
        self.overruns.add(record)
        self.num_noisy_searches += record.model_noise > 0
        if not record.is_short or self._has_warned or not record.time_limit:
            return
        self._has_warned = True
        plural = "" if number == 1 else "s"
        slow = "" if self.model.is_compiled else " (whose rules run uncompiled, in Python)"
        listed = record.belief_seconds
        after = f", after {1000 * listed:.0f} ms for its belief," if listed > 0.01 else ""
        consequence = self.if_short if number else "it plays the policy of its leaf value"
        warnings.warn(
            f"a search of {self.model.game}{slow} did only {number} "
            f"{unit}{plural} in its "
            f"{1000 * record.time_limit:g} ms{after} to choose among {len(record.actions)} "
            f"actions, so that {consequence}: give a larger milliseconds=, or a "
            f"number of {unit}s and milliseconds=None",
            ShortSearchWarning,
            stacklevel=3,
        )

    def _answer(self, infostate: Infostate, legal_actions: Sequence[Action]) -> FloatArray:
        """Return [A] the answer of one search, if the legal actions are those of the game."""
        self._check_actions(infostate, legal_actions, self.model.legal_actions(infostate))
        return self.search(infostate, infostate_generator(self.seed, infostate))

    def _check_actions(
        self, infostate: Infostate, legal_actions: Sequence[Action], known: tuple[Action, ...]
    ) -> None:
        if tuple(legal_actions) != known:
            raise ParameterError(
                f"the legal actions at the infostate {infostate} of player {infostate.player} are "
                f"{list(known)}, not {list(legal_actions)}; check that it is an infostate of "
                f"{self.model.game}"
            )


def _name(policy: object) -> str:
    """Return the class of a policy, or the name of a function."""
    return str(getattr(policy, "__name__", type(policy).__name__))
