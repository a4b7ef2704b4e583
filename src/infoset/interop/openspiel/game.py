"""A game of OpenSpiel's as a factored-observation stochastic game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from infoset.errors import GameRuleError, UnsupportedGameError
from infoset.game import Game, Observation, Probability
from infoset.interop.openspiel._agreement import observations_agree
from infoset.interop.openspiel._nodes import Move, Moves, Node, Nodes, Watch, joined
from infoset.interop.openspiel._sources import Candidate, candidates
from infoset.interop.openspiel._spec import check_type, import_pyspiel
from infoset.interop.openspiel._visits import visit
from infoset.interop.openspiel.witnesses import MAX_HISTORIES, recall_witness, timing_witness
from infoset.typing import Action, JointAction, Player

__all__ = ["OpenSpielGame"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def translated(
    method: Callable[Concatenate[OpenSpielGame, Arguments], Result],
) -> Callable[Concatenate[OpenSpielGame, Arguments], Result]:
    """Turn the errors that OpenSpiel raises in a method into ours."""

    @wraps(method)
    def wrapper(
        self: OpenSpielGame, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        try:
            return method(self, *args, **kwargs)
        except self._spiel_error as error:
            reason = str(error).strip().splitlines()[0]
            raise UnsupportedGameError(
                f"OpenSpiel fails while {self} is played: {reason}"
            ) from error

    return wrapper


class OpenSpielGame(Game):
    """A sequential or simultaneous game of OpenSpiel's, nature's moves explicit.

    A world state is the tuple of the moves made: OpenSpiel's number of an action of nature or of
    one player, or a tuple with one number per player who move at once. Actions are labelled as
    OpenSpiel writes them, with their numbers where two labels would be the same.

    Observations come from OpenSpiel's public and private observers where it has them. Otherwise
    a player sees its information-state string where it is to act and at the end, or if there is
    none its observation string after every move. Infostates are folded from these, so that players
    always recall, and notice each move; `notes` says where that makes a difference. Under perfect
    information every move is public.

    Parameters
    ----------
    game : pyspiel.Game
        A game that OpenSpiel has loaded. `load_openspiel` makes one from its name.
    spec : str or None
        How the game is written for `load_openspiel`; as OpenSpiel writes it where None.

    Raises
    ------
    UnsupportedGameError
        If the game is a mean-field game, samples chance instead of listing it, or hides something
        without saying what a player sees.
    """

    name: ClassVar[str] = "openspiel"

    def __init__(self, game: Any, spec: str | None = None) -> None:
        self._game = game
        self._spec = str(game).removesuffix("()") if spec is None else spec
        self._spiel_error: type[Exception] = import_pyspiel().SpielError
        self.num_players = int(game.num_players())
        self._nothing = (0.0,) * self.num_players
        self._check_supported()
        self._nodes = Nodes(self._initial_state())
        self._sources, self._notes = self._choose_sources()

    def _check_supported(self) -> None:
        game_type, modes = self._game.get_type(), import_pyspiel().GameType
        check_type(game_type)
        if game_type.chance_mode == modes.ChanceMode.SAMPLED_STOCHASTIC:
            raise UnsupportedGameError(
                f"OpenSpiel's {self.openspiel_name} draws its chance moves itself and does not "
                "list them with their probabilities, so it cannot be explored"
            )
        self._has_strings = bool(game_type.provides_information_state_string)
        self._pays_on_the_way = game_type.reward_model == modes.RewardModel.REWARDS

    def _choose_sources(self) -> Candidate:
        for candidate in candidates(self._game):
            self._sources = candidate.sources
            by_construction = candidate.sources.private is None
            if by_construction or observations_agree(self, candidate.sources.public):
                return candidate
        raise UnsupportedGameError(
            f"OpenSpiel's {self.openspiel_name} hides something from its players, and none of its "
            "observers and strings tell a player whether it is to act and how"
        )

    @translated
    def _initial_state(self) -> Any:
        return self._game.new_initial_state()

    @property
    def openspiel_name(self) -> str:
        """The short name by which OpenSpiel knows the game."""
        return str(self._game.get_type().short_name)

    @property
    def pyspiel_game(self) -> Any:
        """OpenSpiel's own game object."""
        return self._game

    def initial_world(self) -> Moves:
        """Return the world state in which no move has been made."""
        return ()

    @translated
    def actors(self, world: Moves) -> Sequence[Player]:
        """Return the players who have actions to choose from."""
        return self._nodes[world].actors

    @translated
    def legal_actions(self, world: Moves, player: Player) -> Sequence[Action]:
        """Return OpenSpiel's labels of the actions, in its order."""
        return tuple(self._nodes[world].actions.get(player, ()))

    @translated
    def transitions(
        self, world: Moves, joint_action: JointAction
    ) -> Iterable[tuple[Moves, Probability]]:
        """Return the one world state that players move to, or those that nature may."""
        node = self._nodes[world]
        if node.is_terminal:
            return []
        if node.is_chance:
            return [((*world, move), chance) for move, chance in node.outcomes]
        return [((*world, self._move(node, world, joint_action)), 1)]

    def _move(self, node: Node, world: Moves, joint_action: JointAction) -> Move:
        numbers = [0] * self.num_players  # what OpenSpiel takes for players without a choice
        for player, actions in node.actions.items():
            label = joint_action[player]
            if not isinstance(label, str) or label not in actions:
                raise GameRuleError(
                    "every actor takes one of its legal actions",
                    found=f"got {label!r}, legal are {list(actions)}",
                    world=world,
                    player=player,
                )
            numbers[player] = actions[label]
        return tuple(numbers) if node.is_simultaneous else numbers[node.actors[0]]

    @translated
    def rewards(
        self, world: Moves, joint_action: JointAction, next_world: Moves
    ) -> Sequence[float]:
        """Return the change of OpenSpiel's returns, which some games have only at the end."""
        now = self._nodes[next_world]
        if not now.is_terminal and not self._pays_on_the_way:
            return self._nothing
        returns = now.state.returns()
        if not world or not self._pays_on_the_way:
            return tuple(returns)
        before = self._nodes[world].state.returns()
        return tuple(after - earlier for after, earlier in zip(returns, before, strict=True))

    @translated
    def observe(self, world: Moves, joint_action: JointAction, next_world: Moves) -> Observation:
        """Return what OpenSpiel shows of the next state, or of the move if all is public."""
        before, after = self._nodes[world], self._nodes[next_world]
        move = self._label(before, next_world[-1]) if self._sources.moves else None
        return self._sources.observe(before, move, after)

    def _label(self, node: Node, move: Move) -> str | tuple[str, ...]:
        if isinstance(move, int) and node.is_chance:
            return node.chance_labels[move]
        numbers = move if isinstance(move, tuple) else (move,) * self.num_players
        return joined(
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
            self._move_text(self._nodes[world[:length]], move) for length, move in enumerate(world)
        )

    def _move_text(self, node: Node, move: Move) -> str:
        label = self._label(node, move)
        if node.is_chance:
            return f"chance: {label}"
        labels = (label,) if isinstance(label, str) else label
        pairs = zip(node.actors, labels, strict=True)
        return ", ".join(f"player {player}: {text}" for player, text in pairs)

    @translated
    def state_at(self, world: Moves) -> Any:
        """Return OpenSpiel's own state at a world state, a copy."""
        return self._nodes[world].state.clone()

    @translated
    def action_numbers(self, world: Moves, player: Player) -> dict[str, int]:
        """Return OpenSpiel's numbers of the legal actions, by label."""
        return dict(self._nodes[world].actions.get(player, {}))

    @translated
    def infostate_string(self, world: Moves, player: Player) -> str | None:
        """Return OpenSpiel's own information-state string; None where the game has none.

        Infostates are not made of these alone; `find_recall_witness` says why.
        """
        if not self._has_strings:
            return None
        return str(self._nodes[world].state.information_state_string(player))

    @translated
    def views(self, world: Moves, watch: Watch) -> list[str]:
        """Return what one of OpenSpiel's observers shows each player of a world state."""
        return [self._nodes[world].shown(watch, player) for player in range(self.num_players)]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What to know about this game that its name does not say; empty for most games.

        What OpenSpiel does not show; and where its information-state strings break perfect recall,
        or hide how many moves were made, two histories as witness. These are looked for at the
        first use, in the first 5,000 histories (a second or less), so that there may be one where
        the notes have none. `find_recall_witness` looks further.
        """
        if self._sources.moves:
            return ()
        visits = list(visit(self, MAX_HISTORIES))
        found = (recall_witness(self, visits), timing_witness(self, visits))
        return (*self._notes, *(str(witness) for witness in found if witness is not None))

    def parameters(self) -> dict[str, Any]:
        """Return OpenSpiel's parameters by name, defaults included."""
        return dict(self._game.get_parameters())

    def __str__(self) -> str:
        """Return the game as `load` reads it."""
        return f"openspiel:{self._spec}"
