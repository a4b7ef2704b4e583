"""Kernels that compute the gradients of utility by visiting all histories, without listing them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms._infostate_shape_kernels import WAIT
from infoset.forms._world_payoff_kernels import has_part
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.compilation import bare_kernel, linear_kernel

# Columns of `ranges`: where the edges begin that go on, and those that pay; next to each, the end.
ONWARD, PAYING = range(0, 4, 2)

# Indices below are unsigned, because the compiler would check whether signed ones are negative,
# which takes a third of the time.
ZERO, ONE, TWO = map(np.uint64, range(3))

# Columns of `edges`; the last two are those of the first of the other players.
TARGET, OWN_SIZE, OWN_ACTION, OWN_OFFSET, OTHER_ACTION, OTHER_OFFSET = map(np.uint64, range(6))

# Columns of `stack`; the last two are those of the first of the other players.
CLASS, OWN_LAST, OWN_FIRST, OTHER_LAST, OTHER_FIRST = map(np.uint64, range(5))


class HistoryPayoffs(NamedTuple):
    """The payoffs of one player by histories, for any number N of players.

    A history is a class of worlds and, for each player, its last sequence and the first of its
    sequences after the infostate. A transition adds constants to these numbers.
    """

    own_position: IndexArray
    """[Q] position of each of the player's sequences; empty if the order is that of sequences."""
    other_position: IndexArray
    """The same of all other players, one after another; empty if both orders are the same."""
    others: LongArray
    """[N - 1] the other players."""
    constant: FloatArray
    """[1] what the player gets in addition in each play."""
    ranges: LongArray
    """[M, 4] beginning and end of the edges of each class that go on, and of those that pay."""
    edges: IntArray
    """[F · (2 + 2N)] in each row, class after the edge, number of the player's sequences after it,
    and then, for the player and for each other, its action, or -1, and the number of its sequences
    before those after the edge."""
    chance: FloatArray
    """[F] probability of each edge, given the actions."""
    paid: FloatArray
    """[F] what is paid, times the probability."""
    part: LongArray
    """[2] the first of the player's sequences whose entries are computed, and the end of them."""
    copied: LongArray
    """[2] the first of the others' sequences whose entries are copied before, and the end."""
    values: FloatArray
    """Workspace: the plans of all other players in the order of sequences."""
    earned: FloatArray
    """Workspace: the gradient in the order of sequences."""
    stack: IntArray
    """[depth · (1 + 2N)] workspace: the history that is visited, and those still to be visited."""
    reach: FloatArray
    """[depth] workspace: the reach of each of them by chance."""

    def divided(self, divisor: float) -> HistoryPayoffs:
        """Return the payoffs divided by a number."""
        return self._replace(constant=self.constant / divisor, paid=self.paid / divisor)

    def absolute(self) -> HistoryPayoffs:
        """Return the absolute values of the payoffs."""
        return self._replace(constant=np.abs(self.constant), paid=np.abs(self.paid))

    def with_own_results(self) -> HistoryPayoffs:
        """Return the payoffs with separate arrays for intermediate results."""
        return self._replace(
            values=np.empty_like(self.values),
            earned=np.empty_like(self.earned),
            stack=np.empty_like(self.stack),
            reach=np.empty_like(self.reach),
        )


@bare_kernel
def history_gradient(
    payoffs: HistoryPayoffs, plans: tuple[FloatArray, ...], gradient: FloatArray
) -> None:
    """Fill `gradient` [Q] of one player in place, given the plans [Q] of the others.

    Depth first over all histories that the others and chance reach. The player's own plan is not
    read.
    """
    ranges, edges, chance, paid = payoffs.ranges, payoffs.edges, payoffs.chance, payoffs.paid
    stack, reach, values = payoffs.stack, payoffs.reach, payoffs.values
    begin, end = payoffs.part[0], payoffs.part[1]
    # Numbers of entries for the other players in each row, and of all.
    others = np.uint64(2 * len(plans) - 2)
    row, width = OTHER_LAST + others, OTHER_ACTION + others
    in_order = len(payoffs.own_position) == 0
    earned = gradient if in_order else payoffs.earned
    stack[row + CLASS], stack[row + OWN_LAST], stack[row + OWN_FIRST] = 0, 0, 1
    reach[ONE] = 1.0
    everything, place = payoffs.constant[0], 0
    for j in range(ZERO, others, TWO):
        plan = plans[payoffs.others[j // TWO]]
        stack[row + OTHER_LAST + j], stack[row + OTHER_FIRST + j] = place, place + 1
        for sequence in range(payoffs.copied[0], min(payoffs.copied[1] - place, len(plan))):
            own = len(payoffs.other_position) == 0
            values[place + sequence] = plan[
                sequence if own else payoffs.other_position[place + sequence]
            ]
        everything *= values[place]
        place += len(plan)
    for sequence in range(begin, end):
        earned[sequence] = 0.0
    if begin == 0:
        earned[0] = everything
    top = ONE
    while top > 0:
        # The history that is visited moves to the first row, because those below it take its row.
        for column in range(row):
            stack[column] = stack[top * row + column]
        here, last, first = np.uint64(stack[CLASS]), stack[OWN_LAST], stack[OWN_FIRST]
        by_chance = reach[top]
        top -= ONE
        for edge in range(np.uint64(ranges[here, ONWARD]), np.uint64(ranges[here, ONWARD + 1])):
            at, new = edge * width, (top + ONE) * row
            action = edges[at + OWN_ACTION]
            own_last = first + action if action >= 0 else last
            own_first = first + edges[at + OWN_OFFSET]
            if not has_part(own_last, own_first, edges[at + OWN_SIZE], begin, end):
                continue
            is_reached = True
            for j in range(ZERO, others, TWO):
                action, last_of_j = edges[at + OTHER_ACTION + j], stack[OTHER_LAST + j]
                if action >= 0:
                    last_of_j = stack[OTHER_FIRST + j] + action
                    is_reached = is_reached and values[np.uint64(last_of_j)] != 0.0
                stack[new + OTHER_LAST + j] = last_of_j
                first_of_j = stack[OTHER_FIRST + j] + edges[at + OTHER_OFFSET + j]
                stack[new + OTHER_FIRST + j] = first_of_j
            if is_reached:
                top += ONE
                stack[new], stack[new + OWN_LAST] = edges[at], own_last
                stack[new + OWN_FIRST], reach[top] = own_first, by_chance * chance[edge]
        for edge in range(np.uint64(ranges[here, PAYING]), np.uint64(ranges[here, PAYING + 1])):
            at = edge * width
            action = edges[at + OWN_ACTION]
            own_last = first + action if action >= 0 else last
            if not begin <= own_last < end:
                continue
            weight = by_chance
            for j in range(ZERO, others, TWO):
                action, last_of_j = edges[at + OTHER_ACTION + j], stack[OTHER_LAST + j]
                if action >= 0:
                    last_of_j = stack[OTHER_FIRST + j] + action
                weight *= values[np.uint64(last_of_j)]
            earned[np.uint64(own_last)] += paid[edge] * weight
    if not in_order:
        for sequence in range(begin, end):
            gradient[payoffs.own_position[sequence]] = earned[sequence]


@linear_kernel
def count_visits(
    ranges: LongArray, edges: IntArray, code: LongArray
) -> tuple[FloatArray, FloatArray, int]:
    """Forecast a visit of all histories of a graph of classes in topological order.

    ranges [M, 4], edges [F, 2 + 2N]: see `HistoryPayoffs`; code [F] of the player's step. Returns
    the numbers of visits and of payoffs in all [2]; bounds on the numbers of payoffs that are added
    to one entry of the gradient [2]: to the last sequence, and to a later one; and the depth of the
    stack.
    """
    num_classes = len(ranges)
    paths, totals = np.zeros(num_classes), np.zeros(2)
    paths[0] = 1.0
    for here in range(num_classes):
        totals[0] += paths[here]
        totals[1] += paths[here] * (ranges[here, PAYING + 1] - ranges[here, PAYING])
        for edge in range(ranges[here, ONWARD], ranges[here, ONWARD + 1]):
            paths[edges[edge, TARGET]] += paths[here]
    now, later = np.zeros(num_classes), np.zeros(num_classes)
    depth = np.ones(num_classes, np.int64)
    by_action, by_code = np.zeros(1), np.zeros(1)
    for here in range(num_classes - 1, -1, -1):
        begin, end = ranges[here, ONWARD], ranges[here, PAYING + 1]
        most_actions, most_codes = 0, 0
        for edge in range(begin, end):
            most_actions = max(most_actions, edges[edge, OWN_ACTION] + 1)
            most_codes = max(most_codes, code[edge] + 1)
        if most_actions >= len(by_action):
            by_action = np.zeros(2 * most_actions)
        if most_codes >= len(by_code):
            by_code = np.zeros(2 * most_codes)
        by_action[:] = 0.0
        by_code[:] = 0.0
        # The last place is that of steps without an action, or to the same infostate.
        for edge in range(ranges[here, PAYING], end):
            by_action[edges[edge, OWN_ACTION]] += 1
        for edge in range(begin, ranges[here, ONWARD + 1]):
            target = edges[edge, TARGET]
            by_action[edges[edge, OWN_ACTION]] += now[target]
            by_code[max(code[edge], WAIT)] += later[target]
            # All edges that go on may be on the stack, the last with all below it.
            depth[here] = max(depth[here], depth[target])
        depth[here] += ranges[here, ONWARD + 1] - begin
        now[here] = by_action[-1]
        by_action[-1] = 0.0
        waiting = by_code[-1]
        by_code[-1] = 0.0
        later[here] = waiting + max(by_action.max(), by_code.max())
    # One row more for the history that is visited, and one for a history that is not reached.
    return totals, np.array([now[0], later[0]]), depth[0] + 2
