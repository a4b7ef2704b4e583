"""Two-player constant-sum games in the layout of the kernels, shared by several solvers."""

from __future__ import annotations

from math import floor, log2
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import Form, Layout, check_form, divided_payoffs, realize_policy
from infoset.policy import TabularPolicy
from infoset.runs import settings_of
from infoset.typing import FloatArray, Player, StateArrays
from infoset.utils.state import IterativeState, name_by_player

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    class NamedSpec(DataclassInstance, Protocol):
        """The parameters of a method, with its name in results."""

        @property
        def name(self) -> str:
            """Name of the method in results."""


EXTREME = 1e100
"""Payoffs above this scale or below its inverse are divided by a power of two."""

SpecT = TypeVar("SpecT", bound="NamedSpec")


class WithPolicy(Protocol):
    """The arrays of a player, among them the policy."""

    @property
    def policy(self) -> FloatArray:
        """[Q] the last iterate, in order of position."""


def check_two_player(form: Form, method: str) -> None:
    """Raise unless a game is two-player constant-sum; `method` is named in the message.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """
    check_form(form)
    if not form.is_two_player_constant_sum:
        for_two = ", or gambit_equilibria if it is small" if form.num_players == 2 else ""
        raise UnsupportedGameError(
            f"{method} solves two-player constant-sum games only, and {form.name} is not "
            f"one: use cfr+ or, in Python, solve_coarse_correlated{for_two}"
        )


def check_min_probability(form: Form, minimum: float) -> None:
    """Raise if an infostate has too many actions for a minimum probability.

    Raises
    ------
    ParameterError
        If the minimum probabilities at an infostate sum to more than 1.
    """
    most = max(int(plex.num_actions.max(initial=1)) for plex in form.treeplexes)
    if minimum * most > 1:
        raise ParameterError(
            f"min_probability={minimum} is too large: an infostate of {form.name} has "
            f"{most} actions, so the minimum probability can be at most 1/{most}"
        )


def payoff_scale(form: Form) -> float:
    """Return the largest absolute entry of the centered payoff matrix.

    An entry is a payoff times its chance reach. The payoffs are centered: each player's midrange is
    subtracted, see `Form.centered`. Step sizes and temperatures relative to this scale suit
    games of any size and any units, and do not depend on constants added to the payoffs. If all
    centered payoffs are zero, the scale is 1.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> round(payoff_scale(build_tree(load_game("kuhn_poker")).sequence_form), 6)
    0.333333
    """
    check_form(form)
    return form.payoff_scale or 1.0


class TwoPlayerGame:
    """The layouts and centered payoffs of a two-player constant-sum game, in order of position.

    A constant added to a player's payoffs changes neither the layouts nor the centered payoffs.
    Payoffs so large or small that their squares would leave float64 are divided by a power of two,
    which changes no policy of a method whose steps are relative to the scale.

    Parameters
    ----------
    form
        The game.
    method
        Name of the method in error messages.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(self, form: Form, method: str) -> None:
        check_two_player(form, method)
        self.form = form
        first, second = form.layouts
        self.layouts = (first, second)
        self.groups = (first.groups, second.groups)
        self.parents = (first.parent, second.parent)
        # A power of two, because dividing by it rounds nothing.
        scale = payoff_scale(form)
        is_extreme = not 1 / EXTREME <= scale <= EXTREME
        self.unit = float(2.0 ** floor(log2(scale))) if is_extreme else 1.0
        self.pairs = tuple(
            divided_payoffs(pair, self.unit) for pair in form.centered.payoffs().pairs
        )

    @property
    def payoff_scale(self) -> float:
        """The `payoff_scale` of the sequence form, in units of `pairs`."""
        return payoff_scale(self.form) / self.unit

    @property
    def payoff_width(self) -> float:
        """The largest difference between two utilities of a player, in units of `pairs`."""
        low, high = self.form.centered.payoff_range
        # Divided first, because the difference of extreme numbers may overflow.
        return high / self.unit - low / self.unit

    @property
    def largest_group(self) -> int:
        """Number of infostates of the largest group: the length of temporary arrays."""
        return max(layout.largest_group for layout in self.layouts)

    def infostate_weights(self, player: Player) -> FloatArray:
        """Return [I] how often regularizers count each infostate; see `Form.multiplicities`."""
        ordered = self.form.multiplicities[player][self.layouts[player].infostate]
        return ordered.astype(np.float64)

    def sequence_weights(self) -> tuple[FloatArray, ...]:
        """Return each player's [Q] how often regularizers count each sequence."""
        pairs = zip(self.form.treeplexes, self.form.multiplicities, strict=True)
        weights = [np.append(1.0, np.repeat(counts, plex.num_actions)) for plex, counts in pairs]
        return tuple(map(Layout.to_positions, self.layouts, weights))

    def uniform_policies(self) -> tuple[FloatArray, ...]:
        """Return each player's [Q] uniform behavior."""
        return tuple(layout.uniform_policy() for layout in self.layouts)

    def zeros(self) -> tuple[FloatArray, ...]:
        """Return [Q] zeros for each player."""
        return tuple(np.zeros(layout.num_sequences) for layout in self.layouts)

    def plans(self, policies: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return each player's [Q] realization plan of a behavior."""
        plans = self.zeros()
        for groups, parent, policy, plan in zip(
            self.groups, self.parents, policies, plans, strict=True
        ):
            realize_policy(groups, parent, policy, plan)
        return plans

    def to_policy(self, policies: tuple[FloatArray, ...]) -> TabularPolicy:
        """Return behaviors [Q] as a policy."""
        pairs = zip(self.layouts, policies, strict=True)
        weights = [layout.to_sequences(policy) for layout, policy in pairs]
        return TabularPolicy.from_weights(self.form, weights)


class TwoPlayerSolver(IterativeState, Generic[SpecT]):
    """The state and the parameters of a method on a two-player constant-sum game.

    Parameters
    ----------
    form
        A two-player constant-sum game.
    spec : dataclass
        The parameters of the method and its name.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(self, form: Form, spec: SpecT) -> None:
        super().__init__()
        self.form = form
        self._spec = spec
        self._game = TwoPlayerGame(form, spec.name)

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the method."""
        return settings_of(self._spec)


class LastIterateSolver(TwoPlayerSolver[SpecT]):
    """A method whose state is a named tuple of arrays for each player, and its last iterate.

    Subclasses list the arrays that iterations change in `CHANGING`, and set `_states`.
    """

    CHANGING: ClassVar[tuple[str, ...]]
    _states: tuple[WithPolicy, WithPolicy]

    def _state_arrays(self) -> StateArrays:
        return name_by_player(
            **{name: [getattr(state, name) for state in self._states] for name in self.CHANGING}
        )

    def current_policy(self) -> TabularPolicy:
        """Return the last iterate: the policy from which the next iteration starts."""
        return self._game.to_policy(tuple(state.policy for state in self._states))

    def policy(self) -> TabularPolicy:
        """Return the answer of the method: the last iterate."""
        return self.current_policy()
