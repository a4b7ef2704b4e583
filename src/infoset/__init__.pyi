from ._version import __version__ as __version__
from .beliefs import (
    PublicBeliefState as PublicBeliefState,
    find_leak as find_leak,
    private_belief as private_belief,
    public_belief as public_belief,
)
from .efg import (
    ExtensiveForm as ExtensiveForm,
)
from .errors import (
    InfosetError as InfosetError,
)
from .evaluation import (
    best_response as best_response,
    expected_values as expected_values,
    exploitability as exploitability,
    nash_conv as nash_conv,
)
from .forms import (
    PublicForm as PublicForm,
    SequenceForm as SequenceForm,
    lock as lock,
)
from .front import (
    build_public_form as build_public_form,
    build_sequence_form as build_sequence_form,
    build_tree as build_tree,
    build_world_graph as build_world_graph,
    check_game as check_game,
    compare as compare,
    evaluate as evaluate,
    evaluate_hands as evaluate_hands,
    evaluate_teams as evaluate_teams,
    info as info,
    initial_history as initial_history,
    leak_report as leak_report,
    learn as learn,
    load as load,
    load_policy as load_policy,
    mend as mend,
    play_matches as play_matches,
    policy_from_openspiel as policy_from_openspiel,
    policy_to_openspiel as policy_to_openspiel,
    register_learner as register_learner,
    register_method as register_method,
    register_searcher as register_searcher,
    save_efg as save_efg,
    save_liteefg as save_liteefg,
    save_nfg as save_nfg,
    save_policy as save_policy,
    solve as solve,
    solve_team as solve_team,
    to_openspiel as to_openspiel,
    to_pettingzoo as to_pettingzoo,
    to_pettingzoo_parallel as to_pettingzoo_parallel,
)
from .game import (
    Game as Game,
    Observation as Observation,
    transcript as transcript,
)
from .games import (
    GAMES as GAMES,
    matrix_game as matrix_game,
    register_game as register_game,
)
from .learning import (
    LEARNERS as LEARNERS,
    make_learner as make_learner,
)
from .matches import (
    average_search as average_search,
)
from .plotting import (
    draw as draw,
)
from .policy import (
    TabularPolicy as TabularPolicy,
    uniform_policy as uniform_policy,
)
from .regret import (
    RegretScheme as RegretScheme,
)
from .resolving import (
    ContinualResolving as ContinualResolving,
)
from .runs import (
    SolveResult as SolveResult,
)
from .search import (
    ISMCTS as ISMCTS,
    PIMC as PIMC,
    SEARCHERS as SEARCHERS,
    Searcher as Searcher,
    make_searcher as make_searcher,
)
from .solvers import (
    METHODS as METHODS,
)
from .teams import (
    TEAM_METHODS as TEAM_METHODS,
)
from .tree import (
    GameTree as GameTree,
    build_limits as build_limits,
    graph_cache as graph_cache,
)
from .typing import (
    CHANCE as CHANCE,
    NOOP as NOOP,
)
from .web import (
    explore as explore,
)
