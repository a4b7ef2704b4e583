"""The study of learning from bandit feedback: tables and figures, from what is committed."""

from infoset.experiments.studies import Study
from infoset_studies.balanced.ablations import ABLATIONS
from infoset_studies.balanced.correlated import CORRELATED
from infoset_studies.balanced.kuhn_theory import KUHN_THEORY
from infoset_studies.balanced.samples import SAMPLES
from infoset_studies.balanced.separation import SEPARATION
from infoset_studies.balanced.switching import SWITCHING
from infoset_studies.balanced.tuned_learners import GOALS, TUNED

__all__ = ["BALANCED"]

BALANCED = Study(
    "balanced",
    "Balanced learning from bandit feedback",
    (KUHN_THEORY, TUNED, SEPARATION, CORRELATED, ABLATIONS, SWITCHING, SAMPLES, GOALS),
)
