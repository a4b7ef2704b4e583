"""A play against a policy or a searcher: what the human sees of it, and its review afterwards.

Nothing of the others' hands, beliefs or thinking is part of a `PlayView` before the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from infoset.beliefs import private_belief
from infoset.errors import InfosetError, ParameterError
from infoset.evaluation import CorrelatedPolicy, decision_losses, decision_values
from infoset.game import Game, History, Infostate, initial_history, transcript
from infoset.matches import SupportsSearch
from infoset.policy import Policy, TabularPolicy, checked_probabilities
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import check_player
from infoset.utils.clocks import working_seconds
from infoset.views.labels import private_text, shorten
from infoset.views.places import Places

MAX_BELIEF = 60
"""Entries of a belief in a review, the most probable ones."""
MAX_TEXT = 120
ROUNDING = 1e-12
MAX_LISTED = 10_000
NUM_SAMPLES = 1000
"""Histories that are listed for a belief by the rules; where there are more, histories drawn."""


@dataclass(frozen=True)
class PlayView:
    """What the human player knows of a play."""

    human: Player
    lines: tuple[str, ...]
    """Observations and own actions so far, one line for each transition."""
    board: str | None
    """A drawing of the game as the player sees it, in games that have one."""
    actions: tuple[str, ...]
    """Legal actions; empty at the end."""
    is_over: bool
    utility: float | None
    """Utility of the human; None before the end."""


@dataclass(frozen=True)
class NumberedPlayView(PlayView):
    """A play of those that an explorer holds; the page names it by its number."""

    play: int


@dataclass(frozen=True)
class DecisionView:
    """A decision of the human, and what it cost against a policy."""

    step: int
    """Number of transitions before the decision."""
    infostate: str
    action: str
    """The chosen action."""
    actions: tuple[str, ...]
    """All legal actions."""
    probabilities: tuple[float, ...]
    """[A] what the policy does here."""
    values: tuple[float | None, ...]
    """[A] utility that each action is worth if everybody follows the policy afterwards; None where
    the policy of the others never leads."""
    loss: float | None
    """Value of the best action less that of the chosen action, as `decision_losses`."""


@dataclass(frozen=True)
class BeliefEntry:
    """An infostate of the human that another player considered possible."""

    label: str
    """Its private part."""
    probability: float
    is_true: bool
    """Whether it was the case."""


@dataclass(frozen=True)
class ThoughtView:
    """What another player expected and did at a decision; see `Play.belief` for its belief."""

    step: int
    """Number of transitions before the decision."""
    player: Player
    infostate: str
    action: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    """[A]"""
    values: tuple[float | None, ...] | None
    """[A] values that a searcher found; None for other policies."""
    num_worlds: int | None
    """Worlds, simulations or iterations of the search."""
    seconds: float | None
    """Time of the search."""


@dataclass(frozen=True)
class OpponentBeliefView:
    """What another player believed at one of its decisions."""

    thought: int
    """Position of the decision in `ReviewView.thoughts`."""
    entries: tuple[BeliefEntry, ...]
    """What the human may have held, as the other player saw it, the most probable entries first. A
    policy in a table assumes that the human follows it too; for others nothing is inferred from
    actions, so that chance alone counts. On a tree or a public form it is exact."""
    rest: float
    """Probability of what is left out."""
    num_drawn: int | None
    """Number of histories that were drawn to estimate the probabilities; None if they are exact."""
    error: str
    """Why the belief is missing; empty otherwise."""


@dataclass(frozen=True)
class ReviewView:
    """A play after its end."""

    lines: tuple[str, ...]
    """The whole play, hidden information included."""
    utilities: tuple[float, ...]
    """[N]"""
    decisions: tuple[DecisionView, ...]
    """Decisions of the human, the most costly first; empty without a policy to compare with."""
    thoughts: tuple[ThoughtView, ...]
    """Decisions of the others, in order."""


@dataclass(frozen=True)
class _Decision:
    """A decision of any player, as it was made."""

    history: History
    player: Player
    actions: tuple[Action, ...]
    chosen: int
    probabilities: FloatArray | None = None
    values: FloatArray | None = None
    num_worlds: int | None = None
    seconds: float | None = None


@dataclass(eq=False)
class Play:
    """A play of one human against a policy that controls all other players.

    Parameters
    ----------
    others : Policy, searcher or CorrelatedPolicy
        A searcher does a new search at every decision; a correlated policy is drawn once.
    seed
        Seed of chance, the others' actions and their searches.

    Raises
    ------
    ParameterError
        If the game has no such player.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import UniformPolicy
    >>> play = Play(load_game("kuhn_poker"), 0, UniformPolicy(), seed=1)
    >>> play.view().actions
    ('pass', 'bet')
    """

    rules: Game
    human: Player
    others: Policy | CorrelatedPolicy
    seed: int = 0
    history: History = field(init=False)
    _decisions: list[_Decision] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        check_player(self.human, self.rules.num_players, str(self.rules))
        self._rng = np.random.default_rng(self.seed)
        drawn = self.others
        self._policy = drawn.draw(self._rng) if isinstance(drawn, CorrelatedPolicy) else drawn
        self.history = self._until_human(initial_history(self.rules))

    def view(self) -> PlayView:
        """Return what the human knows."""
        history, human = self.history, self.human
        over = history.is_terminal
        infostate = history.infostates[human]
        return PlayView(
            human=human,
            lines=tuple(transcript(history, viewer=human).splitlines()[1:]),
            board=self.rules.board_as_seen(infostate),
            actions=tuple(map(str, history.legal_actions(human))),
            is_over=over,
            utility=float(history.rewards_so_far[human]) if over else None,
        )

    def act(self, action: int) -> PlayView:
        """Take the legal action with an index; the others play until the human acts again."""
        legal = self.history.legal_actions(self.human)
        if action not in range(len(legal)):
            raise ParameterError(
                f"action={action!r}: there are {len(legal)} legal actions, counted from 0"
            )
        # The play changes only when all of it has succeeded: a search may fail.
        before = len(self._decisions)
        self._decisions.append(_Decision(self.history, self.human, legal, action))
        try:
            self.history = self._until_human(self._move(self.history, {self.human: legal[action]}))
        except InfosetError:
            del self._decisions[before:]
            raise
        return self.view()

    def review(self, policy: TabularPolicy | None = None) -> ReviewView:
        """Return the whole play after its end.

        Parameters
        ----------
        policy
            The policy with which the human's decisions are compared, on any form of the game.

        Raises
        ------
        ParameterError
            If the play is not over.
        """
        self._check_over()
        own = [made for made in self._decisions if made.player == self.human]
        decisions = () if policy is None else _decision_views(own, policy, self.human)
        return ReviewView(
            lines=tuple(transcript(self.history, show_worlds=False).splitlines()[1:]),
            utilities=tuple(map(float, self.history.rewards_so_far)),
            decisions=decisions,
            thoughts=tuple(_thought(made) for made in self._decisions_of_others),
        )

    def again(self, step: int, seed: int) -> Play:
        """Return a play that continues before a decision of the human in this one, after its end.

        All that happened before is the same, hidden information included. What follows is drawn
        anew.

        Parameters
        ----------
        step
            `DecisionView.step` of the decision.
        seed
            Seed of what follows.

        Raises
        ------
        ParameterError
            If the play is not over, or there is no such decision.
        """
        self._check_over()
        for place, made in enumerate(self._decisions):
            if made.player == self.human and made.history.depth == step:
                other = copy(self)
                other.history, other._decisions = made.history, self._decisions[:place]
                other._rng = np.random.default_rng(seed)
                return other
        raise ParameterError(f"step={step!r}: player {self.human} made no decision there")

    def belief(self, thought: int, places: Places | None = None) -> OpponentBeliefView:
        """Return what another player believed at one of its decisions, after the end.

        Parameters
        ----------
        thought
            Position of the decision in `ReviewView.thoughts`.
        places
            A tree or public form of the game, in which the belief is exact. Without it, histories
            are listed or drawn by the rules, which may take seconds.

        Raises
        ------
        ParameterError
            If the play is not over, or there is no such decision.
        """
        self._check_over()
        decisions = self._decisions_of_others
        if thought not in range(len(decisions)):
            raise ParameterError(
                f"thought={thought!r}: the others made {len(decisions)} decisions, counted from 0"
            )
        made = decisions[thought]
        try:
            found, num_drawn = self._belief(made, places)
        except InfosetError as error:
            return OpponentBeliefView(thought, (), 1.0, None, str(error))
        entries = _belief_entries(found, made.history.infostates[self.human])
        rest = 1 - sum(entry.probability for entry in entries)
        return OpponentBeliefView(
            thought, entries, rest if rest > ROUNDING else 0.0, num_drawn, error=""
        )

    @property
    def _decisions_of_others(self) -> list[_Decision]:
        return [made for made in self._decisions if made.player != self.human]

    def _check_over(self) -> None:
        if not self.history.is_terminal:
            raise ParameterError("the play is not over; its review comes after the end")

    def _until_human(self, history: History) -> History:
        while not history.is_terminal and self.human not in history.actors:
            history = self._move(history, {})
        return history

    def _move(self, history: History, chosen: dict[Player, Action]) -> History:
        """Return the history after a move of all actors; the policy chooses for the others."""
        actions = dict(chosen)
        for player in history.actors:
            if player not in actions:
                made = self._decide(history, player)
                self._decisions.append(made)
                actions[player] = made.actions[made.chosen]
        return history.sample(history.joint(actions), self._rng)

    def _decide(self, history: History, player: Player) -> _Decision:
        """Return a decision of another player."""
        legal, infostate = history.legal_actions(player), history.infostates[player]
        if not isinstance(self._policy, SupportsSearch):
            found = checked_probabilities(self._policy, infostate, legal)
            return _Decision(history, player, legal, _drawn(found, self._rng), found)
        began = working_seconds()
        found = self._policy.search(infostate, self._rng)
        seconds = working_seconds() - began
        record = getattr(self._policy, "last_search", None)
        counts = ("num_worlds", "num_simulations", "num_iterations")
        return _Decision(
            history,
            player,
            legal,
            _drawn(found, self._rng),
            found,
            getattr(record, "values", None),
            next((getattr(record, name) for name in counts if hasattr(record, name)), None),
            float(getattr(record, "seconds", seconds)),
        )

    def _belief(
        self, made: _Decision, places: Places | None
    ) -> tuple[dict[Infostate, float], int | None]:
        """Return what another player could know of the human's infostate at its decision.

        With the number of histories that were drawn; None if the probabilities are exact.
        """
        assumed = self._policy if isinstance(self._policy, TabularPolicy) else None
        if places is not None:
            return places.belief_at(made.history, made.player, self.human, assumed), None
        belief = private_belief(
            self.rules,
            made.history.infostates[made.player],
            policies=assumed,
            rng=np.random.default_rng(self.seed),
            max_worlds=MAX_LISTED,
            num_samples=NUM_SAMPLES,
        )
        num_drawn = None if belief.is_exact else len(belief)
        return belief.infostate_probabilities(self.human), num_drawn


def _belief_entries(found: dict[Infostate, float], truth: Infostate) -> tuple[BeliefEntry, ...]:
    """Return the most probable infostates and the true one, the most probable first."""
    likely = sorted(found.items(), key=lambda entry: (-entry[1], str(entry[0])))
    # The true infostate is listed even if it is improbable: it is what a reader looks for.
    shown = [entry for entry in likely[:MAX_BELIEF] if entry[0] != truth]
    entries = sorted([*shown, (truth, found.get(truth, 0.0))], key=lambda entry: -entry[1])
    return tuple(
        BeliefEntry(shorten(private_text(held.steps), MAX_TEXT), probability, held == truth)
        for held, probability in entries
    )


def _thought(made: _Decision) -> ThoughtView:
    assert made.probabilities is not None
    return ThoughtView(
        step=made.history.depth,
        player=made.player,
        infostate=shorten(str(made.history.infostates[made.player]), MAX_TEXT),
        action=str(made.actions[made.chosen]),
        actions=tuple(map(str, made.actions)),
        probabilities=tuple(np.asarray(made.probabilities).tolist()),
        values=None if made.values is None else _known(made.values),
        num_worlds=made.num_worlds,
        seconds=made.seconds,
    )


def _drawn(probabilities: FloatArray, rng: np.random.Generator) -> int:
    return int(rng.choice(len(probabilities), p=probabilities))


def _known(values: FloatArray) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(value) else float(value) for value in values)


def _decision_views(
    made: Sequence[_Decision], policy: TabularPolicy, human: Player
) -> tuple[DecisionView, ...]:
    """Return the decisions with their losses against a policy, the most costly first."""
    values, losses = decision_values(policy, human), decision_losses(policy, human)
    form = policy.form
    views = []
    for decision in made:
        infostate = decision.history.infostates[human]
        first = int(form.treeplexes[human].first_sequence[form.find(infostate)])
        here = slice(first, first + len(decision.actions))
        views.append(
            DecisionView(
                step=decision.history.depth,
                infostate=shorten(str(infostate), MAX_TEXT),
                action=str(decision.actions[decision.chosen]),
                actions=tuple(map(str, decision.actions)),
                probabilities=tuple(policy.probabilities[human][here].tolist()),
                values=_known(values[here]),
                loss=_known(losses[here])[decision.chosen],
            )
        )
    return tuple(sorted(views, key=lambda view: (-(view.loss or 0.0), view.step)))
