"""Command-line options and reports for games with locks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.screen import error_rows, error_text, frequencies_text, tell, value_text
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.evaluation import Evaluation
    from infoset.forms import Form, LockedBehavior, LockedForm
    from infoset.policy import TabularPolicy
    from infoset.runs import SolveResult
    from infoset.typing import BoolArray

LARGEST_WITH_FREQUENCIES = 100_000_000
"""Numbers read per gradient up to which the frequencies at a node are found in less than a second.
"""

LockOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LOCK",
        help="Fix probabilities, and solve for the rest: text such as 'check: bet 40%', or a .json "
        "or .csv file. May be repeated.",
    ),
]
BaseOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="POLICY",
        help="With --lock, the policy that is changed to the given frequencies: a file, the folder "
        "of a run, or uniform.",
        show_default="the solution without locks",
    ),
]


@dataclass(frozen=True)
class LockedGame:
    """A game with locks, and its solution without them."""

    given: list[str]
    form: LockedForm
    behavior: LockedBehavior
    before: SolveResult | None
    """The result without locks; None if it was not needed."""

    @property
    def source(self) -> str | LockedBehavior:
        """The locks to save with the run: the file if it is the only lock, or probabilities."""
        from infoset.front.lock_sources import is_lock_file

        [first, *more] = self.given
        return self.behavior if more or not is_lock_file(first) else first

    def record(self, whole: Evaluation) -> dict[str, Any]:
        """Return the locks as JSON values, with the evaluation of the policy in the whole game."""
        before = None if self.before is None else asdict(self.before.measured)
        return {"locks": self.given, "whole_game": asdict(whole), "before_locks": before}

    def add_rows(self, table: TextTable, policy: TabularPolicy, whole: Evaluation) -> None:
        """Add rows with the frequencies at locked lines, and with the cost of the locks."""
        from infoset.front.lock_sources import text_locks
        from infoset.game import player_name

        form: Any = policy.form
        pot = form.source.initial_pot
        if finds_frequencies(form):
            locks = {lock.place_text: lock for lock in text_locks(form, self.given)}
            for name, lock in locks.items():
                shown = node_frequencies(policy, lock.node, lock.hands)
                table.add_row(f"locked at {name}", shown)
        for name, text in error_rows(whole, pot)[1:]:
            table.add_row(f"{name} in the whole game", text)
        for player, gain in enumerate(whole.gains):
            name = f"gain of {player_name(form, player)} in the whole game"
            table.add_row(name, error_text(gain, whole.rounding))
        for player, value in enumerate(self.before.values if self.before else ()):
            name = f"value of {player_name(form, player)} before locks"
            table.add_row(name, value_text(value, player, pot))
        if self.before is not None:
            name, text = error_rows(self.before.measured, pot)[1]
            table.add_row(f"{name} before locks", text)


def locked_game(
    form: Form, given: list[str], base: str | None, solve: Callable[[], SolveResult] | None
) -> LockedGame:
    """Lock a game, changing a base policy in proportion where locks need one.

    If locks need a policy and `base` is None, the base is the result of `solve`, the solution
    without locks. If `solve` is None, too, such locks raise an error.
    """
    from infoset.forms import lock
    from infoset.front import resolve_policy
    from infoset.front.lock_sources import resolve_locks

    before: list[SolveResult] = []

    def policy() -> TabularPolicy:
        if base is not None:
            return resolve_policy(base, form)
        if solve is None:
            raise typer.BadParameter(
                "--checkpoint: these locks change a policy in proportion; first solve without "
                "locks, and pass the folder of that run as --base"
            )
        before.append(solve())
        if before[0].outcome == "interrupted":
            tell("interrupted before solving the locked game: nothing was saved")
            raise typer.Exit(INTERRUPTED)
        return before[0].policy

    behavior = resolve_locks(form, given, policy)
    return LockedGame(given, lock(form, behavior), behavior, before[0] if before else None)


def finds_frequencies(form: Form) -> bool:
    """Return whether a form has public nodes, and frequencies there are found quickly."""
    return form.num_hands is not None and form.gradient_cost <= LARGEST_WITH_FREQUENCIES


def first_decisions(policy: TabularPolicy) -> Iterator[tuple[str, str]]:
    """Yield names and frequencies of the first public decision, and of those right after it."""
    import numpy as np

    form: Any = policy.form
    first = min(int(own[0]) for own in form.decisions if len(own))
    yield "first decision", node_frequencies(policy, first)
    for node in np.flatnonzero((form.parent == first) & (form.player >= 0)).tolist():
        yield f"after {form.label(node)}", node_frequencies(policy, node) or "never reached"


def node_frequencies(policy: TabularPolicy, node: int, hands: BoolArray | None = None) -> str:
    """Return how often each action is played at a public node, by all or some hands, as text."""
    from infoset.evaluation import PublicValues

    form: Any = policy.form
    frequencies = PublicValues(policy).action_frequencies(node, hands)
    return frequencies_text(form.legal_actions(node), frequencies)
