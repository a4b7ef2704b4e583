"""All checks of an extensive form in one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from infoset.efg.form import ExtensiveForm
from infoset.efg.information import (
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

__all__ = ["FORM_CHECKS", "FormReport", "check_form"]

FORM_CHECKS: Final[Mapping[str, Callable[[ExtensiveForm], Violation | None]]] = MappingProxyType(
    {
        "same actions all over an information set": find_action_mismatch,
        "perfect recall": find_recall_violation,
        "no absent-mindedness": find_absent_mindedness,
        "no thick information sets": find_thick_infoset,
        "timeable": find_timing_cycle,
        "1-timeable": find_uneven_timing,
        "no thick public sets": find_thick_public_set,
        "public sets known to everybody": find_public_mismatch,
        "observable rewards": find_hidden_reward,
    }
)
"""The checks by what they assure: each finds a violation, or returns None."""


@dataclass(frozen=True)
class FormReport:
    """What an extensive form keeps and breaks.

    Attributes
    ----------
    name : str
        The form's name.
    is_augmented : bool
        Whether all players have information sets everywhere, and there are public sets; what a
        classical form does not have, it cannot break.
    violations : Mapping[str, Violation or None]
        By name of the check, in the order of `FORM_CHECKS`.
    """

    name: str
    is_augmented: bool
    violations: Mapping[str, Violation | None]

    def keeps(self, check: str) -> bool:
        """Return whether a check of `FORM_CHECKS` found nothing."""
        return self.violations[check] is None

    def __str__(self) -> str:
        kind = "augmented" if self.is_augmented else "classical"
        lines = [f"{self.name}, a{'n' if self.is_augmented else ''} {kind} extensive form"]
        for check, violation in self.violations.items():
            lines.append(f"{'broken' if violation else 'kept':>6}  {check}")
            if violation is not None:
                lines.append(f"        {violation.found}")
        return "\n".join(lines)


def check_form(form: ExtensiveForm) -> FormReport:
    """Check everything that an extensive form can keep or break, with witnesses.

    Nothing of it is needed to have the form; what needs perfect recall, a timing or public sets
    says so when it is asked for.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> second = decision(0, "crossing", {"exit": terminal(4), "go on": terminal(1)})
    >>> first = decision(0, "crossing", {"exit": terminal(0), "go on": second})
    >>> check_form(extensive_form_from_nodes(first, players=1)).keeps("perfect recall")
    False
    """
    found = {check: find(form) for check, find in FORM_CHECKS.items()}
    return FormReport(form.name, form.is_augmented, MappingProxyType(found))
