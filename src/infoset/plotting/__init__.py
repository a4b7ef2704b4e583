"""Pictures. Matplotlib and pygraphviz are loaded when the first one is drawn, not before."""

from infoset.plotting.belief import plot_beliefs
from infoset.plotting.comparison import plot_comparison
from infoset.plotting.convergence import plot_convergence
from infoset.plotting.drawings import VIEWS, Drawing, check_target, draw
from infoset.plotting.heat_map import plot_heat_map
from infoset.plotting.learning import plot_learning
from infoset.plotting.lines import Line, plot_lines
from infoset.plotting.picture import Alike, Picture, PictureNode, PictureStep, Region
from infoset.plotting.team import plot_team

__all__ = [
    "VIEWS",
    "Alike",
    "Drawing",
    "Line",
    "Picture",
    "PictureNode",
    "PictureStep",
    "Region",
    "check_target",
    "draw",
    "plot_beliefs",
    "plot_comparison",
    "plot_convergence",
    "plot_heat_map",
    "plot_learning",
    "plot_lines",
    "plot_team",
]
