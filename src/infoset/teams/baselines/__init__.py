"""Learners that teams are lent nothing by, to measure others by."""

from infoset.teams.baselines.rows import BASELINES, Baseline, get_baseline

__all__ = ["BASELINES", "Baseline", "get_baseline"]
