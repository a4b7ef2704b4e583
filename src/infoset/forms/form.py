"""The protocol of a form: what methods, measures and policies know of a game."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms.infostate_shapes import InfostateShapes
from infoset.forms.packed_rows import PlanWeights
from infoset.forms.payoffs import FormPayoffs
from infoset.forms.transform import Transform
from infoset.forms.treeplex import Layout, Treeplex
from infoset.game import GameSource, Infostate
from infoset.typing import Action, BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_number, check_type

if TYPE_CHECKING:
    from abc import ABCMeta as ProtocolType

    from typing_extensions import TypeVar

    FormT = TypeVar("FormT", bound="Form", covariant=True, default="Form")
    AnyForm = TypeVar("AnyForm", bound="Form")
else:  # defaults of type variables are for type checkers only
    from typing import TypeVar

    ProtocolType = type(Protocol)
    FormT = TypeVar("FormT", bound="Form", covariant=True)
    AnyForm = TypeVar("AnyForm", bound="Form")


class PlayerValues(NamedTuple):
    """A player's value, and the value of its best response to the other players."""

    value: float
    best: float


class SequenceTable(Protocol):
    """A table [rows, columns] of sequences, which is indexed like an array."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: tuple[LongArray | slice, slice], /) -> LongArray:
        """Return the sequences of some rows in some columns, which are the last axis."""


class FormTable(NamedTuple):
    """The layout of a form's numbers in a table with one row per decision and action."""

    columns: tuple[str, ...]
    """Names of the columns of numbers: one, or one per hand."""
    place: str
    """Name of the column that says where a decision is: "infostate" or "line"."""
    places: list[str]
    """[D] the infostate or the line of each decision, as text. Players are in order."""
    legal: list[tuple[Action, ...]]
    """[D] the actions of each decision. Each has a row; R is the number of rows."""
    sequences: tuple[SequenceTable, ...]
    """Per player, [its rows, its columns] the sequence of each number. Columns of hands that the
    form merges repeat a sequence."""
    num_actions: tuple[IntArray, ...]
    """Per player, the number of rows of each decision."""
    about: dict[str, object]
    """JSON values that belong to the columns, such as the labels of hands as text and their prior
    probabilities; empty for a single column."""
    other_game: str
    """Message for a table of another form: why the form may differ although the game has the same
    name, and how to proceed."""
    is_listed: bool = True
    """Whether places and actions are listed. They are empty if there are too many: files then have
    numbers only, which the fingerprint of the form identifies."""


class _HasMembers(ProtocolType):
    """Check whether an object has the members of a form, without computing them.

    `isinstance` of Python 3.11 computes every property. On a large form, the fingerprint and the
    largest payoff alone take longer than solving it.
    """

    def __instancecheck__(cls, instance: object) -> bool:
        kind: Any = type(instance)
        return getattr(instance, "__dict__", {}).keys() >= _instance_members(kind)


@runtime_checkable
class Form(Protocol, metaclass=_HasMembers):
    """A game in terms of realization plans: a treeplex per player, and utilities as gradients.

    The expected utility of a player is linear in its own plan. Its gradient, given the plans of the
    others, is all that a method needs to iterate, and that a measure needs to evaluate. How the
    payoffs are stored is the form's own business:

    - `SequenceForm` lists them by tuples of sequences, for any number of players;
    - `PublicForm` factors them by public terminals and hands of two players;
    - `WorldForm` computes with them by possible worlds, or visits histories;
    - `LockedForm`, `CutForm` and `GadgetForm` change another form.

    Arrays with one entry per sequence, [Q], are in the order of the treeplex unless stated
    otherwise; entry 0 is the empty sequence. Acting infostates, [I], are numbered as in the
    treeplex, too.
    """

    @property
    def name(self) -> str:
        """The game."""

    @property
    def kind(self) -> str:
        """How utilities are stored, for records: "sequence", "public" or "world", as in `solve`."""

    @property
    def source(self) -> GameSource:
        """Where the game came from."""

    @property
    def num_players(self) -> int:
        """Number N of players."""

    @property
    def treeplexes(self) -> tuple[Treeplex, ...]:
        """One per player."""

    @property
    def num_hands(self) -> tuple[int, int] | None:
        """Number of hands of each player, if the form has public nodes and hands."""

    @property
    def public_states(self) -> tuple[IntArray, ...]:
        """Per player, [I] the public state, or the public node, of each acting infostate."""

    @property
    def multiplicities(self) -> tuple[LongArray, ...]:
        """Per player, [I] how many infostates of the game each acting infostate stands for.

        It is 0 where no play of the game leads, such as to hands that chance has removed, and more
        than 1 where the form merges infostates. Regularizers count an infostate so many times.
        """

    @property
    def infostate_shapes(self) -> tuple[InfostateShapes, ...] | None:
        """Per player, its infostate trees, if there are too many infostates to list them."""

    @property
    def division(self) -> object:
        """The `PublicDivision` of a form that is processed part by part; None for other forms."""

    @property
    def all_parts(self) -> object:
        """The `PublicDivision` of a public form, which may have no parts; None for other forms."""

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """Per player, the order in which kernels store sequences; those of a public state touch."""

    @property
    def centered(self) -> Form:
        """The same game after the midrange of each player's utilities is subtracted from them.

        Sequences have the same numbers in both forms. It changes no gain and no equilibrium, so
        step sizes and tolerances that depend on it do not depend on constants in the payoffs.
        """

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Minimum and maximum utility over players and ends, in the game's units."""

    @property
    def payoff_scale(self) -> float:
        """Largest absolute payoff times chance reach in `centered`, summed by sequences."""

    @property
    def payoff_width(self) -> float:
        """Largest difference between two utilities of the same player."""

    @property
    def usual_width(self) -> float:
        """The payoff width without extreme utilities (`usual_range`), where they are listed."""

    @property
    def constant_sum(self) -> float | None:
        """Sum of the players' utilities, if it is the same at every end."""

    @property
    def is_two_player_constant_sum(self) -> bool:
        """Whether the game has two players and a constant sum; exploitability needs both."""

    @property
    def has_shared_payoffs(self) -> bool:
        """Whether all of several players always get the same payoff."""

    @property
    def payoff_rounding(self) -> float:
        """Bound on the error that rounding in the payoffs causes in a value."""

    @property
    def rounding(self) -> float:
        """Bound on the rounding error of a best-response value in float64."""

    @property
    def gradient_cost(self) -> int:
        """Count of numbers read to compute one gradient per player."""

    @property
    def evaluation_cost(self) -> int:
        """Cost of evaluating a policy, roughly, in the unit of `infoset.runs.gradient_cost`."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 digest of structure, labels and payoffs; the same for equal forms."""

    def payoffs(self, precision: str = "float64") -> FormPayoffs:
        """Return what `fill_gradient` reads, in the order of `layouts`.

        Raises
        ------
        ParameterError
            If single precision cannot represent the payoffs.
        """

    def reach_payoffs(self) -> FormPayoffs:
        """Return `payoffs` as if all utilities were 1."""

    def composed_payoffs(
        self,
        transform: Transform,
        layouts: tuple[Layout, ...],
        precision: str = "float64",
        of_reach: bool = False,
    ) -> FormPayoffs:
        """Return the payoffs of a transform of this form, in the order of its `layouts`.

        Kernels compute its gradients in one call, without another compiled specialization.

        Parameters
        ----------
        transform
            How plans of the transform become plans of this form.
        layouts
            Those of the transform.
        of_reach
            Whether all utilities are 1, as in `reach_payoffs`.
        """

    def composed_scale(self, transform: Transform) -> float:
        """Return the `payoff_scale` of a transform of this form; a bound if the form is large."""

    @property
    def whole(self) -> Form:
        """The form of the policies of results: the form itself, unless it is a transform."""

    def complete(self, probabilities: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return per player [Q] the probabilities in `whole`, given those on this form."""

    def gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's expected utility with respect to its own plan.

        It depends only on the `plans` [Q] of the other players.
        """

    def payoff_deviation(
        self, plans: tuple[FloatArray, ...], player: Player, unit: float = 1.0
    ) -> float:
        """Return the standard deviation of a player's returns, given all plans [Q].

        A return is the mean of `centered` utilities of the terminal histories with the same last
        sequences, divided by `unit`.
        """

    def payoff_spread(self, plans: tuple[FloatArray, ...]) -> float:
        """Return twice the largest standard deviation of a player's returns, given all plans [Q].

        Extreme utilities are clipped to `usual_range`: even with a small probability, they would
        make it large. It is at most `payoff_width`, which forms return where computing it would
        take long.
        """

    def reach_gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] `gradient` as if all utilities were 1.

        At a sequence it is the probability, given that the player plays to it, that play ends with
        it as the player's last sequence.
        """

    def counterfactual_reach(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [I] the probability that chance and the other players lead to each infostate."""

    def player_values(self, probabilities: tuple[FloatArray, ...]) -> tuple[PlayerValues, ...]:
        """Return what each player earns, given behavior policies, per player [Q]."""

    def values_of_weights(
        self, weights: tuple[PlanWeights, ...], workspace: FloatArray | None = None
    ) -> tuple[PlayerValues, ...]:
        """Return `player_values` of the policies with given weights, bit for bit.

        Parameters
        ----------
        weights
            Per player, [Q] nonnegative weights of any precision, in the order of `layouts`; see
            `Layout.normalize`.
        workspace
            An array in float64, at least twice as long as the longest weights, which is
            overwritten. Reusing it is faster than allocating new memory.
        """

    def table(self) -> FormTable:
        """Return the rows and columns in which files store a number for each sequence."""

    def infostate_labels(self, player: Player) -> tuple[str, ...]:
        """Return [I] a unique text for each acting infostate."""

    def infostate_label(self, player: Player, number: int) -> str:
        """Return the label of one infostate; see `infostate_labels`."""

    def labeled_infostates(
        self, player: Player, max_depth: int | None = None
    ) -> Iterator[tuple[str, int]]:
        """Yield texts and acting infostates, parents first.

        With `max_depth`, only those with fewer decisions of the player before. A form that merges
        infostates yields each of the merged ones with its own text.
        """

    def reading_order(self, player: Player) -> LongArray:
        """Return positions in `labeled_infostates` in an order for readers."""

    @property
    def action_sets(self) -> tuple[tuple[Action, ...], ...]:
        """Sets of legal actions, as they occur at acting infostates."""

    def actions_at(self, player: Player, infostate: int) -> tuple[Action, ...]:
        """Return the legal actions at an acting infostate."""

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return an acting infostate; `find` is the inverse."""

    def find(self, infostate: Infostate) -> int:
        """Return the number of an acting infostate.

        Raises
        ------
        UnknownNameError
            If no play of the game leads to the infostate, or its player does not act there.
        """

    def look_up(self, key: Hashable) -> tuple[Player, int]:
        """Return the player and the number of the acting infostate that a key names.

        Parameters
        ----------
        key : str or tuple
            The infostate as text, alone or with its player; on a public form also a hand and a
            line, each as text or, for the hand, as its label.

        Raises
        ------
        UnknownNameError
            If there is no such player or acting infostate.
        ParameterError
            If the key is not one of the above, or names infostates of several players.
        """

    def look_up_all(self, key: Hashable) -> tuple[Player, LongArray]:
        """Return the player and the numbers of all acting infostates that a key names.

        It is one, as in `look_up`, unless the key is a line of a public form: then there is one for
        each hand, in the order of the hands. Hands that are merged share one.
        """

    def infostates_from(self, key: Hashable) -> tuple[BoolArray, ...]:
        """Return per player, [I] which acting infostates are at a key or after it.

        A line of a public form has infostates of both players; an infostate has those of its
        player.
        """


_MEMBERS = tuple(name for name in vars(Form) if not name.startswith("_"))


@cache
def _instance_members(kind: type[Any]) -> frozenset[str]:
    """Return the members of a form that are not attributes of a class."""
    return frozenset(name for name in _MEMBERS if not hasattr(kind, name))


def check_form(form: object) -> None:
    """Check that `form` is a `Form`.

    Raises
    ------
    ParameterError
        If `form` is something else. The message shows how to build one.
    """
    if not isinstance(form, Form):
        raise ParameterError(
            f"form is of type {type(form).__name__}; give a form of a game, such as "
            'infoset.build_tree("kuhn_poker").sequence_form, infoset.build_sequence_form('
            '"kuhn_poker") or infoset.build_public_form("kuhn_poker")'
        )


def sequences_at(form: Form, player: Player, infostate: int) -> slice:
    """Return the range of the sequences of an acting infostate."""
    plex = form.treeplexes[player]
    first = int(plex.first_sequence[infostate])
    return slice(first, first + int(plex.num_actions[infostate]))


def numbers_by_action(
    form: Form, player: Player, infostate: int, numbers: Mapping[Action, float]
) -> FloatArray:
    """Return [A] the numbers given for the actions of an infostate, in order; 0 if not given."""
    check_type("probabilities", numbers, Mapping, "one for each action, such as {'bet': 1.0}")
    legal = form.actions_at(player, infostate)
    for action, number in numbers.items():
        check_number(str(action), number, minimum=-inf)
        if action not in legal:
            label = form.infostate_labels(player)[infostate]
            raise UnknownNameError.of(f"action at {label!r}", str(action), map(str, legal))
    return np.array([numbers.get(action, 0.0) for action in legal], dtype=np.float64)
