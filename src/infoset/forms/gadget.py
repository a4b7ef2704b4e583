"""Gadget games: parts of a game, re-solved without conceding more to the opponent than before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms._treeplex_kernels import behavior_to_plan
from infoset.forms.form import Form, check_form
from infoset.forms.public_form import PublicForm, check_public_form
from infoset.forms.public_parts import form_below
from infoset.forms.public_reach import check_node, checked_ranges, prior_with_ranges
from infoset.forms.transform import PlanMap, SideEnds, Transform
from infoset.forms.transformed_form import AddedInfostate, TransformedForm
from infoset.forms.treeplex import Treeplex
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_choice, check_player

FOLLOW: Final = "follow"
TERMINATE: Final = "terminate"

GADGET_KINDS: Final = ("resolving", "max-margin", "none")
"""Choices of the opponent at the root: to take a value or follow at each infostate, to choose the
infostate, or none. The gadget `reach-max-margin` is `max-margin` with other values."""


@dataclass(frozen=True, eq=False, repr=False)
class GadgetForm(TransformedForm):
    """A part of a game with a gadget at its root; see `add_gadget`."""

    player: Player
    """The searching player."""
    gadget: str
    """One of `GADGET_KINDS`."""
    constant: float | None
    """Sum of the players' expected utilities, if payoffs are weighted so that it does not depend on
    the policies."""

    @property
    def kind(self) -> str:
        """How utilities are stored, as in the part."""
        return self.base.kind

    @property
    def constant_sum(self) -> float | None:
        """Sum of the players' utilities, if it is the same at every terminal."""
        return self.constant

    @property
    def centered(self) -> GadgetForm:
        """The form itself; values that the opponent may take have an unknown midrange."""
        return self


class _Entries(NamedTuple):
    """The opponent's S infostates at the root of a part, where a gadget begins.

    values [S]: the values that it can take instead, or its range for `none`; weight [S]: reach by
    chance and by the searching player's range; unit [S]: reach that weights the searching player's
    payoffs, by a range of ones unless `is_zero_sum` (only for `max-margin`); total: the constant
    sum.
    """

    part: Form
    opponent: Player
    values: FloatArray
    weight: FloatArray
    unit: FloatArray
    total: float
    is_zero_sum: bool


class _Choices(NamedTuple):
    """The infostates and payoffs that a gadget adds for a player.

    begin [S]: the sequence before play at each root infostate; weight, scale [S]: as in `PlanMap`;
    num_actions [K], added: the added infostates; ends: sequences that are paid values.
    """

    begin: LongArray
    weight: FloatArray
    scale: FloatArray
    num_actions: IntArray
    added: tuple[AddedInfostate, ...]
    ends: SideEnds


def add_gadget(
    part: Form,
    player: Player,
    own_range: FloatArray,
    opponent: FloatArray,
    gadget: str = "resolving",
    *,
    constant: float | None = None,
    is_zero_sum: bool = False,
) -> GadgetForm:
    """Return a part of a game with a gadget at its root, as a form for any method.

    The part is any form of two players in which each player first makes a forced move at each of
    its infostates at the root: acting infostates 0 to S - 1 have one action and no own decision
    before. `infoset.resolving.entered_form` and `entered_public_form` build such parts. Results
    have policies of `part`, in which the forced moves are made.

    Payoffs of the searching player do not depend on its own range, so that infostates of range zero
    get a policy, too. The form is then not constant-sum, which methods that minimize regret do not
    need.

    Parameters
    ----------
    player
        The searching player.
    own_range
        [S_i] its own reach of each of its infostates at the root.
    opponent
        [S_j] the expected utility that the opponent can take instead at each of its infostates at
        the root. For `none`, the opponent's range.
    gadget
        One of `GADGET_KINDS`.
    constant
        The constant sum of utilities; by default that of `part`.
    is_zero_sum
        Whether the searching player's payoffs are weighted by its own range, too.

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players and a constant sum.
    ParameterError
        If the part has no forced moves, an array has the wrong shape or is not finite, or the
        searching player's range is zero wherever play can lead to the part.

    Notes
    -----
    Source: Burch, Johanson and Bowling (2014) for `resolving`; Moravčík, Schmid, Ha, Hladík and
    Gaukrodger (2016) for `max-margin`.
    """
    check_form(part)
    check_choice("gadget", gadget, GADGET_KINDS)
    total = part.constant_sum if constant is None else constant
    if part.num_players != 2 or (total is None and gadget != "none"):
        raise UnsupportedGameError(
            f"gadgets need a two-player constant-sum game, which {part.name} is not: give "
            "gadget='none'"
        )
    check_player(player, 2, part.name)
    other = 1 - player
    sizes = tuple(_num_entries(part, p) for p in range(2))
    own = _checked("own_range", own_range, sizes[player])
    values = _checked("opponent", opponent, sizes[other])
    if (own < 0).any() or (gadget == "none" and (values < 0).any()):
        raise ParameterError("a range has a negative entry; give the reach of each infostate")
    weight = _entry_reach(part, player, own, sizes)
    if not weight.sum() > 0:
        raise ParameterError(
            f"the range of player {player} is zero wherever play can lead to {part.name}; give a "
            "range with a positive entry"
        )
    unit = weight
    if gadget == "max-margin" and not is_zero_sum:
        unit = _entry_reach(part, player, np.ones(len(own)), sizes)
    build = {"resolving": _resolving, "max-margin": _max_margin, "none": _none}[gadget]
    choices = build(_Entries(part, other, values, weight, unit, float(total or 0.0), is_zero_sum))
    # The searching player has no choice at the root: its forced moves have its range as weights.
    mine = _Choices(
        begin=np.zeros(len(own), np.int64),
        weight=own,
        scale=own if is_zero_sum else np.ones(len(own)),
        num_actions=np.zeros(0, np.int32),
        added=(),
        ends=SideEnds.none(2),
    )
    by_player = (mine, choices) if player == 0 else (choices, mine)
    maps, treeplexes = zip(
        *(_applied(part.treeplexes[p], by_player[p]) for p in range(2)), strict=True
    )
    # Those that the gadget adds come first; the forced moves, 0 to S - 1 of the part, are left out.
    infostates = tuple(
        np.concatenate(
            [
                -1 - np.arange(len(by_player[p].added)),
                np.arange(sizes[p], part.treeplexes[p].num_infostates),
            ]
        ).astype(np.int32)
        for p in range(2)
    )
    # Utilities at all terminals have the same sum, but probabilities need not sum to 1.
    mass = {"resolving": weight.sum(), "max-margin": 0.0, "none": weight @ values}[gadget]
    return GadgetForm(
        name=f"{gadget}({part.name},player={player})",
        base=part,
        transform=Transform(maps, choices.ends),
        treeplexes=treeplexes,
        infostates=infostates,
        added=tuple(own.added for own in by_player),
        player=player,
        gadget=gadget,
        constant=(total or 0.0) * mass if is_zero_sum and part.constant_sum is not None else None,
    )


def entered_public_form(form: PublicForm, node: int) -> PublicForm:
    """Return what follows a public node, after a forced move of both players.

    Hands are dealt as if both players had played to the node with each of them. Its public nodes
    are two more than those of `nodes_below`, which they precede. It is what `add_gadget` changes to
    a gadget game.

    Raises
    ------
    UnsupportedGameError
        If the reach of public nodes is not a product; see `chance_reach_of_nodes`.
    """
    check_public_form(form)
    check_node(form, node)
    first, second = map(np.ones, form.num_hands)
    reach = checked_ranges(form, node, (first, second))
    below = form_below(
        form,
        node,
        prior_with_ranges(form, reach),
        name=f"subgame({form.name}, {form.label(node)!r})",
        moves=[(player, (FOLLOW,)) for player in range(2)],
    )
    # Both see the forced moves, so that lines have different texts.
    observation = below.observation.copy()
    observation[1:3] = len(below.observations)
    return replace(below, observation=observation, observations=(*below.observations, FOLLOW))


def _num_entries(part: Form, player: Player) -> int:
    """Return the number of forced moves of a player at the root of a part."""
    plex = part.treeplexes[player]
    # The entries end at the first infostate with another number of actions or decision before.
    is_later = (plex.num_actions != 1) | (plex.parent_sequence != 0)
    count = int(is_later.argmax()) if is_later.any() else len(is_later)
    if not count or not (plex.parent_sequence[count:] > 0).all():
        raise ParameterError(
            f"{part.name} does not begin with a forced move of player {player} at each of its "
            "infostates: build it with infoset.resolving.entered_form or entered_public_form"
        )
    return count


def _entry_reach(
    part: Form, player: Player, own_range: FloatArray, sizes: tuple[int, ...]
) -> FloatArray:
    """Return [S_j] reach of the opponent's entries by chance and by a range of the player.

    sizes: number of entries of each player.
    """
    plans = []
    for p, (plex, count) in enumerate(zip(part.treeplexes, sizes, strict=True)):
        policy = np.zeros(plex.num_sequences)
        policy[1 : 1 + count] = own_range if p == player else 1.0
        # Any policy after the entries has the same reach of the entries: here, the first action.
        policy[plex.first_sequence[count:]] = 1.0
        plans.append(
            behavior_to_plan(plex.parent_sequence, plex.first_sequence, plex.num_actions, policy)
        )
    other = 1 - player
    reach = part.counterfactual_reach(tuple(plans), other)[: sizes[other]]
    # A subnormal weight has no inverse, and no digits to spare: it counts as 0.
    return np.where(reach < np.finfo(np.float64).tiny, 0.0, reach)


def _resolving(entries: _Entries) -> _Choices:
    """Let the opponent take a value at each infostate, or follow."""
    other, count = entries.opponent, len(entries.values)
    utility = np.empty((count, 2))
    utility[:, other], utility[:, 1 - other] = entries.values, entries.total - entries.values
    ones = np.ones(count)
    # Sequences 1 + 2s and 2 + 2s follow and terminate at the infostate s.
    return _Choices(
        begin=1 + 2 * np.arange(count),
        weight=ones,
        scale=ones,
        num_actions=np.full(count, 2, np.int32),
        added=tuple(AddedInfostate(entry, (FOLLOW, TERMINATE)) for entry in range(count)),
        ends=SideEnds(
            np.full(count, other, np.int32),
            2 + 2 * np.arange(count),
            np.repeat(entries.weight[:, None], 2, axis=1),
            utility,
        ),
    )


def _max_margin(entries: _Entries) -> _Choices:
    """Let the opponent choose its infostate; its value there is subtracted from utilities."""
    other, values = entries.opponent, entries.values
    chosen = np.flatnonzero(entries.weight > 0)
    # Reach is divided by that of the entry, so that play is there with probability 1 once it is
    # chosen. Entries without reach cannot be chosen.
    begin, inverse = np.zeros(len(values), np.int64), np.zeros(len(values))
    begin[chosen] = 1 + np.arange(len(chosen))
    inverse[chosen] = 1.0 / entries.weight[chosen]
    utility, reach = np.empty((len(chosen), 2)), np.ones((len(chosen), 2))
    utility[:, other], utility[:, 1 - other] = -values[chosen], values[chosen] - entries.total
    reach[:, 1 - other] = (entries.unit * inverse)[chosen]
    return _Choices(
        begin=begin,
        weight=inverse,
        scale=inverse,
        num_actions=np.array([len(chosen)], np.int32),
        added=(AddedInfostate("[]", tuple(chosen.tolist())),),
        ends=SideEnds(np.full(len(chosen), other, np.int32), begin[chosen], reach, utility),
    )


def _none(entries: _Entries) -> _Choices:
    """Draw the opponent's infostate from its range."""
    return _Choices(
        begin=np.zeros(len(entries.values), np.int64),
        weight=entries.values,
        scale=entries.values if entries.is_zero_sum else np.ones(len(entries.values)),
        num_actions=np.zeros(0, np.int32),
        added=(),
        ends=SideEnds.none(2),
    )


def _applied(plex: Treeplex, choices: _Choices) -> tuple[PlanMap, Treeplex]:
    """Return a player's map and treeplex, with forced moves replaced by the choices of a gadget."""
    count, added = len(choices.begin), int(choices.num_actions.sum())
    # Sequences 1 to S of the part are the forced moves. They continue the choices of the gadget,
    # and all later ones move by the difference of the numbers of sequences.
    last = np.arange(plex.num_sequences) - count + added
    last[0], last[1 : 1 + count] = 0, choices.begin
    first = np.ones(len(choices.num_actions), np.int64)
    first[1:] += np.cumsum(choices.num_actions[:-1])
    later = last.astype(np.int32)
    found = Treeplex(
        parent_sequence=np.concatenate(
            [np.zeros_like(choices.num_actions), later[plex.parent_sequence[count:]]]
        ),
        first_sequence=np.concatenate([first.astype(np.int32), later[plex.first_sequence[count:]]]),
        num_actions=np.concatenate([choices.num_actions, plex.num_actions[count:]]),
        num_sequences=plex.num_sequences - count + added,
    )
    weight = scale = _along_paths(plex, choices.weight)
    if choices.scale is not choices.weight:
        scale = _along_paths(plex, choices.scale)
    return PlanMap(last, weight, scale, found.num_sequences), found


def _along_paths(plex: Treeplex, entered: FloatArray) -> FloatArray:
    """Return [Q] the factor of the forced move before each sequence, given those moves' [S]."""
    factor = np.ones(plex.num_sequences)
    factor[1 : 1 + len(entered)] = entered
    return behavior_to_plan(plex.parent_sequence, plex.first_sequence, plex.num_actions, factor)


def _checked(name: str, values: FloatArray, size: int) -> FloatArray:
    found = np.asarray(values, np.float64)
    if found.shape != (size,):
        raise ParameterError(f"{name} has shape {found.shape}; give an array of shape {(size,)}")
    if not np.isfinite(found).all():
        raise ParameterError(f"{name} has an entry that is NaN or infinite; give finite numbers")
    return found
