"""The study of networks on games whose histories cannot be listed: exact exploitability."""

from infoset.experiments.studies import Study
from infoset_studies.networks.benchmark import LEARNERS, PUBLISHED

__all__ = ["NETWORKS"]

NETWORKS = Study("networks", "Networks on games of 10¹⁰ histories", (LEARNERS, PUBLISHED))
