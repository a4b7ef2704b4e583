"""Who chooses how play continues at the depth limit of a search, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class LeafRule:
    """A rule by which players choose among continuations at their infostates at the leaves."""

    name: str
    description: str
    """One line, with the source."""
    is_stateless: bool = False
    """Whether the opponent's choice is a best response in each iteration, instead of a decision at
    which regret is minimized."""
    both_choose: bool = False
    """Whether the searching player chooses, too; values of all pairs of continuations are needed.
    """


LEAF_RULES: Final[Mapping[str, LeafRule]] = {
    row.name: row
    for row in (
        LeafRule(
            "choice",
            "the opponent chooses by regret matching, as at other decisions (Brown et al. 2018)",
        ),
        LeafRule(
            "stateless",
            "the opponent's choice is a best response to the ranges of each iteration (Kubíček, "
            "Burch, Lisý 2023)",
            is_stateless=True,
        ),
        LeafRule(
            "matrix",
            "both players choose, as in a matrix game at each leaf (matrix-valued states)",
            both_choose=True,
        ),
    )
}
"""The leaf rules by name.

- `choice` and `stateless` solve the same game: the opponent may choose a continuation at each of
  its infostates at the leaves, and the searching player follows the blueprint there. A best
  response to each iteration has no regret, so that averages approach equilibria of this game under
  both rules. Its value is what the search can promise against these continuations if the player
  then follows the blueprint. The rules differ in how fast, and in which of several equilibria they
  approach.
- `matrix` solves another game, whose value is at least as large for the searching player. It is a
  promise only if the player follows the continuations that it chose; with `previous`, the next
  search offers the opponent its values against these. If the blueprint is weak, this is closer to
  the play that later searches lead to; an equilibrium may become exploitable.
"""
