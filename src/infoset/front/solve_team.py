"""`solve_team`: the verb for agents who want the same and do not know the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from infoset.errors import UnsupportedGameError
from infoset.front.load import GameLike, to_compiled
from infoset.front.solve import checkpointing
from infoset.runs import DEFAULT_CHECKPOINT_SECONDS
from infoset.teams import (
    HidingScheme,
    InformationMap,
    PayoffRule,
    PenaltySchedule,
    ProductForm,
    Relaxation,
    Team,
    TeamMethod,
    TeamResult,
    build_product_form,
    check_teams,
    get_team_method,
    merge_outcomes,
)
from infoset.teams.solving import (
    DEFAULT_TEAM_METHOD,
    TeamCallback,
    TeamOptions,
    TeamTask,
    fill_options,
)
from infoset.tree import ExplorationProgress
from infoset.utils.arguments import check_type

__all__ = ["solve_team"]


def solve_team(
    game: GameLike | ProductForm,
    method: str | HidingScheme | TeamMethod = DEFAULT_TEAM_METHOD,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    relax: str | Relaxation | InformationMap | None = None,
    penalty: float | PenaltySchedule | None = None,
    rule: PayoffRule = "common",
    iterations: int | None = None,
    restarts: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    callback: TeamCallback | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = DEFAULT_CHECKPOINT_SECONDS,
    memory: int | None = None,
    progress: ExplorationProgress | None = None,
) -> TeamResult:
    """Solve a game for teams, whose agents want the same and do not know the same.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm or ProductForm
        By name, as rules, as a tree, or in product form, in which agents know what its
        information map tells. Of all but the last, outcomes of nature that no agent can tell
        apart are merged.
    method : str, HidingScheme or TeamMethod
        A name of `infoset.teams.TEAM_METHODS`, in any case of letters; a scheme of progressive
        hiding; or a row of your own.
    teams : sequence of sequences of agents, optional
        Who plays together; by default all. Several teams all learn by progressive hiding, each
        with what it is lent. Nothing is promised then.
    relax : str, Relaxation or InformationMap, optional
        What agents are lent while they learn: a name of `infoset.teams.RELAXATIONS`, by default
        `recall`; a row of your own; or a map of the product form that is given.
    penalty : float or PenaltySchedule, optional
        γ, the price of what hangs on that, in units of utility; by default in proportion to the
        range of payoffs.
    rule : {"common", "sum"}
        What a team earns: what each of its agents does, or the sum.
    iterations : int, optional
        Of each run; by default as many as the method has.
    restarts : int, optional
        Number of runs, each from another first policy. What is learned may be a local optimum, so
        by default there are several of one team, and the best is the answer.
    seconds : float, optional
        Time after which to stop, of all runs together, and of earlier sittings.
    seed : int
        Of the first run; the others have the numbers that follow.
    callback : callable, optional
        Called with a `TeamPoint` at every measurement; stops the method by returning true.
    checkpoint, checkpoint_seconds
        As in `solve`: a file to keep the runs of learners in, and to go on from, to the same bits.
    memory, progress
        As in `solve`.

    Returns
    -------
    TeamResult
        Also after Ctrl-C, with what is there. In the end the agents of one team that has learned
        respond by turns to its best policy, until none gains; see `hill_climb`.

    Raises
    ------
    InfosetError
        If the game, the method or what is lent is unknown, the game is too large, agents who
        are paid differently are taken for a team, the method has no use for an option, a
        number makes no sense, or the checkpoint is of other runs.

    Examples
    --------
    >>> result = solve_team("cooperative_matching_pennies", restarts=2)
    >>> round(result.payoff, 6), result.upper_bound
    (1.0, 1.0)
    """
    row, num_teams = get_team_method(method), 1
    if teams is not None:
        check_type("teams", teams, Sequence, "groups of agents, such as [(0, 1)]")
        num_teams = len(teams)
    kept = None if checkpoint is None else checkpointing(checkpoint, checkpoint_seconds)
    given = TeamOptions(relax, penalty, iterations, restarts, seconds, kept)
    options = fill_options(row, given, num_teams)
    form = _product_form(game, memory, progress)
    partition = _one_team(form, rule) if teams is None else check_teams(form, teams)
    return row.solve(TeamTask(form, partition, options, rule, seed, callback))


def _product_form(
    game: GameLike | ProductForm, memory: int | None, progress: ExplorationProgress | None
) -> ProductForm:
    if isinstance(game, ProductForm):
        return game
    return merge_outcomes(build_product_form(to_compiled(game, memory=memory, progress=progress)))


def _one_team(form: ProductForm, rule: PayoffRule) -> tuple[Team, ...]:
    """Return the team of all agents.

    Raises
    ------
    UnsupportedGameError
        If they do not want the same.
    """
    payoff = form.arrays.payoff
    if rule == "common" and (payoff != payoff[:, :1]).any():
        alone = [(agent,) for agent in range(form.num_agents)]
        on_command_line = "/".join(str(agent) for agent in range(form.num_agents))
        raise UnsupportedGameError(
            f"the players of {form.name} are not paid the same, so that they are no team; say who "
            f"plays with whom: teams={alone}, or --teams {on_command_line}, where each plays alone"
        )
    return (tuple(range(form.num_agents)),)
