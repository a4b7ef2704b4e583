"""Pictures of games and charts of results. Matplotlib and pygraphviz are imported on first use.

Every `plot_` function returns a new matplotlib figure, which is not registered with `pyplot`;
`save_figure(figure, path)` saves it as `.png`, `.pdf` or `.svg`.
"""

from infoset.plotting.compared_runs import BANDS, common_error
from infoset.plotting.comparison import AXES, plot_comparison, plot_games
from infoset.plotting.convergence import plot_convergence, plot_learning
from infoset.plotting.drawing import VIEWS, Drawing, draw
from infoset.plotting.figure_files import check_target, save_figure
from infoset.plotting.frequency_bars import plot_frequencies
from infoset.plotting.hand_pictures import plot_hands
from infoset.plotting.heat_maps import plot_beliefs, plot_heat_map
from infoset.plotting.line_charts import Line, plot_lines
from infoset.plotting.payoff_tables import PayoffTable, payoff_table
from infoset.plotting.picture import Picture, PictureInfoset, PictureNode, PictureStep, Region
from infoset.plotting.policy_bars import plot_policy
from infoset.plotting.team_charts import plot_team

__all__ = [
    "AXES",
    "BANDS",
    "VIEWS",
    "Drawing",
    "Line",
    "PayoffTable",
    "Picture",
    "PictureInfoset",
    "PictureNode",
    "PictureStep",
    "Region",
    "check_target",
    "common_error",
    "draw",
    "payoff_table",
    "plot_beliefs",
    "plot_comparison",
    "plot_convergence",
    "plot_frequencies",
    "plot_games",
    "plot_hands",
    "plot_heat_map",
    "plot_learning",
    "plot_lines",
    "plot_policy",
    "plot_team",
    "save_figure",
]
