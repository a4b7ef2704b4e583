"""Pictures. Matplotlib is loaded when the first one is drawn, not before."""

from infoset.plotting.convergence import plot_convergence

__all__ = ["plot_convergence"]
