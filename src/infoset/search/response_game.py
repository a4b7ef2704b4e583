"""The game of one player against a fixed policy of the other, and its search model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.beliefs.history_batches import ObservedStep
from infoset.errors import UnsupportedGameError
from infoset.game import Game, Infostate, Observation, Probability, Step
from infoset.game.broken_rules import check_num_players
from infoset.game.outcome_lists import ended
from infoset.policy import Policy, checked_probabilities
from infoset.search.models import RootPositions, RulesModel
from infoset.search.models.rules import PartialChoice
from infoset.typing import NOOP, Action, JointAction, Player, World
from infoset.utils.arguments import check_player, check_type


class ResponseWorld(NamedTuple):
    """A world state of a response game."""

    world: World
    """The world state of the original game."""
    opponent: Infostate
    """The infostate of the player whose policy is fixed. Its last step has this player's last
    action."""


class ResponseGame(Game):
    """A two-player game in which one player, the responder, plays against a fixed policy.

    The actions of the other player are drawn by chance, with the probabilities of its policy. A
    best response is then an optimal policy of a game with one player, 0 (a partially observable
    Markov decision process), and the prior belief of this player is the posterior belief of the
    responder under the policy. The infostates are those of the responder, with `player=0`.

    Parameters
    ----------
    game
        A game with two players.
    policy
        The policy of the other player. It must be a function of the infostate and legal actions.
    player
        The responder.

    Raises
    ------
    ParameterError
        If an argument has the wrong type, or the player does not exist.
    UnsupportedGameError
        If the game does not have two players.

    Examples
    --------
    >>> from infoset.evaluation import best_response
    >>> from infoset.games import load_game
    >>> from infoset.policy import UniformPolicy, uniform_policy
    >>> from infoset.tree import build_tree
    >>> response = build_tree(ResponseGame(load_game("kuhn_poker"), UniformPolicy(), 0))
    >>> best_response(uniform_policy(response.sequence_form), 0).value
    0.5
    """

    num_players = 1

    def __init__(self, game: Game, policy: Policy, player: Player) -> None:
        check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
        give = "an object with a method action_probabilities(infostate, legal_actions)"
        check_type("policy", policy, Policy, give)
        if check_num_players(game) != 2:
            raise UnsupportedGameError(
                f"a response game has one opponent, but {game} has {game.num_players} players; "
                "give a game with two players"
            )
        check_player(player, 2, str(game))
        self.game, self.policy, self.player = game, policy, player

    def __str__(self) -> str:
        """Return the original game and the responder."""
        return f"response({self.game},player={self.player})"

    def initial_world(self) -> ResponseWorld:
        """Return the initial world state."""
        return ResponseWorld(self.game.initial_world(), Infostate(1 - self.player))

    def actors(self, world: ResponseWorld) -> Sequence[Player]:
        """Return `(0,)` if the responder acts."""
        return (0,) if self.player in self.game.actors(world.world) else ()

    def legal_actions(self, world: ResponseWorld, player: Player) -> Sequence[Action]:
        """Return the legal actions of the responder."""
        return self.game.legal_actions(world.world, self.player)

    def transitions(
        self, world: ResponseWorld, joint_action: JointAction
    ) -> Iterator[tuple[ResponseWorld, Probability]]:
        """Yield pairs of next world state and probability."""
        for action, chance in self._opponent_actions(world):
            joint = self._joint(joint_action, action)
            # Not listed first: a deal may have too many outcomes, and then only some are taken.
            for next_world, probability in self.game.transitions(world.world, joint):
                yield self._after(world, joint, next_world), chance * probability

    def rewards(
        self, world: ResponseWorld, joint_action: JointAction, next_world: ResponseWorld
    ) -> Sequence[float]:
        """Return the reward of the responder."""
        joint = self._joint(joint_action, next_world.opponent.steps[-1].action)
        return (self.game.rewards(world.world, joint, next_world.world)[self.player],)

    def observe(
        self, world: ResponseWorld, joint_action: JointAction, next_world: ResponseWorld
    ) -> Observation:
        """Return the public observation and the private one of the responder."""
        joint = self._joint(joint_action, next_world.opponent.steps[-1].action)
        seen = self.game.observe(world.world, joint, next_world.world)
        return Observation(seen.public, {0: seen.seen_by(self.player)})

    def sample_transition(
        self, world: ResponseWorld, joint_action: JointAction, rng: np.random.Generator
    ) -> ResponseWorld:
        """Draw the action of the opponent, and the next world state by the game's own method."""
        joint = self._joint(joint_action, self._drawn_action(world, rng))
        return self._after(world, joint, self.game.sample_transition(world.world, joint, rng))

    def sample_observed_transition(
        self,
        world: ResponseWorld,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[ResponseWorld, float] | None:
        """Draw the next world state given the observation, by the game's own method for chance."""
        if 1 - self.player in self.game.actors(world.world):
            return self._draw_agreeing(world, joint_action, ObservedStep(player, step), rng)
        joint = self._joint(joint_action, NOOP)
        observer = None if player is None else self.player
        found = self.game.sample_observed_transition(world.world, joint, observer, step, rng)
        if found is None:
            return None
        next_world, probability = found
        return self._after(world, joint, next_world), probability

    def _joint(self, joint_action: JointAction, opponent: Action) -> JointAction:
        """Return the joint action of the original game."""
        (own,) = joint_action
        return (own, opponent) if self.player == 0 else (opponent, own)

    def _opponent_actions(self, world: ResponseWorld) -> Iterator[tuple[Action, Probability]]:
        """Yield the actions of positive probability; `NOOP` if the opponent does not act."""
        opponent = 1 - self.player
        if opponent not in self.game.actors(world.world):
            yield NOOP, 1
            return
        legal = tuple(self.game.legal_actions(world.world, opponent))
        probabilities = checked_probabilities(self.policy, world.opponent, legal)
        # Those of a policy in `float32` sum to 1 less exactly than those of chance must.
        probabilities = probabilities / probabilities.sum()
        for action, probability in zip(legal, probabilities.tolist(), strict=True):
            if probability:
                yield action, probability

    def _drawn_action(self, world: ResponseWorld, rng: np.random.Generator) -> Action:
        options = list(self._opponent_actions(world))
        return options[_drawn([chance for _, chance in options], rng)][0]

    def _draw_agreeing(
        self,
        world: ResponseWorld,
        joint_action: JointAction,
        observed: ObservedStep,
        rng: np.random.Generator,
    ) -> tuple[ResponseWorld, float] | None:
        """Draw one of the next world states that agree with an observation, by listing them."""
        found = [
            (after, float(probability))
            for after, probability in ended(
                self.transitions(world, joint_action), world, joint_action
            )
            if observed.agrees(self.observe(world, joint_action, after))
        ]
        if not found:
            return None
        chances = [probability for _, probability in found]
        return found[_drawn(chances, rng)][0], sum(chances)

    def _after(self, world: ResponseWorld, joint: JointAction, next_world: World) -> ResponseWorld:
        """Return the next world state, with what the opponent has done and observed."""
        opponent = 1 - self.player
        seen = self.game.observe(world.world, joint, next_world)
        step = Step(joint[opponent], seen.seen_by(opponent), seen.public)
        return ResponseWorld(next_world, world.opponent.extend(step))


def _drawn(chances: Sequence[Probability], rng: np.random.Generator) -> int:
    """Return an index, drawn with probabilities of any sum; a single one uses no random number."""
    if len(chances) == 1:
        return 0
    cumulative = np.cumsum(np.array(chances, np.float64))
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


class ResponseModel(RulesModel):
    """The search model of a response game, with beliefs computed by the rules of the original game.

    They are posteriors under the policy, and equal those of a `RulesModel`. The original game can
    list or draw its histories itself, which is faster than filtering those of the response game.
    """

    game: ResponseGame

    def __init__(self, game: ResponseGame) -> None:
        check_type("game", game, ResponseGame, "a ResponseGame")
        super().__init__(game)
        self._original = RulesModel(game.game)

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate of the responder."""
        return self._original.legal_actions(self._own(infostate))

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions of a belief under the policy of the opponent."""
        if len(self._positions) > self.max_positions:
            self._clear()
        player, own = self.game.player, self._own(infostate)
        policies = [self.game.policy, None] if player else [None, self.game.policy]
        held = replace(belief, policies=policies).at(self.game.game, own, rng=rng)
        worlds = map(ResponseWorld, held.worlds, held.infostates(1 - player))
        known = {own: 0}
        numbers = [[known.setdefault(each, len(known))] for each in held.infostates(player)]
        return RootPositions(
            np.array([[self._number(PartialChoice(world))] for world in worlds], np.int64),
            held.rewards_so_far[:, [player]],
            np.array(numbers, np.int64),
            held.probability,
            held.model_noise,
        )

    def _own(self, infostate: Infostate) -> Infostate:
        """Return the infostate of the original game."""
        return Infostate(self.game.player, infostate.steps)
