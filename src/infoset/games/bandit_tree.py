"""Decision trees with chance moves, on which learners differ by exploration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import ClassVar, NamedTuple

from infoset.game import Game, Observation, Probability
from infoset.games.parameters import check_parameters, flag, integer, parameter_error, real
from infoset.typing import JointAction, Player

STOP = 0
CHANCES = ("best_chance", "other_chance", "stop_chance")


class Place(NamedTuple):
    """Decisions made, last branch (-1: none yet), the deciding player's reward, and that player."""

    decisions: int
    branch: int = -1
    reward: int = 0
    player: Player = 0


@dataclass(frozen=True)
class BanditTree(Game):
    """A decision tree with chance moves, and a win or loss of 1 at the end.

    A chance move draws one of `deals` first branches. There the player chooses one of `num_actions`
    actions, a chance move draws one of `branching` next branches, which the player observes, and so
    on for `depth` decisions. After the last decision the player wins with probability `best_chance`
    if its action was the best one for the branch, and with probability `other_chance` if not. The
    best action at branch b is b modulo `num_actions`. With `can_stop`, action 0 of an earlier
    decision ends the game; the player then wins with probability `stop_chance`.

    With two players, the first chance move also draws the one who makes all decisions; the rewards
    of the other one are the opposite.

    Parameters
    ----------
    depth
        Number of decisions.
    num_actions
        Number of actions at each decision.
    branching
        Number of chance branches between two decisions.
    deals
        Number of chance branches before the first decision.
    can_stop
        Whether action 0 ends the game, except at the last decision.
    best_chance
        Probability of winning after the best action at the last decision.
    other_chance
        Probability of winning after any other action at the last decision.
    stop_chance
        Probability of winning after stopping early.
    players
        Number of players, 1 or 2; with 2, each decides in a separate tree.

    Notes
    -----
    The default trees, with three decisions and two actions, separate learners with balanced
    exploration from others. Without stopping, if a defeat counts as loss 1 and a win as loss 0, the
    expected loss is 0.3 after the best last action and 0.5 after any other.

    With `depth=1` and nearly equal chances, the game is the hard instance of the lower bound: each
    of the X = `deals` infostates is a bandit with A = `num_actions` arms, and is reached in one of
    X episodes. If the chances differ by √(XA / T), every learner has a regret of order √(XAT) in T
    episodes for some choice of the best arms, so a gap of ε needs of the order of XA / ε² episodes.

    Examples
    --------
    >>> from infoset.tree import build_tree
    >>> build_tree(BanditTree(branching=8)).sequence_form.treeplexes[0].num_infostates
    273
    """

    name: ClassVar[str] = "bandit_tree"

    depth: int = integer(3, low=1, high=10)
    num_actions: int = integer(2, low=2, high=100)
    branching: int = integer(4, low=1, high=1000)
    deals: int = integer(1, low=1, high=100_000)
    can_stop: bool = flag(False)
    best_chance: float = real(0.7, low=0)
    other_chance: float = real(0.5, low=0)
    stop_chance: float = real(0.55, low=0)
    players: int = integer(1, low=1, high=2)
    num_players: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_parameters(self)
        object.__setattr__(self, "num_players", self.players)
        for name in CHANCES:
            if getattr(self, name) > 1:
                raise parameter_error(self, name, "must be a number from 0 to 1", 0.5)

    def initial_world(self) -> Place:
        """Return the world before the first chance move."""
        return Place(0)

    def actors(self, world: Place) -> Sequence[Player]:
        """Return the player who decides once a branch is drawn, until the game is over."""
        return () if world.branch < 0 or world.reward else (world.player,)

    def legal_actions(self, world: Place, player: Player) -> Sequence[int]:
        """Return the actions, which are numbers."""
        return range(self.num_actions)

    def transitions(
        self, world: Place, joint_action: JointAction
    ) -> Iterable[tuple[Place, Probability]]:
        """Return the possible next branches, or a win and a loss."""
        if world.reward:
            return []
        if world.branch < 0:
            places = range(self.players), range(self.deals)
            share = Fraction(1, self.players * self.deals)
            return [(Place(0, branch, player=player), share) for player, branch in product(*places)]
        decisions, action = world.decisions + 1, joint_action[world.player]
        if decisions == self.depth:
            is_best = action == world.branch % self.num_actions
            return self._ends(world, self.best_chance if is_best else self.other_chance)
        if self.can_stop and action == STOP:
            return self._ends(world, self.stop_chance)
        share = Fraction(1, self.branching)
        return [
            (Place(decisions, branch, player=world.player), share)
            for branch in range(self.branching)
        ]

    def _ends(self, world: Place, chance: float) -> Iterable[tuple[Place, Probability]]:
        win = Fraction(str(chance))  # the decimal, such as 7/10, and not the float nearest to it
        ends = ((1, win), (-1, 1 - win))
        over = Place(world.decisions + 1, player=world.player)
        return [(over._replace(reward=reward), share) for reward, share in ends if share]

    def rewards(
        self, world: Place, joint_action: JointAction, next_world: Place
    ) -> Sequence[float]:
        """Return 1 for a win and -1 for a loss, and the opposite for the other player."""
        reward, decides = next_world.reward, next_world.player
        return [reward if player == decides else -reward for player in range(self.players)]

    def observe(self, world: Place, joint_action: JointAction, next_world: Place) -> Observation:
        """Show the branch, with two players also the one who decides, and at the end the result."""
        if next_world.reward:
            return Observation(public="win" if next_world.reward > 0 else "loss")
        who = f"player {next_world.player}, " if self.players == 2 and world.branch < 0 else ""
        return Observation(public=f"{who}branch {next_world.branch}")
