"""Whether acting and legal actions follow from what a player knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from infoset.errors import GameRuleError
from infoset.game.infostate import Infostate, Step
from infoset.typing import Action, Player, World

__all__ = ["InfostateTable"]


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


def _acting_text(actions: Sequence[Action]) -> str:
    return f"has legal actions {list(actions)}" if actions else "does not act"
