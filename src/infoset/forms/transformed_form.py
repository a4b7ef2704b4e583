"""Forms that change another form: what locked, cut and gadget games have in common."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from infoset.errors import UnknownNameError
from infoset.forms.derived_members import MeasuredByKernels, plan_value
from infoset.forms.form import Form, FormTable
from infoset.forms.members_by_infostate import infostate_table
from infoset.forms.payoffs import FormPayoffs, with_own_payoffs
from infoset.forms.sequence_form import UNIT, as_sequence_form
from infoset.forms.transform import Transform
from infoset.forms.treeplex import Layout, Treeplex
from infoset.game import GameSource, Infostate
from infoset.typing import Action, FloatArray, IntArray, LongArray, Player
from infoset.utils.frozen_arrays import freeze_arrays
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers


@dataclass(frozen=True)
class AddedInfostate:
    """An acting infostate that the base of a transform does not have."""

    label: str | int
    """The text, or the number of the base's infostate that has this text, because building the
    texts of all infostates is slow."""
    actions: tuple[Action, ...]


@dataclass(frozen=True, eq=False, repr=False)
class TransformedForm(MeasuredByKernels, ShortRepr):
    """A form whose plans become plans of another form, its base; see `Transform`.

    It is a `Form` as any other: methods solve it in compiled chunks, in both precisions, and with
    threads. Labels are those of the base for the choices that are left.
    """

    name: str
    base: Form
    """The form that is changed; it may be a transform, too."""
    transform: Transform
    treeplexes: tuple[Treeplex, ...]
    """The choices that are left, and those that are added."""
    infostates: tuple[IntArray, ...]
    """Per player, [I] the number in the base of each acting infostate; -1 - k for the added
    infostate k."""
    added: tuple[tuple[AddedInfostate, ...], ...]
    """Per player, the infostates that the base does not have."""

    def _facts(self) -> Facts:
        values = {
            "sequences": tuple(plex.num_sequences for plex in self.treeplexes),
            "range": format_numbers(self.payoff_range),
        }
        return Facts(self.name, values, "see .base, .treeplexes")

    def __post_init__(self) -> None:
        freeze_arrays(*self.infostates)

    @property
    def kind(self) -> str:
        """How utilities are stored: "transform"."""
        return "transform"

    @property
    def whole(self) -> Form:
        """The form of the policies of results; see `complete`."""
        return self.base.whole

    def complete(self, probabilities: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return per player [Q] the probabilities in `whole`, given those on this form."""
        return self.base.complete(self._in_base(probabilities))

    def _in_base(self, probabilities: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return probabilities in the base, uniform at infostates that the transform lacks."""
        found = []
        for player, plex in enumerate(self.base.treeplexes):
            own = plex.uniform_policy()
            mine, theirs = self._shared_sequences(player)
            own[theirs] = probabilities[player][mine]
            found.append(own)
        return tuple(found)

    def restrict(self, probabilities: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return per player [Q] the probabilities on this form, given those in the base.

        They are uniform at infostates that the base lacks.
        """
        found = []
        for player, plex in enumerate(self.treeplexes):
            own = plex.uniform_policy()
            mine, theirs = self._shared_sequences(player)
            own[mine] = probabilities[player][theirs]
            found.append(own)
        return tuple(found)

    def _shared_sequences(self, player: Player) -> tuple[LongArray, LongArray]:
        """Return the sequences of the infostates that are left, here and in the base."""
        here, below = self.treeplexes[player], self.base.treeplexes[player]
        left = np.flatnonzero(self.infostates[player] >= 0)
        sizes = here.num_actions[left].astype(np.int64)
        # The index of each action at its infostate: 0, 1, ... in each run of `sizes` entries.
        rank = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        mine = np.repeat(here.first_sequence[left], sizes) + rank
        theirs = np.repeat(below.first_sequence[self.infostates[player][left]], sizes) + rank
        return mine, theirs

    @property
    def source(self) -> GameSource:
        """Where the game came from."""
        return self.base.source

    @property
    def num_players(self) -> int:
        """Number N of players."""
        return self.base.num_players

    @property
    def num_hands(self) -> tuple[int, int] | None:
        """Number of hands of each player, if the base has public nodes and hands."""
        return self.base.num_hands

    @cached_property
    def public_states(self) -> tuple[IntArray, ...]:
        """Per player, [I] the public state; all added infostates share one."""
        # `maximum` only makes the indices of added infostates valid: `where` drops what they read.
        return tuple(
            np.where(own >= 0, states[np.maximum(own, 0)], states.max(initial=-1) + 1).astype(
                np.int32
            )
            if len(states)
            else np.zeros(len(own), np.int32)
            for own, states in zip(self.infostates, self.base.public_states, strict=True)
        )

    @cached_property
    def multiplicities(self) -> tuple[LongArray, ...]:
        """Per player, [I] those of the base; 1 for added infostates."""
        return tuple(
            np.where(own >= 0, np.append(counts, 1)[np.maximum(own, 0)], 1).astype(np.int64)
            for own, counts in zip(self.infostates, self.base.multiplicities, strict=True)
        )

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Minimum and maximum utility: those of the base, and of the added ends."""
        low, high = self.base.payoff_range
        paid = self.transform.ends.utility
        return float(min(low, paid.min(initial=low))), float(max(high, paid.max(initial=high)))

    @property
    def payoff_width(self) -> float:
        """Largest difference between two utilities of the same player."""
        paid = self.transform.ends.utility
        width = float(np.ptp(paid, axis=0).max()) if len(paid) else 0.0
        return max(self.base.payoff_width, width)

    @cached_property
    def payoff_scale(self) -> float:
        """Largest absolute payoff times chance reach in `centered`, summed by sequences."""
        centered = self.centered
        return centered.base.composed_scale(centered.transform)

    @property
    def constant_sum(self) -> float | None:
        """Sum of the players' utilities, if it is the same at every end."""
        return self.base.constant_sum

    @property
    def has_shared_payoffs(self) -> bool:
        """Whether all of several players always get the same payoff."""
        paid = self.transform.ends.utility
        return self.base.has_shared_payoffs and bool((paid == paid[:, :1]).all())

    @property
    def payoff_rounding(self) -> float:
        """Bound on the error that rounding in the payoffs causes in a value."""
        return self.base.payoff_rounding

    @cached_property
    def rounding(self) -> float:
        """Bound on the rounding error of a best-response value: that of the base, and of sums.

        Each weight and each sum over members rounds once more.
        """
        sums = [
            plex.max_additions(np.bincount(own.last, minlength=plex.num_sequences) + 2)
            for plex, own in zip(self.treeplexes, self.transform.maps, strict=True)
        ]
        weights = sum(plex.plan_roundings for plex in self.base.treeplexes)
        largest = max(map(abs, self.payoff_range))
        return self.base.rounding + (max(sums) + weights + self.num_players) * UNIT * largest

    @property
    def gradient_cost(self) -> int:
        """Count of numbers read to compute one gradient per player."""
        return self.base.gradient_cost + sum(2 * len(own.last) for own in self.transform.maps)

    @property
    def evaluation_cost(self) -> int:
        """Cost of evaluating a policy, roughly, in the unit of `infoset.runs.gradient_cost`."""
        return self.base.evaluation_cost

    @cached_property
    def centered(self) -> TransformedForm:
        """The same game after each player's midrange is subtracted; see `Form.centered`."""
        base = self.base.centered
        if base is self.base:
            return self
        ends = self.transform.ends
        return replace(
            self,
            base=base,
            transform=self.transform.with_utility(ends.utility - self.end_midranges()),
        )

    def end_midranges(self) -> FloatArray:
        """Return [N] what is subtracted from utilities at the added ends in `centered`."""
        return np.zeros(self.num_players)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 digest of the base and of what is changed; the same for equal transforms."""
        digest = hashlib.sha256(self.base.fingerprint.encode())
        for own, plex in zip(self.transform.maps, self.treeplexes, strict=True):
            for numbers in (own.last, plex.parent_sequence, plex.num_actions):
                digest.update(np.ascontiguousarray(numbers).astype("<i8").tobytes())
            for values in (own.weight, own.scale):
                digest.update(np.ascontiguousarray(values).astype("<f8").tobytes())
        ends = self.transform.ends
        for numbers in (ends.player, ends.sequence):
            digest.update(numbers.astype("<i8").tobytes())
        for values in (ends.reach, ends.utility):
            digest.update(np.ascontiguousarray(values).astype("<f8").tobytes())
        return digest.hexdigest()

    def payoffs(self, precision: str = "float64") -> FormPayoffs:
        """Return what `fill_gradient` reads; see `Form.payoffs`."""
        if precision != "float64":
            return self._composed_payoffs(precision)
        shared = self._measured
        # The arrays are shared, but for those of results, and for those that plans change.
        return with_own_payoffs(shared) if shared.refresh is None else self._composed_payoffs()

    def _composed_payoffs(self, precision: str = "float64") -> FormPayoffs:
        return self.base.composed_payoffs(self.transform, self.layouts, precision)

    def reach_payoffs(self) -> FormPayoffs:
        """Return `payoffs` as if all utilities were 1."""
        return self.base.composed_payoffs(self.reach_transform, self.layouts, of_reach=True)

    @property
    def reach_transform(self) -> Transform:
        """The transform as if all utilities were 1."""
        return self.transform

    def composed_payoffs(
        self,
        transform: Transform,
        layouts: tuple[Layout, ...],
        precision: str = "float64",
        of_reach: bool = False,
    ) -> FormPayoffs:
        """Return the payoffs of a transform of this form; see `Form.composed_payoffs`."""
        chained = transform.then(self.transform)
        return self.base.composed_payoffs(chained, layouts, precision, of_reach)

    def composed_scale(self, transform: Transform) -> float:
        """Return the `payoff_scale` of a transform of this form; see `Form.composed_scale`."""
        return self.base.composed_scale(transform.then(self.transform))

    def gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's expected utility; see `Form.gradient`."""
        whole = self.base.gradient(self.transform.expand(plans), player)
        return self.transform.collect(whole, plans, player)

    def reach_gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] `gradient` as if all utilities were 1."""
        whole = self.base.reach_gradient(self.transform.expand(plans), player)
        return self.reach_transform.collect(whole, plans, player, of_reach=True)

    def payoff_deviation(
        self, plans: tuple[FloatArray, ...], player: Player, unit: float = 1.0
    ) -> float:
        """Return the standard deviation of a player's returns; see `Form.payoff_deviation`.

        Returns are those of the base, and of the added ends.
        """
        centered = self.centered
        below = centered.transform.expand(plans)
        spread = centered.base.payoff_deviation(below, player, unit)
        mean = plan_value(centered.base.gradient(below, player), below[player]) / unit
        # spread² = Σ p (r - mean)², where the probabilities p sum to `mass`: to less than 1 if play
        # may stop at an added end. Solved for Σ p r², to which these ends are added.
        mass = plan_value(centered.base.reach_gradient(below, player), below[player])
        square = spread**2 + mean**2 * (2 - mass)
        ends = centered.transform.ends
        for end, decider in enumerate(ends.player.tolist()):
            reach = ends.reach[end, player] * plans[decider][ends.sequence[end]]
            paid = float(ends.utility[end, player]) / unit
            square, mean, mass = square + reach * paid**2, mean + reach * paid, mass + reach
        return float(np.sqrt(max(square - mean**2 * (2 - mass), 0.0)))

    @property
    def usual_width(self) -> float:
        """The usual width in the base; the payoff width if there are added ends."""
        return self.payoff_width if len(self.transform.ends.player) else self.base.usual_width

    def payoff_spread(self, plans: tuple[FloatArray, ...]) -> float:
        """Return the spread in the base; the payoff width if there are added ends."""
        if len(self.transform.ends.player):
            return self.payoff_width
        return self.base.payoff_spread(self.transform.expand(plans))

    @cached_property
    def _measured(self) -> FormPayoffs:
        """The payoffs by which policies are measured."""
        return self._composed_payoffs()

    def infostate_labels(self, player: Player) -> tuple[str, ...]:
        """Return [I] a unique text for each acting infostate."""
        labels = self.base.infostate_labels(player)
        found = []
        for number in self.infostates[player].tolist():
            label = number if number >= 0 else self.added[player][-1 - number].label
            found.append(label if isinstance(label, str) else labels[label])
        return tuple(found)

    def reading_order(self, player: Player) -> LongArray:
        """Return positions in `labeled_infostates` in an order for readers: as they are."""
        return np.arange(len(self.infostates[player]))

    @property
    def action_sets(self) -> tuple[tuple[Action, ...], ...]:
        """Sets of legal actions, as they occur at acting infostates or in the base."""
        added = (row.actions for rows in self.added for row in rows)
        return (*self.base.action_sets, *added)

    def actions_at(self, player: Player, infostate: int) -> tuple[Action, ...]:
        """Return the legal actions at an acting infostate."""
        number = int(self.infostates[player][infostate])
        if number < 0:
            return self.added[player][-1 - number].actions
        return self.base.actions_at(player, number)

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return an acting infostate; `find` is the inverse.

        Raises
        ------
        UnknownNameError
            If the base does not have the infostate.
        """
        below = int(self.infostates[player][number])
        if below < 0:
            label = self.infostate_labels(player)[number]
            raise UnknownNameError(
                f"{label!r} is an infostate that {self.name} adds; it has no observations"
            )
        return self.base.infostate_at(player, below)

    def find(self, infostate: Infostate) -> int:
        """Return the number of an acting infostate that is left; see `Form.find`."""
        player = infostate.player
        return self._number(player, self.base.find(infostate))

    def look_up(self, key: Hashable) -> tuple[Player, int]:
        """Return the player and the number of the infostate that a key names; see `Form.look_up`.

        Keys are those of the base, for infostates that are left.
        """
        player, number = self.base.look_up(key)
        return player, self._number(player, number)

    def look_up_all(self, key: Hashable) -> tuple[Player, LongArray]:
        """Return the player and the infostates that a key names; see `Form.look_up_all`."""
        player, numbers = self.base.look_up_all(key)
        return player, np.array([self._number(player, number) for number in numbers.tolist()])

    def _number(self, player: Player, below: int) -> int:
        """Return the number of an infostate, given that in the base."""
        found = np.flatnonzero(self.infostates[player] == below)
        if not len(found):
            label = self.base.infostate_labels(player)[below]
            raise UnknownNameError(
                f"player {player} has no choice at {label!r} in {self.name}, where it is fixed"
            )
        return int(found[0])

    def table(self) -> FormTable:
        """Return the rows in which files store a number for each sequence but the empty ones."""
        return infostate_table(self, _OTHER_GAME)


_OTHER_GAME = (
    "the file is for the choices of another transform: complete policies before they are saved"
)


def listed_payoffs(form: Form) -> tuple[IntArray, FloatArray]:
    """Return [M, N] tuples of sequences, and [M, N] their payoffs times chance reach.

    Raises
    ------
    UnsupportedGameError
        If the form is neither a sequence form nor a transform of one.

    Examples
    --------
    >>> import infoset
    >>> from infoset.forms import lock
    >>> kuhn = infoset.build_tree("kuhn_poker").sequence_form
    >>> sequences, payoff = listed_payoffs(lock(kuhn, {("[J]", 0): {"bet": 1.0}}))
    >>> len(payoff) < len(kuhn.payoff)
    True
    """
    transform: Transform | None = None
    while isinstance(form, TransformedForm):
        transform = form.transform if transform is None else transform.then(form.transform)
        form = form.base
    listed = as_sequence_form(form)
    if transform is None:
        return listed.terminal_sequence, listed.payoff
    return listed.composed_list(transform)
