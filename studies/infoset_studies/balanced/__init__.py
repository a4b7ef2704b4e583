"""The study of learning from bandit feedback: learners in self-play and against adversaries."""

from infoset.experiments.studies import Study
from infoset_studies.balanced.ablations import ABLATIONS
from infoset_studies.balanced.bandit_trees import SAMPLE_COMPLEXITY, SEPARATION
from infoset_studies.balanced.correlated_play import CORRELATED_PLAY
from infoset_studies.balanced.kuhn_theory import KUHN_THEORY
from infoset_studies.balanced.needed_episodes import NEEDED_EPISODES
from infoset_studies.balanced.switching_opponents import SWITCHING
from infoset_studies.balanced.tuned_learners import RECOMMENDED, TUNED

__all__ = ["BALANCED"]

BALANCED = Study(
    "balanced",
    "Balanced learning from bandit feedback",
    (
        KUHN_THEORY,
        TUNED,
        SEPARATION,
        CORRELATED_PLAY,
        ABLATIONS,
        SWITCHING,
        SAMPLE_COMPLEXITY,
        RECOMMENDED,
        NEEDED_EPISODES,
    ),
    aliases={
        "e1": "kuhn-theory",
        "e2": "tuned-learners",
        "e3": "separation",
        "e4": "correlated-play",
        "e5": "ablations",
        "e6": "switching",
        "samples": "sample-complexity",
        "goals": "recommended",
    },
)
