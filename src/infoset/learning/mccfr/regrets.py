"""What the rows of Monte Carlo CFR share."""

from __future__ import annotations

from math import inf

from infoset.errors import ParameterError

__all__ = ["check_regret_floor"]


def check_regret_floor(floor: float) -> None:
    """Raise unless a floor of regrets is 0 or -∞.

    Raises
    ------
    ParameterError
        If it is another number.
    """
    if floor not in (0.0, -inf):
        raise ParameterError(
            f"regret_floor={floor!r} must be 0, for regret matching+, or -inf, for regret matching"
        )
