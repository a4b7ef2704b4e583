"""Learning a game from its rules, episode by episode, without building it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.errors import ParameterError
from infoset.game import Game, initial_history, play_out
from infoset.game.broken_rules import check_num_players
from infoset.game.history import Chooser
from infoset.learning.online.online_learner import Learner
from infoset.learning.online.trajectory import Trajectory
from infoset.matches.game_matches import DealStream, make_chooser
from infoset.policy import Policy, uniform_policy
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count, check_type
from infoset.utils.interrupts import interrupts_held


def play_and_learn(
    game: Game, players: Sequence[Learner | Policy | None], *, episodes: int, seed: int = 0
) -> FloatArray:
    """Play episodes of a game by its rules, from which the learners among the players learn.

    Play only calls `sample_transition`, so the game can be of any size. If any learner explores
    off-policy, the learners take turns: one explores and learns for the number of episodes that it
    needs (`Learner.turn`), while the others follow their policies. Otherwise all learners learn
    from every episode.

    Parameters
    ----------
    players
        For each player a learner, a fixed policy, or None for uniformly random play. At least one
        must be a learner.
    episodes
        At least 1.
    seed
        Random seed of chance and the fixed policies. The draws of an episode also depend on the
        number of episodes observed before. Two calls therefore have the same result as one call for
        all their episodes, even if a checkpoint is loaded in between.

    Returns
    -------
    FloatArray
        [episodes, N] utilities, in the game's units.

    Raises
    ------
    ParameterError
        If one of the players is invalid, or a number is out of range.
    TrajectoryError
        If a learner receives invalid feedback, such as a utility outside its range. Then no learner
        learns from that episode.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning import get_learner, make_learner
    >>> dice = load_game("liars_dice(numdice=5)")
    >>> spec = get_learner("tweaked-ftrl", step_sizes=(1, 0.05))
    >>> learner = make_learner(spec, player=0, utility_range=(-1, 1), horizon=20)
    >>> play_and_learn(dice, [learner, None], episodes=20).shape
    (20, 2)
    """
    learners = _checked_learners(game, players)
    check_count("episodes", episodes, minimum=1)
    check_count("seed", seed)
    streams = [DealStream(seed, number) for number in range(1 + game.num_players)]
    choosers = [_chooser(who, stream) for who, stream in zip(players, streams[1:], strict=True)]
    utilities = np.empty((episodes, game.num_players))
    # Episodes follow those observed before, and each has its own draws: runs can be split.
    first = max(learner.episodes for learner in learners)
    for row in range(episodes):
        for stream in streams:
            stream.rewind(first + row)
        _assign_turn(learners, first + row)
        utilities[row] = _play_episode(game, learners, choosers, streams[0])
    return utilities


def _checked_learners(game: Game, players: Sequence[Learner | Policy | None]) -> list[Learner]:
    """Return the learners among the players, after checking all players."""
    check_type("game", game, Game, 'the rules of a game, such as load_game("kuhn_poker")')
    check_type("players", players, (list, tuple), "a list of learners, policies or None, by player")
    check_num_players(game)
    if len(players) != game.num_players:
        raise ParameterError(
            f"players has length {len(players)}, but {game} has {game.num_players} players: give a "
            "learner, a policy or None for each"
        )
    learners = [who for who in players if isinstance(who, Learner)]
    if not learners:
        raise ParameterError(
            "players contains no learner: give at least one learner made by make_learner"
        )
    for player, who in enumerate(players):
        if isinstance(who, Learner) and who.player != player:
            raise ParameterError(
                f"the learner for player {player} was made for player {who.player}: make one with "
                f"player={player}"
            )
        if not isinstance(who, Learner | None) and not hasattr(who, "action_probabilities"):
            raise ParameterError(
                f"{who!r} cannot be player {player}: give a learner, an object with a method "
                "action_probabilities(infostate, legal_actions), or None"
            )
    return learners


def _chooser(who: Learner | Policy | None, stream: DealStream) -> Chooser:
    return (
        who.act if isinstance(who, Learner) else make_chooser(who or uniform_policy(), stream.rng)
    )


def _assign_turn(learners: list[Learner], episode: int) -> None:
    """Choose the one learner that learns in an episode, if any learner explores."""
    for learner in learners:
        learner.abandon()
    if any(learner.explores for learner in learners):
        turns = [max(1, learner.turn) for learner in learners]
        # The learner whose turn contains the episode; `right`: a turn ends before its sum.
        now = np.searchsorted(np.cumsum(turns), episode % sum(turns), side="right")
        for learner in learners[:now] + learners[now + 1 :]:
            learner.follow()


def _play_episode(
    game: Game, learners: Sequence[Learner], choosers: Sequence[Chooser], chance: DealStream
) -> tuple[float, ...]:
    """Play an episode. All learners learn from it, or none of them if an error occurs."""
    try:
        end = play_out(initial_history(game), choosers, chance.rng)
        trajectories = [
            Trajectory(learner.steps, end.rewards_so_far[learner.player]) for learner in learners
        ]
        for learner, trajectory in zip(learners, trajectories, strict=True):
            learner.check(trajectory)
    except BaseException:
        for learner in learners:
            learner.abandon()
        raise
    with interrupts_held():
        for learner, trajectory in zip(learners, trajectories, strict=True):
            learner.observe(trajectory)
    return end.rewards_so_far
