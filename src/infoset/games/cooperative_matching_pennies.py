"""Cooperative matching pennies: one agent signals a coin, the other guesses it or passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

from infoset.game import Game, Observation, Probability
from infoset.games.parameters import check_parameters, real
from infoset.typing import JointAction, Player

__all__ = ["CooperativeMatchingPennies"]

SIDES = ("heads", "tails")
PASS = "pass"


class Table(NamedTuple):
    """The coin, the signal and the guess, each empty until it is there."""

    coin: str = ""
    signal: str = ""
    guess: str = ""


@dataclass(frozen=True)
class CooperativeMatchingPennies(Game):
    """Cooperative matching pennies: signal a coin to a partner who may guess it.

    A fair coin is tossed. Player 0 sees it and says `heads` or `tails`, the truth or not. Player
    1 hears that and no more, and guesses the coin or passes. Both get the same. In the end the
    coin is shown.

    Parameters
    ----------
    win_reward : float
        What each player gets for a right guess.
    miss_reward : float
        What each player gets for a wrong guess.
    pass_reward : float
        What each player gets for a pass.

    Notes
    -----
    The best that the two can do is `win_reward`, in two ways: player 0 says what it sees, or
    always the opposite. It is a trap for learners: while the signal is noise, player 1 does best
    to pass, and while player 1 passes, no signal is better than another.
    Source: B. Heymann, M. Lanctot, "Learning in games with progressive hiding", AAMAS 2025. The
    rewards are a choice of ours that makes the trap.

    Examples
    --------
    >>> from infoset.games import CooperativeMatchingPennies
    >>> CooperativeMatchingPennies(miss_reward=-10).miss_reward
    -10.0
    """

    name: ClassVar[str] = "cooperative_matching_pennies"
    num_players = 2

    win_reward: float = real(1.0)
    miss_reward: float = real(-2.0)
    pass_reward: float = real(0.0)

    def __post_init__(self) -> None:
        check_parameters(self)

    def initial_world(self) -> Table:
        """Return the table before the toss."""
        return Table()

    def actors(self, world: Table) -> Sequence[Player]:
        """Return player 0 after the toss, player 1 after the signal."""
        if not world.coin or world.guess:
            return ()
        return (1,) if world.signal else (0,)

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return both sides of the coin, and `pass` for player 1."""
        return SIDES if player == 0 else (*SIDES, PASS)

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Toss the coin, or note the signal or the guess."""
        if not world.coin:
            return [(Table(side), Fraction(1, 2)) for side in SIDES]
        if not world.signal:
            return [(world._replace(signal=str(joint_action[0])), 1)]
        if not world.guess:
            return [(world._replace(guess=str(joint_action[1])), 1)]
        return []

    def rewards(
        self, world: Table, joint_action: JointAction, next_world: Table
    ) -> Sequence[float]:
        """Return the same for both, once there is a guess or a pass."""
        if not next_world.guess:
            return (0, 0)
        reward = self.win_reward if next_world.guess == next_world.coin else self.miss_reward
        return (self.pass_reward if next_world.guess == PASS else reward,) * 2

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show the coin to player 0, then everybody the signal, the guess and the coin."""
        if not world.coin:
            return Observation(private={0: next_world.coin})
        if not world.signal:
            return Observation(public=next_world.signal)
        return Observation(public=(next_world.guess, f"coin {next_world.coin}"))
