"""Whether acting and legal actions follow from what a player knows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from infoset.errors import GameRuleError
from infoset.game.infostate import Infostate, Step
from infoset.typing import Action, JointAction, Player, World

__all__ = ["InfostateTable", "PublicTable"]


class Legal(NamedTuple):
    """The legal actions at an infostate, and the world state where they were seen first."""

    actions: tuple[Action, ...]
    world: World


class InfostateTable:
    """Numbers for infostates: the first ones are the players' empty ones."""

    def __init__(self, num_players: int) -> None:
        self.origin: list[tuple[int, Step] | None] = [None] * num_players
        self.numbers: dict[tuple[int, Step], int] = {}
        self.legal: dict[int, Legal] = {}

    def extend(self, infostate: int, step: Step) -> int:
        """Return the infostate after one more step."""
        number = self.numbers.setdefault((infostate, step), len(self.origin))
        if number == len(self.origin):
            self.origin.append((infostate, step))
        return number

    def check_legal(
        self, player: Player, infostate: int, actions: tuple[Action, ...], world: World
    ) -> None:
        """Raise if the infostate was met before with other legal actions."""
        before = self.legal.setdefault(infostate, Legal(actions, world))
        if before.actions == actions:
            return
        same = set(before.actions) == set(actions)
        raise GameRuleError(
            "whether a player acts, and its legal actions in their order, follow from its own "
            "infostate; "
            + ("list them in one order" if same else "let observe show the difference"),
            found=f"the player {_acting_text(actions)} here, but at world state "
            f"{before.world!r} the player {_acting_text(before.actions)}, and cannot tell the two "
            f"apart: both times its infostate is {str(self._infostate(player, infostate))!r}",
            world=world,
            player=player,
        )

    def _infostate(self, player: Player, number: int) -> Infostate:
        steps = []
        while (origin := self.origin[number]) is not None:
            number, step = origin
            steps.append(step)
        return Infostate(player, tuple(reversed(steps)))


class PublicTable:
    """Numbers for public states, and what players did first on the way to each; 0 is the root."""

    def __init__(self, public_actions: bool) -> None:
        self.public_actions = public_actions
        self.numbers: dict[tuple[int, Hashable], int] = {}
        self.first: dict[int, tuple[JointAction, World]] = {}

    def extend(
        self, public_state: int, seen: Hashable, joint_action: JointAction, world: World
    ) -> int:
        """Return the public state after one more observation.

        Raises
        ------
        GameRuleError
            If it should tell what players did, and was met before after they did something else.
        """
        number = self.numbers.setdefault((public_state, seen), len(self.numbers) + 1)
        before, at = self.first.setdefault(number, (joint_action, world))
        if self.public_actions and before != joint_action:
            raise GameRuleError(
                "where public_actions is True, equal public observations at a public state follow "
                "equal joint actions; show what players do, or leave public_actions out",
                found=f"everybody sees {seen!r} after joint action {joint_action} here, and saw "
                f"the same after {before} at world state {at!r} of the same public state",
                world=world,
            )
        return number


def _acting_text(actions: Sequence[Action]) -> str:
    return f"has legal actions {list(actions)}" if actions else "does not act"
