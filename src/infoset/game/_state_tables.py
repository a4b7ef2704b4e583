"""Numbers of infostates and public states, and what each of them determines, for `check_game`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from infoset.errors import GameRuleError, show
from infoset.game.answer_checks import advice_on_information
from infoset.game.infostate import Infostate, Step
from infoset.typing import Action, JointAction, Player, World


class Legal(NamedTuple):
    """The legal actions at an infostate, and the world state where they were first listed."""

    actions: tuple[Action, ...]
    world: World


class InfostateNumbers:
    """Numbers for infostates; the first ones are the players' initial infostates."""

    def __init__(self, num_players: int) -> None:
        self.origin: list[tuple[int, Step] | None] = [None] * num_players
        self.numbers: dict[tuple[int, Step], int] = {}
        self.legal: dict[int, Legal] = {}

    def extend(self, infostate: int, step: Step) -> int:
        """Return the number of the infostate after one more step."""
        number = self.numbers.setdefault((infostate, step), len(self.origin))
        if number == len(self.origin):
            self.origin.append((infostate, step))
        return number

    def check_legal(
        self, player: Player, infostate: int, actions: tuple[Action, ...], world: World
    ) -> None:
        """Raise if the infostate occurred before with different legal actions."""
        before = self.legal.setdefault(infostate, Legal(actions, world))
        if before.actions == actions:
            return
        same = set(before.actions) == set(actions)
        differ = advice_on_information(before.actions, actions)
        raise GameRuleError(
            "a player's infostate determines whether it acts, and its legal actions and their "
            "order; " + ("list them in the same order" if same else differ),
            found=f"the player {_acting_text(actions)} here, but at world state "
            f"{show(before.world)} the player {_acting_text(before.actions)}, and it cannot tell "
            f"the two apart: its infostate at both is "
            f"{str(self._infostate(player, infostate))!r}",
            world=world,
            player=player,
        )

    def _infostate(self, player: Player, number: int) -> Infostate:
        steps = []
        while (origin := self.origin[number]) is not None:
            number, step = origin
            steps.append(step)
        return Infostate(player, tuple(reversed(steps)))


class PublicStateNumbers:
    """Numbers of public states (0 is the root) and the joint action that first led to each."""

    def __init__(self, public_actions: bool) -> None:
        self.public_actions = public_actions
        self.numbers: dict[tuple[int, Hashable], int] = {}
        self.first: dict[int, tuple[JointAction, World]] = {}

    def extend(
        self, public_state: int, seen: Hashable, joint_action: JointAction, world: World
    ) -> int:
        """Return the number of the public state after one more observation.

        Raises
        ------
        GameRuleError
            If actions are declared public, but two joint actions lead to the same public state.
        """
        number = self.numbers.setdefault((public_state, seen), len(self.numbers) + 1)
        before, at = self.first.setdefault(number, (joint_action, world))
        if self.public_actions and before != joint_action:
            raise GameRuleError(
                "where public_actions is True, equal public observations at a public state result "
                "from equal joint actions; make observe show the actions, or omit public_actions",
                found=f"the public observation is {show(seen)} after joint action "
                f"{show(joint_action)} here, and also after {show(before)} at world state "
                f"{show(at)} of the same public state",
                world=world,
            )
        return number


def _acting_text(actions: Sequence[Action]) -> str:
    return f"has legal actions {show(list(actions))}" if actions else "does not act"
