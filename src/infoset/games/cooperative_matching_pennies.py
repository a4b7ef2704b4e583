"""Cooperative matching pennies: one player signals a coin toss, the other guesses it or passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

from infoset.game import Game, Observation, Probability
from infoset.games.parameters import check_parameters, real
from infoset.typing import JointAction, Player

SIDES = ("heads", "tails")
PASS = "pass"


class Table(NamedTuple):
    """The coin, the signal and the guess; each is empty until it is determined."""

    coin: str = ""
    signal: str = ""
    guess: str = ""


@dataclass(frozen=True)
class CooperativeMatchingPennies(Game):
    """Cooperative matching pennies: signal a coin to a partner who may guess it.

    A fair coin is tossed. Player 0 observes it and signals `heads` or `tails`, truthfully or not.
    Player 1 observes only the signal, and guesses the coin or passes. Both get the same reward. At
    the end the coin is shown.

    Parameters
    ----------
    win_reward
        Reward of each player for a correct guess.
    miss_reward
        Reward of each player for a wrong guess.
    pass_reward
        Reward of each player for a pass.

    Notes
    -----
    The optimal team value is `win_reward`, attained in two ways: player 0 signals the coin, or
    always the opposite. Learners may get stuck at an equilibrium with value `pass_reward`: while
    the signal is noise, passing is a best response; while player 1 passes, all signals are equally
    good. Source: B. Heymann, M. Lanctot, "Learning in games with progressive hiding", AAMAS 2025.
    The paper does not specify the rewards. With the default rewards, passing is an equilibrium.

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
        """Return player 0 after the toss, and player 1 after the signal."""
        if not world.coin or world.guess:
            return ()
        return (1,) if world.signal else (0,)

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return both sides of the coin, and `pass` for player 1."""
        return SIDES if player == 0 else (*SIDES, PASS)

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Return the outcomes of the toss, or the table after the signal or the guess."""
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
        """Return the same reward for both after the guess or pass."""
        if not next_world.guess:
            return (0, 0)
        reward = self.win_reward if next_world.guess == next_world.coin else self.miss_reward
        return (self.pass_reward if next_world.guess == PASS else reward,) * 2

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show player 0 the coin, everybody the signal, and in the end the guess and the coin."""
        if not world.coin:
            return Observation(private={0: next_world.coin})
        if not world.signal:
            return Observation(public=next_world.signal)
        return Observation(public=(next_world.guess, f"coin {next_world.coin}"))
