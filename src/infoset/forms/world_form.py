"""The world form: utilities by possible worlds, for games whose histories cannot be listed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np

from infoset.errors import GameTooLargeError, UnsupportedGameError
from infoset.forms._treeplex_kernels import behavior_to_plan, best_response_sweep
from infoset.forms._world_program_kernels import TERMINAL, largest_reach
from infoset.forms.derived_members import MembersByUtilityLimits, plan_value
from infoset.forms.form import FormTable, PlayerValues
from infoset.forms.infostate_shapes import InfostateShapes
from infoset.forms.members_by_infostate import OTHER_GAME, MembersByInfostate
from infoset.forms.payoffs import FormPayoffs, check_range, midranges
from infoset.forms.sequence_form import UNIT
from infoset.forms.transform import Transform
from infoset.forms.treeplex import Treeplex
from infoset.forms.world_programs import (
    HistorySweep,
    PlanOf,
    WorldClasses,
    WorldPrograms,
    world_payoffs,
)
from infoset.game import GameSource, Infostate
from infoset.game.infostate import canonical_text
from infoset.typing import Action, FloatArray, IntArray, LongArray, Player
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers

MAX_LISTED = 1_000_000
"""Number of infostates beyond which their texts are not listed, because it takes minutes."""


@dataclass(frozen=True, eq=False, repr=False)
class WorldForm(MembersByInfostate, MembersByUtilityLimits, ShortRepr):
    """A game by possible worlds, without a list of histories or infostates.

    With two players, a gradient is computed depth first over the player's infostates. Each possible
    world there has a vector: the opponent's plan at all its sequences below the world, summed over
    the opponent's infostates that occur with it. These sums merge different orders of hidden
    actions, in which most histories of games such as phantom tic-tac-toe differ. What happens at an
    infostate depends only on its set of possible worlds, and is compiled once for each set.

    With more players, or where that is faster, a gradient visits all histories one by one.

    Infostates have the same texts as in the `SequenceForm` of the game, but other numbers.

    Attributes
    ----------
    name, source
        As in `SequenceForm`.
    shapes
        Per player, its infostate trees.
    worlds
        The classes of worlds with equal futures.
    programs
        Per player, the programs of its sets of possible worlds, or how it visits all histories.
    utility_limits
        [N, 2] minimum and maximum utility of each player.
    constant_sum, payoff_rounding
        As in `SequenceForm`.
    constants
        [N] what is added to each player's utility: 0, or, in `centered`, minus its midrange.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_world_form
    >>> form = build_world_form(load_game("leduc_poker"))
    >>> form.worlds.num_classes, form.visits_histories
    (298, False)
    """

    name: str
    source: GameSource
    shapes: tuple[InfostateShapes, ...]
    worlds: WorldClasses
    programs: tuple[WorldPrograms | HistorySweep, ...]
    utility_limits: FloatArray
    constant_sum: float | None
    payoff_rounding: float
    constants: FloatArray

    def _facts(self) -> Facts:
        values = {
            "sequences": tuple(own.num_sequences for own in self.shapes),
            "shapes": tuple(len(own.structure) for own in self.shapes),
            "worlds": self.worlds.num_classes,
            "gradients": "by histories" if self.visits_histories else "by worlds",
            "range": format_numbers(self.payoff_range),
        }
        return Facts(self.name, values, "see .shapes, .worlds, .treeplexes")

    @property
    def kind(self) -> str:
        """The kind of form: "world"."""
        return "world"

    @property
    def num_players(self) -> int:
        """Number of players."""
        return len(self.shapes)

    @property
    def infostate_shapes(self) -> tuple[InfostateShapes, ...]:
        """The `shapes`: infostates are not listed."""
        return self.shapes

    @property
    def visits_histories(self) -> bool:
        """Whether gradients visit all histories, and do not sum plans by worlds."""
        return isinstance(self.programs[0], HistorySweep)

    def by_histories(self) -> WorldForm:
        """Return the form with gradients that visit all histories: equal up to rounding."""
        return replace(self, programs=self.sweeps(self.worlds, self.shapes))

    @staticmethod
    def sweeps(
        worlds: WorldClasses, shapes: tuple[InfostateShapes, ...]
    ) -> tuple[HistorySweep, ...]:
        """Return, per player, how it visits all histories."""
        paid = worlds.reward * worlds.probability[:, None]
        return tuple(
            HistorySweep.of(worlds, shapes, player, paid[:, player])
            for player in range(len(shapes))
        )

    @cached_property
    def treeplexes(self) -> tuple[Treeplex, ...]:
        """One per player, in which infostates are in preorder."""
        return tuple(own.treeplex() for own in self.shapes)

    @property
    def public_states(self) -> tuple[IntArray, ...]:
        """Per player, [I] zeros: public states are not distinguished."""
        nowhere = np.zeros(1, np.int32)
        return tuple(np.broadcast_to(nowhere, own.num_infostates) for own in self.shapes)

    @cached_property
    def payoff_scale(self) -> float:
        """Largest absolute payoff times chance reach of `centered`, by ends and not by sequences.

        If there are rewards before the end, it is an upper bound.
        """
        worlds, form = self.worlds, self.centered
        reach = largest_reach(worlds.first, worlds.target, worlds.probability)
        utility = np.abs(worlds.reward + form.constants).max(axis=1)
        if self._has_early_rewards:
            utility = np.full(len(reach), np.abs(form.utility_limits).max())
        return float((reach * utility)[worlds.target == TERMINAL].max(initial=0.0))

    @property
    def _has_early_rewards(self) -> bool:
        """Whether there are rewards before the end of the game."""
        return bool(self.worlds.reward[self.worlds.target != TERMINAL].any())

    @property
    def has_shared_payoffs(self) -> bool:
        """Whether all of several players always get the same payoff."""
        return self.num_players > 1 and bool(
            (self.worlds.reward == self.worlds.reward[:, :1]).all()
        )

    @property
    def gradient_cost(self) -> int:
        """Count of numbers read to compute one gradient per player."""
        return int(sum(own.cost for own in self.programs))

    @property
    def evaluation_cost(self) -> int:
        """Cost of evaluating a policy, in the unit of `gradient_cost`, roughly."""
        return self.gradient_cost + 8 * sum(own.num_sequences for own in self.shapes)

    @cached_property
    def rounding(self) -> float:
        """Bound on the rounding error of a best-response value in float64; see `SequenceForm`.

        An entry of a plan is rounded on its way to a payoff, and when it is multiplied by it;
        payoffs are then summed by sequences, and values along the treeplex.
        """
        entries = [
            programs.roundings + 1 + programs.additions + shapes.max_additions
            for programs, shapes in zip(self.programs, self.shapes, strict=True)
        ]
        plans = sum(own.plan_roundings for own in self.shapes)
        largest = max(map(abs, self.payoff_range))
        return (max(entries) + plans) * UNIT * largest + self.payoff_rounding

    @cached_property
    def centered(self) -> WorldForm:
        """The same game after each player's midrange is subtracted; see `Form.centered`."""
        middle = midranges(np.ascontiguousarray(self.utility_limits.T))
        if not middle.any():
            return self
        return replace(
            self,
            utility_limits=self.utility_limits - middle[:, None],
            constant_sum=None if self.constant_sum is None else 0.0,
            constants=self.constants - middle,
        )

    def payoffs(self, precision: str = "float64") -> FormPayoffs:
        """Return what `fill_gradient` reads; see `Form.payoffs`."""
        check_range(self.name, np.concatenate([own.paid for own in self.programs]), precision)
        return world_payoffs(self.programs, self.layouts, self.constants, precision)

    def composed_scale(self, transform: Transform) -> float:
        """Return a bound on the `payoff_scale` of a transform; see `Form.composed_scale`."""
        ends = np.abs(transform.ends.paid(False)).max(initial=0.0)
        return max(self.payoff_scale, float(ends))

    @cached_property
    def _of_reach(self) -> WorldForm:
        """The form with utilities of 1."""
        return self._paying(np.ones(len(self.worlds.target)))

    def _paying(self, utility: FloatArray) -> WorldForm:
        """Return the form in which the game pays only at its end: utility [F], to all players."""
        worlds = self.worlds
        paid = np.where(worlds.target == TERMINAL, utility, 0.0) * worlds.probability
        programs = tuple(own.paying(paid) for own in self.programs)
        return replace(self, programs=programs, constants=np.zeros(self.num_players))

    def reach_payoffs(self) -> FormPayoffs:
        """Return `payoffs` as if all utilities were 1."""
        return self._of_reach.payoffs()

    def gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's expected utility; see `Form.gradient`."""
        return self._gradient(lambda other: np.ascontiguousarray(plans[other]), player)

    def _gradient(self, plan_of: PlanOf, player: Player) -> FloatArray:
        size, constant = self.shapes[player].num_sequences, float(self.constants[player])
        return self.programs[player].gradient(plan_of, size, constant)

    def player_values(self, probabilities: tuple[FloatArray, ...]) -> tuple[PlayerValues, ...]:
        """Return what each player earns, given behavior policies, per player [Q].

        Plans are computed for each player anew, so that few are in memory beside a gradient.
        """
        return tuple(self._player_values(probabilities, p) for p in range(self.num_players))

    def _player_values(self, probabilities: tuple[FloatArray, ...], player: Player) -> PlayerValues:
        gradient = self._gradient(partial(self._plan, probabilities), player)
        value = plan_value(gradient, self._plan(probabilities, player))
        plex = self.treeplexes[player]
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        return PlayerValues(value, float(gradient[0]))

    def _plan(self, probabilities: tuple[FloatArray, ...], player: Player) -> FloatArray:
        plex = self.treeplexes[player]
        return behavior_to_plan(
            plex.parent_sequence, plex.first_sequence, plex.num_actions, probabilities[player]
        )

    def reach_gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] `gradient` as if all utilities were 1."""
        return self._of_reach.gradient(plans, player)

    def payoff_deviation(
        self, plans: tuple[FloatArray, ...], player: Player, unit: float = 1.0
    ) -> float:
        """Return the standard deviation of a player's returns; see `Form.payoff_deviation`.

        Each end is a return. If there are rewards before the end, half of the payoff width, which
        is a bound.
        """
        if self._has_early_rewards:
            return self.payoff_width / 2 / unit
        utility = self.worlds.reward[:, player] + self.constants[player]
        mean, square = (
            plan_value(own.gradient(plans, player), plans[player])
            for own in (self, self._paying(utility**2))
        )
        return float(np.sqrt(max(square - mean**2, 0.0))) / unit

    def payoff_spread(self, plans: tuple[FloatArray, ...]) -> float:
        """Return the payoff width: deviations take as long as an iteration."""
        return self.payoff_width

    def table(self) -> FormTable:
        """Return the rows in which files store numbers; without texts if there are too many."""
        if sum(own.num_infostates for own in self.shapes) <= MAX_LISTED:
            about: dict[str, object] = {"form": self.kind, "infostates": "listed"}
            return super().table()._replace(about=about)
        columns = tuple(np.arange(1, own.num_sequences)[:, None] for own in self.shapes)
        counts = tuple(plex.num_actions for plex in self.treeplexes)
        about = {"form": self.kind, "infostates": "numbered"}
        return FormTable(
            *(("probability",), "infostate", [], [], columns, counts, about, OTHER_GAME),
            is_listed=False,
        )

    def infostate_labels(self, player: Player) -> tuple[str, ...]:
        """Return [I] a unique text for each acting infostate; equal texts get a suffix.

        Raises
        ------
        GameTooLargeError
            If there are more than a million.
        """
        number = self.shapes[player].num_infostates
        if number > MAX_LISTED:
            raise GameTooLargeError(
                f"player {player} of {self.name} has {number:,} infostates, too many to list: ask "
                "for those of the first decisions (max_depth=3, --depth 3), for one by "
                "form.infostate_at(player, number) or form.find(infostate), or use smaller "
                "parameters",
                {"infostates": number},
            )
        if player not in self._listed:
            found: dict[str, tuple[Action, ...]] = {}
            for number, text, legal in self.shapes[player].decisions():
                found[f"{text} #{number}" if text in found else text] = legal
            self._listed[player] = tuple(found), tuple(found.values())
        return self._listed[player][0]

    def infostate_label(self, player: Player, number: int) -> str:
        """Return the text of one infostate; without a suffix if there are too many to list."""
        if self.shapes[player].num_infostates <= MAX_LISTED:
            return super().infostate_label(player, number)
        return str(self.infostate_at(player, number))

    def labeled_infostates(
        self, player: Player, max_depth: int | None = None
    ) -> Iterator[tuple[str, int]]:
        """Yield the text and number of each acting infostate; see `Form.labeled_infostates`."""
        if max_depth is None or self.shapes[player].num_infostates <= MAX_LISTED:
            yield from super().labeled_infostates(player, max_depth)
            return
        seen = set[str]()
        for number, text, _ in self.shapes[player].decisions(max_depth):
            yield f"{text} #{number}" if text in seen else text, number
            seen.add(text)

    @cached_property
    def _listed(self) -> dict[Player, tuple[tuple[str, ...], tuple[tuple[Action, ...], ...]]]:
        """By player, texts and legal actions of infostates; filled on first use."""
        return {}

    def reading_order(self, player: Player) -> LongArray:
        """Return positions in `labeled_infostates` in an order for readers: preorder."""
        return np.arange(self.shapes[player].num_infostates)

    @property
    def action_sets(self) -> tuple[tuple[Action, ...], ...]:
        """Sets of legal actions, as they occur at acting infostates."""
        return tuple(chain.from_iterable(shapes.action_sets for shapes in self.shapes))

    def actions_at(self, player: Player, infostate: int) -> tuple[Action, ...]:
        """Return the legal actions at an acting infostate."""
        _, listed = self._listed.get(player, ((), ()))
        if 0 <= infostate < len(listed):
            return listed[infostate]
        return self.shapes[player].actions_at(infostate)

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return an acting infostate; `find` is the inverse."""
        return self.shapes[player].infostate_at(number)

    def find(self, infostate: Infostate) -> int:
        """Return the number of an acting infostate; see `Form.find`."""
        return self.shapes[infostate.player].find(infostate)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 digest of structure, action labels and payoffs; the same for equal forms."""
        digest = hashlib.sha256(b"world")
        for own in self.shapes:
            for array in (own.items, own.first, own.structure_items, own.structure_first):
                digest.update(np.ascontiguousarray(array).astype("<i8").tobytes())
        digest.update("\n".join(map(canonical_text, self.shapes[0].action_sets)).encode())
        for array in (self.worlds.first, self.worlds.target, self.worlds.action, self.worlds.code):
            digest.update(np.ascontiguousarray(array).astype("<i8").tobytes())
        for numbers in (self.worlds.probability, self.worlds.reward, self.constants):
            digest.update(np.ascontiguousarray(numbers).astype("<f8").tobytes())
        return digest.hexdigest()


def as_world_form(form: object) -> WorldForm:
    """Return a form that is checked to be a world form.

    Raises
    ------
    UnsupportedGameError
        If it is another form.
    """
    if not isinstance(form, WorldForm):
        name = getattr(form, "name", type(form).__name__)
        raise UnsupportedGameError(
            f"this form of {name} is not a world form: build one by infoset.tree.build_world_form, "
            "and transfer policies by infoset.policy.transfer_policy"
        )
    return form
