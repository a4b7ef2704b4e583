"""The study of learning from bandit feedback: tables and figures, from what is committed."""

from infoset.experiments.balanced.ablations import ABLATIONS
from infoset.experiments.balanced.correlated import CORRELATED
from infoset.experiments.balanced.kuhn_theory import KUHN_THEORY
from infoset.experiments.balanced.samples import SAMPLES
from infoset.experiments.balanced.separation import SEPARATION
from infoset.experiments.balanced.switching import SWITCHING
from infoset.experiments.balanced.tuned_learners import GOALS, TUNED
from infoset.experiments.studies import Study

__all__ = ["BALANCED"]

BALANCED = Study(
    "balanced",
    "Balanced learning from bandit feedback",
    (KUHN_THEORY, TUNED, SEPARATION, CORRELATED, ABLATIONS, SWITCHING, SAMPLES, GOALS),
)
