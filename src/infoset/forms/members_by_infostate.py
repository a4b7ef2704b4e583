"""Members of forms that number infostates one by one, and not by public nodes and hands."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms.derived_members import DerivedMembers, values_by_gradient, values_of_weights
from infoset.forms.form import Form, FormTable, PlayerValues
from infoset.forms.packed_rows import PlanWeights
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.arguments import check_player

OTHER_GAME = (
    "its rules have changed since the policy was saved, or one of the two is an exported file, "
    "whose infostates are different; use the policy with its own game, or solve this one"
)
"""Message for the table of a policy with another fingerprint."""


def infostate_table(form: Form, other_game: str) -> FormTable:
    """Return a table with a number for each sequence but the empty ones; see `FormTable`."""
    labels = [form.infostate_labels(player) for player in range(form.num_players)]
    return FormTable(
        ("probability",),
        "infostate",
        [label for own in labels for label in own],
        [form.actions_at(p, number) for p, own in enumerate(labels) for number in range(len(own))],
        tuple(np.arange(1, plex.num_sequences)[:, None] for plex in form.treeplexes),
        tuple(plex.num_actions for plex in form.treeplexes),
        {},
        other_game,
    )


class MembersByInfostate(DerivedMembers):
    """Members derived from the labels and actions of infostates, and from the gradient."""

    @property
    def num_hands(self) -> None:
        """None: the form has no hands."""
        return None

    @property
    def multiplicities(self: Form) -> tuple[LongArray, ...]:
        """Per player, [I] ones: the acting infostates are those of the game."""
        return tuple(np.ones(plex.num_infostates, np.int64) for plex in self.treeplexes)

    def player_values(
        self: Form, probabilities: tuple[FloatArray, ...]
    ) -> tuple[PlayerValues, ...]:
        """Return what each player earns, given behavior policies, per player [Q]."""
        return values_by_gradient(self, probabilities)

    def values_of_weights(
        self: Form, weights: tuple[PlanWeights, ...], workspace: FloatArray | None = None
    ) -> tuple[PlayerValues, ...]:
        """Return `player_values` of policies with given weights; see `Form.values_of_weights`."""
        return values_of_weights(self, weights)

    def table(self: Form) -> FormTable:
        """Return the rows in which files store a number for each sequence but the empty ones."""
        return infostate_table(self, OTHER_GAME)

    def look_up(self: Form, key: Hashable) -> tuple[Player, int]:
        """Return the player and the number of the infostate that a key names: text, or both."""
        parts = key if isinstance(key, tuple) else (key,)
        labels = tuple(map(self.infostate_labels, range(self.num_players)))
        if not 1 <= len(parts) <= 2 or not isinstance(parts[0], str):
            raise ParameterError(
                f"{key!r} is not an infostate; give its text and player, as in "
                f"policy[{labels[0][0]!r}, 0]"
            )
        return _find_label(self, labels, parts[0], [*parts[1:]])

    def look_up_all(self: Form, key: Hashable) -> tuple[Player, LongArray]:
        """Return the player and the number of the infostate that a key names, as an array."""
        try:
            player, number = self.look_up(key)
        except UnknownNameError as error:
            raise UnknownNameError(
                f"{error}; a line without a hand names all its infostates only on a public form "
                "(form='public', --form public)"
            ) from None
        return player, np.array([number])


def _find_label(
    form: Form, labels: tuple[tuple[str, ...], ...], label: str, players: list[Any]
) -> tuple[Player, int]:
    """Return the player and the acting infostate with a text; `players` may be empty."""
    for player in players:
        check_player(player, len(labels), form.name)
    possible = players or range(len(labels))
    if not any(label in labels[player] for player in possible):
        normal = form.source.normal_text(label)
        label = normal if any(normal in labels[player] for player in possible) else label
    found = [player for player in possible if label in labels[player]]
    if not found:
        known = [text for player in possible for text in labels[player]]
        of = f" of player {players[0]}" if players else ""
        raise UnknownNameError.of(f"infostate{of}", label, known)
    if len(found) > 1:
        raise ParameterError(
            f"players {', '.join(map(str, found))} have an infostate {label!r}; add one of "
            f"them, as in policy[{label!r}, {found[0]}]"
        )
    return found[0], labels[found[0]].index(label)
