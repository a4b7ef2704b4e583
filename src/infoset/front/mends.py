"""The function `mend`: the best change of a part of a policy, while the rest stays as it is."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import Evaluation, evaluate_policy
from infoset.forms import Form, lock_infostates
from infoset.front.solution import solve
from infoset.policy import TabularPolicy, check_policy
from infoset.regret import RegretScheme
from infoset.runs import Callback, SolveResult, Target
from infoset.solvers import DEFAULT_METHOD
from infoset.solvers.methods import MethodSpec
from infoset.typing import BoolArray, Player
from infoset.utils.short_repr import Facts, ShortRepr

PRECISION: Final = 0.02
"""Target of a solution if none is given, in units of the exploitability of the policy."""


SMALLEST_TARGET: Final = 1e-6
"""The smallest such target, in units of the payoff range."""


@dataclass(frozen=True, eq=False, repr=False)
class Mend(ShortRepr):
    """A policy of which a part was solved again."""

    policy: TabularPolicy
    """The new policy. A player whose solution is not better has its old probabilities."""
    infostates: tuple[BoolArray, ...]
    """[I] per player, which acting infostates were solved again."""
    before: Evaluation
    after: Evaluation
    """Of the old and of the new policy."""
    results: dict[Player, SolveResult]
    """By player, the solution of the game in which the player's other decisions are fixed."""

    @property
    def gains(self) -> tuple[float, float]:
        """By how much the utility that each player is guaranteed has risen; 0 or more."""
        first, second = (
            _guaranteed(self.after, own) - _guaranteed(self.before, own) for own in (0, 1)
        )
        return first, second

    def _facts(self) -> Facts:
        about = {
            "infostates": int(sum(own.sum() for own in self.infostates)),
            "exploitability before": self.before.exploitability,
            "after": self.after.exploitability,
        }
        return Facts(self.policy.form.name, about, "see .policy")


def _guaranteed(measured: Evaluation, player: Player) -> float:
    """Return the utility of a player against a best response."""
    assert measured.security_levels is not None
    return measured.security_levels[player]


def mend(
    policy: TabularPolicy | SolveResult,
    at: Hashable | Sequence[Hashable] | tuple[BoolArray, ...],
    *,
    method: str | RegretScheme | MethodSpec = DEFAULT_METHOD,
    target: Target | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    callback: Callback | None = None,
) -> Mend:
    """Solve a part of a policy again, and leave the rest as it is.

    For each player in turn, all its decisions outside the part are locked, the opponent is free,
    and the game is solved. The new part guarantees the player as much as is possible with the rest
    of its policy, whatever the opponent does, and thus at least as much as before: exploitability
    does not rise. A solution that guarantees less, as after too few iterations, is not used.

    Parameters
    ----------
    at
        An infostate, named as in `policy[key]`, or a line of a public form, or several. The part is
        an infostate with all later ones of its player, or all infostates of both players at a line
        and after it. Or, per player, [I] which acting infostates are the part.
    method, target, iterations, seconds, callback
        As in `solve`, for each of the players. Without `target` and `iterations`, the target is 2%
        of the exploitability of the policy.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    UnknownNameError, ParameterError
        If an infostate or line does not exist, or none is given.

    Examples
    --------
    >>> import infoset
    >>> uniform = infoset.uniform_policy(infoset.build_tree("kuhn_poker").sequence_form)
    >>> found = mend(uniform, ("[K] / pass / bet", 0))
    >>> found.policy["[K] / pass / bet", 0], round(found.gains[0], 6)
    ({'pass': 0.0, 'bet': 1.0}, 0.166667)
    """
    profile = policy.policy if isinstance(policy, SolveResult) else policy
    check_policy(profile)
    form = profile.form
    if not form.is_two_player_constant_sum:
        raise UnsupportedGameError(
            f"{form.name} is not a two-player constant-sum game: in others, the solution of a part "
            "guarantees nothing"
        )
    infostates = _infostates(form, at)
    before = evaluate_policy(profile)
    results: dict[Player, SolveResult] = {}
    if not before.nash_conv > before.rounding:  # there is nothing to gain
        return Mend(profile, infostates, before, before, results)
    if target is None and iterations is None:
        target = max(PRECISION * before.nash_conv / 2, SMALLEST_TARGET * form.payoff_width)
    kept = list(profile.probabilities)
    for player, part in enumerate(infostates):
        if not part.any():
            continue
        locked = [np.zeros(plex.num_infostates, bool) for plex in form.treeplexes]
        locked[player] = ~part
        results[player] = solve(
            lock_infostates(form, profile.probabilities, tuple(locked)),
            method,
            target=target,
            iterations=iterations,
            seconds=seconds,
            callback=callback,
        )
        is_new = np.append(False, np.repeat(part, form.treeplexes[player].num_actions))
        found = list(profile.probabilities)
        found[player] = np.where(is_new, results[player].policy.probabilities[player], kept[player])
        # What a player is guaranteed does not depend on the policy of the opponent.
        measured = evaluate_policy(TabularPolicy(form, tuple(found)))
        if _guaranteed(measured, player) > _guaranteed(before, player) + before.rounding:
            kept[player] = found[player]
        if results[player].outcome in ("interrupted", "stopped"):
            break
    new = TabularPolicy(form, tuple(kept))
    return Mend(new, infostates, before, evaluate_policy(new), results)


def _infostates(
    form: Form, at: Hashable | Sequence[Hashable] | tuple[BoolArray, ...]
) -> tuple[BoolArray, ...]:
    """Return [I] per player the infostates of a part; see `mend`."""
    if isinstance(at, tuple) and any(isinstance(own, np.ndarray) for own in at):
        return at
    keys = [at] if isinstance(at, str | tuple) else list(at) if isinstance(at, Sequence) else [at]
    if not keys:
        raise ParameterError("at=[]: name at least one infostate or line")
    found = zip(*map(form.infostates_from, keys), strict=True)
    return tuple(np.logical_or.reduce(own) for own in found)
