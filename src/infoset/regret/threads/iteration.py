"""An iteration of two players by several threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from infoset.regret._plan_kernels import realize_and_average, realize_below
from infoset.regret._regret_kernels import update_regrets
from infoset.regret.payoffs import BlockPayoffs, block_gradient
from infoset.regret.scheme import RegretScheme
from infoset.regret.threads.parts import Parts
from infoset.typing import FloatArray, IndexArray

__all__ = ["PlayerState", "ThreadedIteration"]

Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class PlayerState:
    """A player: its parts, and the arrays that iterations move, as `iterate` takes them."""

    parts: Parts
    parent: IndexArray
    gradient: FloatArray
    regret: FloatArray
    policy: FloatArray
    plan: FloatArray
    average: FloatArray
    previous: FloatArray
    changes: FloatArray


class ThreadedIteration:
    """Does what `iterate` does to two players' arrays, to the same bits.

    Threads sleep between the parts that they are given. A part that no other thread has begun on
    when this one is done with its own, as on a busy machine, is done by this one as well.

    Parameters
    ----------
    threads : int
        At least 2; this one counts.
    scheme : RegretScheme
    limit : float
        As in `iterate`.
    sides : tuple[Side, Side]
    """

    def __init__(
        self,
        threads: int,
        scheme: RegretScheme,
        limit: float,
        sides: tuple[PlayerState, PlayerState],
    ) -> None:
        self._others = ThreadPoolExecutor(threads - 1, thread_name_prefix="infoset")
        self._scheme = scheme
        self._limit = limit
        self._states = sides

    def run(self, row: FloatArray) -> None:
        """Do one iteration, by a row of the schedule."""
        first, second = self._states
        if self._scheme.alternating:
            for side, other in ((first, second), (second, first)):
                self._answer(side, other.plan)
                self._move(side, row)
        else:
            self._answer(first, second.plan)
            self._answer(second, first.plan)
            self._move(first, row)
            self._move(second, row)

    def _answer(self, side: PlayerState, plan: FloatArray) -> None:
        """Fill the gradient of one player."""

        def fill(payoffs: BlockPayoffs) -> None:
            block_gradient(payoffs, plan, side.gradient)

        self._share(fill, side.parts.payoffs)

    def _move(self, side: PlayerState, row: FloatArray) -> None:
        """Update one player's regrets and policy bottom up, then its plan and average top down."""
        parts, averages_next = side.parts, self._scheme.averages_next
        plans = (side.policy, side.plan, side.average)
        regrets = (
            side.parent,
            row,
            self._limit,
            side.gradient,
            side.regret,
            side.policy,
            side.previous,
            side.changes,
        )

        def update(runs: IndexArray) -> None:
            update_regrets(runs, *regrets)

        def realize(runs: IndexArray) -> None:
            realize_below(row, averages_next, runs, side.parent, *plans)

        self._share(update, parts.below)
        update_regrets(parts.top, *regrets)
        realize_and_average(row, averages_next, parts.top, side.parent, *plans)
        self._share(realize, parts.below)

    def _share(self, work: Callable[[Part], None], parts: Sequence[Part]) -> None:
        """Do work on every part, one of them here."""
        others = [(part, self._others.submit(work, part)) for part in parts[1:]]
        for part in parts[:1]:
            work(part)
        for part, begun in others:
            if begun.cancel():
                work(part)
            else:
                begun.result()
