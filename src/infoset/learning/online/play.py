"""Learning a game from its rules alone, episode by episode, without building it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.errors import ParameterError
from infoset.game import Game, initial_history, play_out
from infoset.game.history import Chooser
from infoset.learning.online.episode import Trajectory
from infoset.learning.online.learner import Learner
from infoset.matches.game_matches import DealStream, make_chooser
from infoset.policy import Policy, UniformPolicy
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count, check_type
from infoset.utils.interrupts import interrupts_held

__all__ = ["play_and_learn"]


def play_and_learn(
    game: Game, seats: Sequence[Learner | Policy | None], *, episodes: int, seed: int = 0
) -> FloatArray:
    """Play a game by its rules, and let the learners among its players learn.

    The rules are asked for what happens, by `sample_transition`, and never for all that can: a
    game can be as large as it likes. Where a learner explores, learners take turns, each of as
    many episodes as it needs, while the others follow their policies; where none does, all learn
    from every episode.

    Parameters
    ----------
    game : Game
    seats : Sequence[Learner or Policy or None]
        Who plays, by player: at least one learner; policies are fixed; None plays uniformly at
        random.
    episodes : int
        At least 1.
    seed : int
        Of nature and the fixed policies. An episode draws by the number of episodes that the
        learners have observed, so that two calls do what one would, also from a checkpoint.

    Returns
    -------
    FloatArray
        [episodes, N] utilities, in the game's units.

    Raises
    ------
    ParameterError
        If a seat cannot be taken by what is given for it, or a number is out of range.
    TrajectoryError
        If a learner is told what it was not before, such as a utility out of its range; episodes
        before are learnt then, and this one is by none.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning import get_learner, make_learner
    >>> dice = load_game("liars_dice(numdice=5)")
    >>> row = get_learner("tweaked-ftrl", step_sizes=(1, 0.05))
    >>> learner = make_learner(row, player=0, utility_range=(-1, 1), horizon=20)
    >>> play_and_learn(dice, [learner, None], episodes=20).shape
    (20, 2)
    """
    learners = _checked_learners(game, seats)
    check_count("episodes", episodes, minimum=1)
    check_count("seed", seed)
    streams = [DealStream(seed, number) for number in range(1 + game.num_players)]
    choose = [_chooser(who, stream) for who, stream in zip(seats, streams[1:], strict=True)]
    utilities = np.empty((episodes, game.num_players))
    first = max(learner.episodes for learner in learners)
    for row in range(episodes):
        for stream in streams:
            stream.rewind(first + row)
        _take_turns(learners, first + row)
        utilities[row] = _play_episode(game, learners, choose, streams[0])
    return utilities


def _checked_learners(game: Game, seats: Sequence[Learner | Policy | None]) -> list[Learner]:
    """Return the learners among those who play, if they can play."""
    check_type("game", game, Game, "the rules of a game, such as load_game returns")
    check_type("seats", seats, (list, tuple), "a list of learners, policies or None, by player")
    if len(seats) != game.num_players:
        raise ParameterError(
            f"got {len(seats)} seats; {game} has {game.num_players} players: give a learner, a "
            "policy or None for each"
        )
    learners = [who for who in seats if isinstance(who, Learner)]
    if not learners:
        raise ParameterError("nobody learns: give at least one learner, as make_learner makes it")
    for player, who in enumerate(seats):
        if isinstance(who, Learner) and who.player != player:
            raise ParameterError(
                f"the learner for seat {player} was made for player {who.player}: give it in that "
                f"seat, or make one with player={player}"
            )
        if not isinstance(who, Learner | None) and not hasattr(who, "action_probabilities"):
            raise ParameterError(
                f"{who!r} in seat {player} is no player: give a learner, an object with a method "
                "action_probabilities(infostate, legal_actions), or None"
            )
    return learners


def _chooser(who: Learner | Policy | None, stream: DealStream) -> Chooser:
    return who.act if isinstance(who, Learner) else make_chooser(who or UniformPolicy(), stream.rng)


def _take_turns(learners: list[Learner], episode: int) -> None:
    """Let one learner learn and the others follow, if there is any that explores."""
    for learner in learners:
        learner.abandon()
    if any(learner.explores for learner in learners):
        turns = [max(1, learner.turn) for learner in learners]
        now = np.searchsorted(np.cumsum(turns), episode % sum(turns), side="right")
        for learner in learners[:now] + learners[now + 1 :]:
            learner.follow()


def _play_episode(
    game: Game, learners: Sequence[Learner], choose: Sequence[Chooser], nature: DealStream
) -> tuple[float, ...]:
    """Play an episode, and let all learn from it or, where anything goes wrong, none."""
    try:
        end = play_out(initial_history(game), choose, nature.rng)
        told = [
            Trajectory(learner.steps, end.rewards_so_far[learner.player]) for learner in learners
        ]
        for learner, trajectory in zip(learners, told, strict=True):
            learner.check(trajectory)
    except BaseException:
        for learner in learners:
            learner.abandon()
        raise
    with interrupts_held():
        for learner, trajectory in zip(learners, told, strict=True):
            learner.observe(trajectory)
    return end.rewards_so_far
