"""Tolerances of public decisions, as those of divided forms, in the arrays of other forms."""

import numpy as np


def coarsen_tolerances(solver):
    """Give all hands of a public decision the largest of their tolerances."""
    for own, runs in zip(solver._tolerances, solver.form.runs, strict=True):
        begins = np.sort(runs.place)
        own[:] = np.repeat(np.maximum.reduceat(own, begins), np.diff(begins, append=len(own)))
