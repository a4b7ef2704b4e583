"""OpenSpiel games as factored-observation stochastic games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial, wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from infoset.errors import GameRuleError, UnsupportedGameError
from infoset.game import Game, Observation, Probability
from infoset.interop.openspiel.noise import PARTLY_DRAWN, draw_noise
from infoset.interop.openspiel.observations import (
    MAX_AGREEMENT_HISTORIES,
    Candidate,
    candidates,
    observations_agree,
)
from infoset.interop.openspiel.states import (
    CachedState,
    Move,
    Moves,
    Observer,
    StateCache,
    import_pyspiel,
    single_or_tuple,
)
from infoset.interop.openspiel.witnesses import (
    RecallWitness,
    TimingWitness,
    recall_witness,
    timing_witness,
    visit,
)
from infoset.typing import Action, JointAction, Player

MAX_HISTORIES = 5000
"""Default number of histories visited by the searches for witnesses."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def translated(
    method: Callable[Concatenate[OpenSpielGame, Arguments], Result],
) -> Callable[Concatenate[OpenSpielGame, Arguments], Result]:
    """Decorate a method to raise `UnsupportedGameError` in place of OpenSpiel's errors."""

    @wraps(method)
    def wrapper(
        self: OpenSpielGame, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        try:
            return method(self, *args, **kwargs)
        except self._spiel_error as error:
            reason = str(error).strip().splitlines()[0]
            raise UnsupportedGameError(
                f"OpenSpiel fails during a play of {self}: {reason}"
            ) from error

    return wrapper


class OpenSpielGame(Game):
    """A sequential or simultaneous OpenSpiel game with explicit chance moves.

    A world state is the tuple of moves so far. A move is OpenSpiel's number of an action of chance
    or of one player or, for simultaneous moves, a tuple with one number per player. Actions have
    OpenSpiel's labels; the numbers are added if labels repeat.

    Observations come from OpenSpiel's public and private observers if they exist. If not, a player
    observes its information-state string when it is to act and at the end. If there are no such
    strings either, it observes its observation string after every move. Infostates consist of these
    observations, so players have perfect recall and observe every move; `notes` reports where this
    makes a difference. Under perfect information all moves are public.

    Parameters
    ----------
    game : pyspiel.Game
        A game loaded by OpenSpiel. `load_openspiel` loads one by its name.
    spec
        The game in the notation of `load_openspiel`; by default OpenSpiel's own notation.
    use_observers
        Whether OpenSpiel's observers may be asked. Some crash; by default, those of a game with
        parameters are first tried in another process.

    Raises
    ------
    UnsupportedGameError
        If the game is a mean-field game, samples chance moves instead of listing them, or hides
        information without describing what a player observes.
    """

    name: ClassVar[str] = "openspiel"

    def __init__(
        self, game: Any, spec: str | None = None, *, use_observers: bool | None = None
    ) -> None:
        self._game = game
        self._spec = str(game).removesuffix("()") if spec is None else spec
        self._spiel_error: type[Exception] = import_pyspiel().SpielError
        self.num_players = int(game.num_players())
        self._nothing = (0.0,) * self.num_players
        self._check_supported()
        is_drawn = self._draw_noise()
        self._states = StateCache(self._initial_state())
        self._sources, self._notes = self._choose_sources(use_observers)
        self._remarks = () if is_drawn else (PARTLY_DRAWN,)

    def _check_supported(self) -> None:
        game_type, modes = self._game.get_type(), import_pyspiel().GameType
        check_type(game_type)
        if game_type.chance_mode == modes.ChanceMode.SAMPLED_STOCHASTIC:
            raise UnsupportedGameError(
                f"OpenSpiel's {self.openspiel_name} samples its chance moves and does not list "
                "their probabilities, so it cannot be explored"
            )
        self._has_strings = bool(game_type.provides_information_state_string)
        self._pays_on_the_way = game_type.reward_model == modes.RewardModel.REWARDS

    def _choose_sources(self, use_observers: bool | None) -> Candidate:
        for candidate in candidates(self._game, use_observers):
            self._sources = candidate.sources
            by_construction = candidate.sources.private is None
            if by_construction or self._agrees(candidate.sources.public):
                return candidate
        raise UnsupportedGameError(
            f"OpenSpiel's {self.openspiel_name} hides information, and none of its observers and "
            "strings tells a player whether it is to act and which actions are legal"
        )

    def _agrees(self, public: Observer | None) -> bool:
        """Return whether observations from the given sources agree with OpenSpiel's strings."""
        visits = visit(self, self.infostate_string, MAX_AGREEMENT_HISTORIES)
        views = None if public is None else partial(self.views, observer=public)
        return observations_agree(visits, views)

    @translated
    def _draw_noise(self) -> bool:
        return draw_noise(self._game)

    @translated
    def _initial_state(self) -> Any:
        return self._game.new_initial_state()

    @property
    def openspiel_name(self) -> str:
        """OpenSpiel's short name of the game."""
        return str(self._game.get_type().short_name)

    @property
    def pyspiel_game(self) -> Any:
        """OpenSpiel's own game object."""
        return self._game

    def initial_world(self) -> Moves:
        """Return the world state before the first move."""
        return ()

    @translated
    def actors(self, world: Moves) -> Sequence[Player]:
        """Return the players who have legal actions."""
        return self._states[world].actors

    @translated
    def legal_actions(self, world: Moves, player: Player) -> Sequence[Action]:
        """Return OpenSpiel's labels of the actions, in its order."""
        return tuple(self._states[world].actions.get(player, ()))

    @translated
    def transitions(
        self, world: Moves, joint_action: JointAction
    ) -> Iterable[tuple[Moves, Probability]]:
        """Return the world state after the players' actions, or those after each chance move."""
        node = self._states[world]
        if node.is_terminal:
            return []
        if node.is_chance:
            return [((*world, move), chance) for move, chance in node.outcomes]
        return [((*world, self._move(node, world, joint_action)), 1)]

    def _move(self, node: CachedState, world: Moves, joint_action: JointAction) -> Move:
        numbers = [0] * self.num_players  # OpenSpiel's action number for players without a choice
        for player, actions in node.actions.items():
            label = joint_action[player]
            if not isinstance(label, str) or label not in actions:
                raise GameRuleError(
                    "every actor takes one of its legal actions",
                    found=f"got {label!r}; legal actions are {list(actions)}",
                    world=world,
                    player=player,
                )
            numbers[player] = actions[label]
        return tuple(numbers) if node.is_simultaneous else numbers[node.actors[0]]

    @translated
    def rewards(
        self, world: Moves, joint_action: JointAction, next_world: Moves
    ) -> Sequence[float]:
        """Return the change of OpenSpiel's returns; some games have returns only at the end."""
        now = self._states[next_world]
        if not now.is_terminal and not self._pays_on_the_way:
            return self._nothing
        returns = now.state.returns()
        if not world or not self._pays_on_the_way:
            return tuple(returns)
        before = self._states[world].state.returns()
        return tuple(after - earlier for after, earlier in zip(returns, before, strict=True))

    @translated
    def observe(self, world: Moves, joint_action: JointAction, next_world: Moves) -> Observation:
        """Return what OpenSpiel shows of the next state, or the move under perfect information."""
        before, after = self._states[world], self._states[next_world]
        move = self._label(before, next_world[-1]) if self._sources.moves else None
        return self._sources.observe(before, move, after)

    def _label(self, node: CachedState, move: Move) -> str | tuple[str, ...]:
        if isinstance(move, int) and node.is_chance:
            return node.chance_labels[move]
        numbers = move if isinstance(move, tuple) else (move,) * self.num_players
        return single_or_tuple(
            [
                next(label for label, number in actions.items() if number == numbers[player])
                for player, actions in node.actions.items()
            ]
        )

    def moves(self, world: Moves) -> tuple[str, ...]:
        """Return the moves that led to a world state, in words.

        Examples
        --------
        >>> from infoset.interop import load_openspiel
        >>> load_openspiel("kuhn_poker").moves((0, 1, 1))
        ('chance: Deal:0', 'chance: Deal:1', 'player 0: Bet')
        """
        return tuple(
            self._move_text(self._states[world[:length]], move) for length, move in enumerate(world)
        )

    def _move_text(self, node: CachedState, move: Move) -> str:
        label = self._label(node, move)
        if node.is_chance:
            return f"chance: {label}"
        labels = (label,) if isinstance(label, str) else label
        pairs = zip(node.actors, labels, strict=True)
        return ", ".join(f"player {player}: {text}" for player, text in pairs)

    @translated
    def state_at(self, world: Moves) -> Any:
        """Return a copy of OpenSpiel's state at a world state."""
        return self._states[world].state.clone()

    @translated
    def action_numbers(self, world: Moves, player: Player) -> dict[str, int]:
        """Return OpenSpiel's numbers of the legal actions, by label."""
        return dict(self._states[world].actions.get(player, {}))

    @translated
    def infostate_string(self, world: Moves, player: Player) -> str | None:
        """Return OpenSpiel's information-state string; None if the game has none.

        Infostates contain more than these strings; `find_recall_witness` shows why.
        """
        if not self._has_strings:
            return None
        return str(self._states[world].state.information_state_string(player))

    @translated
    def views(self, world: Moves, observer: Observer) -> list[str]:
        """Return what an OpenSpiel observer shows each player of a world state."""
        return [
            self._states[world].observation(observer, player) for player in range(self.num_players)
        ]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on how the game differs from what users may expect; empty for most games.

        The notes list the observations that OpenSpiel lacks. If OpenSpiel's information-state
        strings violate perfect recall or hide the number of moves, the notes give two histories as
        a witness. The first access searches for witnesses among 5,000 histories (at most a second),
        so the notes may miss some. `find_recall_witness` can search further.
        """
        if self._sources.moves:
            return self._remarks
        visits = list(visit(self, self.infostate_string, MAX_HISTORIES))
        found = (recall_witness(visits, self.moves), timing_witness(visits, self.moves))
        witnesses = (str(witness) for witness in found if witness is not None)
        return (*self._remarks, *self._notes, *witnesses)

    def parameters(self) -> dict[str, Any]:
        """Return OpenSpiel's parameters by name, including defaults."""
        return dict(self._game.get_parameters())

    def __str__(self) -> str:
        """Return the game as `load` reads it."""
        return f"openspiel:{self._spec}"


def find_recall_witness(
    game: OpenSpielGame, max_histories: int = MAX_HISTORIES
) -> RecallWitness | None:
    """Search for two histories that show imperfect recall of OpenSpiel's information-state strings.

    A player with perfect recall distinguishes two histories if it saw different strings or took
    different actions on the way to them.

    Parameters
    ----------
    game
        A game without information-state strings has no witness.
    max_histories
        Number of histories to visit, half of them breadth first and half depth first; 5,000 take
        at most a second.

    Returns
    -------
    RecallWitness or None
        None if the visited histories contain no such pair. This is a proof only if all histories
        were visited.
    """
    return recall_witness(visit(game, game.infostate_string, max_histories), game.moves)


def find_timing_witness(
    game: OpenSpielGame, max_histories: int = MAX_HISTORIES
) -> TimingWitness | None:
    """Search for two histories that differ for a player only in their lengths.

    Players of a factored-observation stochastic game observe time. If an OpenSpiel game hides it
    (phantom tic-tac-toe hides the number of the opponent's failed attempts), infostates here are
    finer than OpenSpiel's, and values and exploitability are those of a different game.

    Parameters
    ----------
    game
        A game without information-state strings has no witness.
    max_histories
        As in `find_recall_witness`.

    Returns
    -------
    TimingWitness or None
        None if the visited histories contain no such pair. This is a proof only if all histories
        were visited.
    """
    return timing_witness(visit(game, game.infostate_string, max_histories), game.moves)


def check_type(game_type: Any) -> None:
    """Refuse a type of game that is not a factored-observation stochastic game.

    Raises
    ------
    UnsupportedGameError
        If the game is a mean-field game, or cannot list its legal actions.
    """
    dynamics = import_pyspiel().GameType.Dynamics
    if game_type.dynamics not in (dynamics.SEQUENTIAL, dynamics.SIMULTANEOUS):
        raise UnsupportedGameError(
            f"OpenSpiel's {game_type.short_name} is a mean-field game; only sequential and "
            "simultaneous games can be loaded"
        )
    if getattr(game_type, "action_structs_only", False):
        raise UnsupportedGameError(
            f"OpenSpiel's {game_type.short_name} cannot list its legal actions, so it cannot be "
            "explored"
        )
