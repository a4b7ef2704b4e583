"""`solve_team` and `evaluate_teams`, for players who share a payoff but not their information."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.front.game_sources import GameLike, resolve_game, to_compiled
from infoset.front.policy_sources import resolve_policy
from infoset.front.solution import checkpointing
from infoset.game import Game
from infoset.policy import Policy, TabularPolicy
from infoset.runs import DEFAULT_CHECKPOINT_SECONDS, SolveResult
from infoset.teams import (
    HidingScheme,
    InformationMap,
    PayoffRule,
    PenaltySchedule,
    ProductForm,
    Relaxation,
    SecurityLevel,
    Team,
    TeamMethod,
    TeamResult,
    build_product_form,
    check_teams,
    compact_form,
    expected_payoffs,
    from_tabular,
    get_team_method,
    merge_outcomes,
    security_level,
)
from infoset.teams.solving import (
    TeamCallback,
    TeamClock,
    TeamOptions,
    TeamTask,
    default_team_method,
    fill_options,
)
from infoset.tree import BuildProgress
from infoset.utils.arguments import check_type


class TeamEvaluation(NamedTuple):
    """Payoffs and security levels of teams under a policy."""

    teams: tuple[Team, ...]
    """T teams, a partition of the players."""
    payoffs: tuple[float, ...]
    """[T] expected payoff of each team if all play the policy."""
    security_levels: tuple[SecurityLevel, ...]
    """[T] bounds on what each team's part of the policy guarantees it, if all other players respond
    together."""


def evaluate_teams(
    game: GameLike,
    policy: TabularPolicy | Policy | SolveResult | str | Path,
    teams: Sequence[Sequence[int]],
    *,
    rule: PayoffRule = "common",
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> TeamEvaluation:
    """Measure the payoff and the security level of each of several teams under a policy.

    Parameters
    ----------
    game : str, Game, GameTree or ExtensiveForm
    policy : Policy, SolveResult, str or Path
        As in `evaluate`.
    teams : sequence of sequences of players
        At least two groups, which contain each player once.
    rule : {"common", "sum"}
        The payoff of a team: `common`, the payoff that all its players get, or `sum`, the sum of
        their payoffs.
    memory, progress
        As in `solve`.

    Raises
    ------
    PolicyFileError, PolicyMismatchError
        If the policy cannot be read or belongs to another game.
    UnsupportedGameError
        If players with different payoffs form a team with a common payoff.

    Examples
    --------
    >>> found = evaluate_teams(
    ...     "kuhn_poker(players=3)", "uniform", [(0, 1), (2,)], rule="sum"
    ... )
    >>> [round(level.lower, 3) for level in found.security_levels]
    [-0.635, -0.667]
    """
    tree = to_compiled(resolve_game(game), memory=memory, progress=progress)
    form = merge_outcomes(build_product_form(tree))
    partition = check_teams(form, teams)
    if len(partition) == 1:
        raise ParameterError("there is only one team; give at least two, such as [(0, 1), (2,)]")
    information = form.information
    probability = from_tabular(information, resolve_policy(policy, tree.sequence_form))
    by_player = expected_payoffs(information, probability)
    levels = [security_level(information, team, probability, rule=rule) for team in partition]
    size = 1 if rule == "common" else None  # all players of a team have the same payoff
    payoffs = [float(by_player[list(team)][:size].sum()) for team in partition]
    return TeamEvaluation(partition, tuple(payoffs), tuple(levels))


def solve_team(
    game: GameLike | ProductForm,
    method: str | HidingScheme | TeamMethod | None = None,
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
    progress: BuildProgress | None = None,
) -> TeamResult:
    """Solve a team game, in which players share a payoff but not their information.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm or ProductForm
        By name, as rules, as a tree, or in product form. In all but the product form, chance
        outcomes that no agent can tell apart are merged. Trade and communication with more than ten
        million plays (eight items or more) is solved in a compact form; see
        `infoset.teams.compact_form`. The result then has no tabular policy.
    method
        A name of `infoset.teams.TEAM_METHODS`, in upper or lower case; a scheme of progressive
        hiding; or your own method. The default is `portfolio`: exact search with a cap on its work
        and, if that does not prove a policy optimal, progressive hiding and then iterated best
        response. With several teams, or if `relax`, `penalty`, `iterations`, `restarts` or
        `checkpoint` is given, which apply only to learning, the default is `progressive-hiding`.
    teams : sequence of sequences of agents, optional
        Groups of agents that play together; by default all agents form one team. Several teams
        learn against each other by progressive hiding, without a guarantee of convergence.
    relax
        Information relaxation used during learning: a name of `infoset.teams.RELAXATIONS`, by
        default `recall`, and `closure` for a tree that was not built from rules; your own
        relaxation; or an information map of the given product form.
    penalty
        Penalty coefficient γ for relying on relaxed information, in utility units; by default
        proportional to the payoff range.
    rule : {"common", "sum"}
        The payoff of a team: `common`, the payoff that all its agents get, or `sum`, the sum of
        their payoffs.
    iterations
        Iterations of each run; by default those of the method.
    restarts
        Number of runs from different initial policies. A run may end in a local optimum, so there
        are several runs by default for a single team, and the best run is the answer.
    seconds
        Time limit for all runs together, including earlier sessions, CFR+ and the security levels.
        The time to construct the game and its relaxation, and to compile, does not count; the
        result reports it separately. Learning is planned for the iterations that fit, at the rate
        that is measured early in the limit and again in the middle. The result then depends on the
        clock, and says so.
    seed
        Random seed of the first run; run k uses `seed + k`.
    callback : callable, optional
        Called with a `TeamPoint` at every measurement; returning true stops the method.
    checkpoint, checkpoint_seconds
        As in `solve`.
    memory, progress
        As in `solve`; `progress` is also called when the stages `cfr+` and `security levels` begin.

    Returns
    -------
    TeamResult
        After Ctrl-C, the best measured policy so far; its `gap` is the distance from the upper
        bound. Methods that learn, and `portfolio`, also run plain CFR+, in which all agents learn
        for themselves: as many iterations as a run, but at most 1,000, in at most a tenth of the
        time limit. Each policy is one of the `candidates` of the result, and the best one is the
        answer. A single team compares payoffs, after iterated best response from each policy (see
        `hill_climb`). Several teams compare security levels, each team for itself.

    Raises
    ------
    InfosetError
        If the game, method or relaxation is unknown, the game is too large, agents with different
        payoffs form a team, the method does not support an option, a number is out of range, or
        the checkpoint belongs to another run.

    Examples
    --------
    >>> result = solve_team("cooperative_matching_pennies", restarts=2)
    >>> round(result.payoff, 6), result.upper_bound
    (1.0, 1.0)
    """
    # The product form is built last: a wrong option must not cost the time of building.
    spec, num_teams = None if method is None else get_team_method(method), 1
    if teams is not None:
        check_type("teams", teams, Sequence, "a list of groups of agents, such as [(0, 1)]")
        num_teams = len(teams)
    kept = None if checkpoint is None else checkpointing(checkpoint, checkpoint_seconds)
    given = TeamOptions(relax, penalty, iterations, restarts, seconds, kept)
    spec = default_team_method(given, num_teams) if spec is None else spec
    options = fill_options(spec, given, num_teams)
    clock = TeamClock()
    form = _product_form(game, memory, progress)
    partition = _one_team(form, rule) if teams is None else check_teams(form, teams)
    clock.add_build_seconds(clock.elapsed)
    task = TeamTask(form, partition, options, rule, seed, callback, progress=progress, clock=clock)
    return spec.solve(task)


def _product_form(
    game: GameLike | ProductForm, memory: int | None, progress: BuildProgress | None
) -> ProductForm:
    if isinstance(game, ProductForm):
        return game
    game = resolve_game(game)
    compact = compact_form(game) if isinstance(game, Game) else None
    if compact is not None:
        return compact
    return merge_outcomes(build_product_form(to_compiled(game, memory=memory, progress=progress)))


def _one_team(form: ProductForm, rule: PayoffRule) -> tuple[Team, ...]:
    """Return the team of all agents.

    Raises
    ------
    UnsupportedGameError
        If the payoffs of the agents differ.
    """
    payoff = form.arrays.payoff
    if rule == "common" and (payoff != payoff[:, :1]).any():
        alone = [(agent,) for agent in range(form.num_agents)]
        on_command_line = "/".join(str(agent) for agent in range(form.num_agents))
        raise UnsupportedGameError(
            f"the players of {form.name} have different payoffs and cannot form one team; give "
            f"teams={alone} (on the command line --teams {on_command_line}) to let each play alone"
        )
    return (tuple(range(form.num_agents)),)
