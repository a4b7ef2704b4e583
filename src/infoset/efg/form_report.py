"""A report of all properties of an extensive form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.information_sets import (
    Violation,
    find_absent_mindedness,
    find_action_mismatch,
    find_hidden_reward,
    find_public_mismatch,
    find_recall_violation,
    find_thick_infoset,
    find_thick_public_set,
)
from infoset.efg.timing import find_timing_cycle, find_uneven_timing

FORM_CHECKS: Final[Mapping[str, Callable[[ExtensiveForm], Violation | None]]] = MappingProxyType(
    {
        "same actions throughout an information set": find_action_mismatch,
        "perfect recall": find_recall_violation,
        "no absent-mindedness": find_absent_mindedness,
        "no thick information sets": find_thick_infoset,
        "timeable": find_timing_cycle,
        "1-timeable": find_uneven_timing,
        "no thick public sets": find_thick_public_set,
        "public sets known to all players": find_public_mismatch,
        "observable rewards": find_hidden_reward,
    }
)
"""Each property with the function that finds a violation of it, or returns None."""


@dataclass(frozen=True)
class FormReport:
    """The properties that an extensive form satisfies and those that it violates."""

    name: str
    """The form's name."""
    is_augmented: bool
    """Whether there are public sets, and every player has an information set everywhere. A
    classical form satisfies the properties of public sets trivially."""
    violations: Mapping[str, Violation | None]
    """The violation of each property, or None, in the order of `FORM_CHECKS`."""

    def satisfies(self, name: str) -> bool:
        """Return whether the form has a property, given by its name in `FORM_CHECKS`."""
        return self.violations[name] is None

    def __str__(self) -> str:
        kind = "augmented" if self.is_augmented else "classical"
        lines = [f"{self.name}, a{'n' if self.is_augmented else ''} {kind} extensive form"]
        for check, violation in self.violations.items():
            lines.append(f" {'fails' if violation else 'holds'}  {check}")
            if violation is not None:
                lines.append(f"        {violation.found}")
        return "\n".join(lines)


def check_form(form: ExtensiveForm) -> FormReport:
    """Check all properties of an extensive form; report two histories for each violation.

    An extensive form is valid without any of these properties. Functions that need perfect recall,
    a timing or public sets raise an error if the form lacks them.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> second = decision(0, "crossing", {"exit": terminal(4), "go on": terminal(1)})
    >>> first = decision(0, "crossing", {"exit": terminal(0), "go on": second})
    >>> check_form(extensive_form_from_nodes(first, players=1)).satisfies(
    ...     "perfect recall"
    ... )
    False
    """
    found = {check: find(form) for check, find in FORM_CHECKS.items()}
    return FormReport(form.name, form.is_augmented, MappingProxyType(found))
