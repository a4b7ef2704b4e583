from ._version import __version__ as __version__
from .beliefs import (
    Belief as Belief,
    PublicBeliefState as PublicBeliefState,
    PublicPrivateBelief as PublicPrivateBelief,
    cut_tree as cut_tree,
    find_leak as find_leak,
    private_belief as private_belief,
    public_belief as public_belief,
    ranges as ranges,
    value_subgame as value_subgame,
)
from .errors import (
    InfosetError as InfosetError,
)
from .evaluation import (
    BestResponse as BestResponse,
    Evaluation as Evaluation,
    ValueProof as ValueProof,
    behavior_values as behavior_values,
    best_response as best_response,
    expected_values as expected_values,
    exploitability as exploitability,
    nash_conv as nash_conv,
    prove_value as prove_value,
    true_state_sampling_ratio as true_state_sampling_ratio,
)
from .front import (
    GameInfo as GameInfo,
    compare as compare,
    evaluate as evaluate,
    info as info,
    learn as learn,
    load as load,
    solve as solve,
    solve_team as solve_team,
)
from .game import (
    Game as Game,
    History as History,
    Infostate as Infostate,
    Observation as Observation,
    PublicState as PublicState,
    check_game as check_game,
    fold_chance_player as fold_chance_player,
    forget_factorization as forget_factorization,
    initial_history as initial_history,
    play_out as play_out,
    serialize as serialize,
    transcript as transcript,
)
from .games import (
    GAMES as GAMES,
    RandomGame as RandomGame,
    matrix_game as matrix_game,
)
from .interop import (
    to_openspiel as to_openspiel,
    to_pettingzoo as to_pettingzoo,
)
from .learning import (
    LEARNERS as LEARNERS,
    Learner as Learner,
    LearnResult as LearnResult,
    Trajectory as Trajectory,
    make_learner as make_learner,
    play_and_learn as play_and_learn,
)
from .plotting import (
    draw as draw,
)
from .policy import (
    Policy as Policy,
    TabularPolicy as TabularPolicy,
    UniformPolicy as UniformPolicy,
    distance as distance,
    load_policy as load_policy,
    load_policy_csv as load_policy_csv,
    mix as mix,
    random_policy as random_policy,
    save_policy as save_policy,
    save_policy_csv as save_policy_csv,
    uniform_policy as uniform_policy,
)
from .regret import (
    RegretScheme as RegretScheme,
)
from .search import (
    SEARCHERS as SEARCHERS,
    EPIMC as EPIMC,
    ISMCTS as ISMCTS,
    PIMC as PIMC,
    Searcher as Searcher,
    make_searcher as make_searcher,
    search_model as search_model,
)
from .solvers import (
    METHODS as METHODS,
    solve_exactly as solve_exactly,
)
from .teams import (
    TEAM_METHODS as TEAM_METHODS,
    TeamResult as TeamResult,
)
from .tree import (
    GameTree as GameTree,
    SequenceForm as SequenceForm,
    WorldGraph as WorldGraph,
    build_sequence_form as build_sequence_form,
    build_tree as build_tree,
    build_world_graph as build_world_graph,
    unroll as unroll,
)
from .typing import (
    CHANCE as CHANCE,
    NOOP as NOOP,
)
from .matches import (
    MatchResult as MatchResult,
    average_search as average_search,
    exact_match as exact_match,
    play_matches as play_matches,
)
from .efg import (
    save_efg as save_efg,
    ExtensiveForm as ExtensiveForm,
    as_game as as_game,
    augment as augment,
    check_form as check_form,
    build_extensive_form as build_extensive_form,
    forget_non_acting as forget_non_acting,
    extensive_form_from_nodes as extensive_form_from_nodes,
    pad_timing as pad_timing,
)
from .runs import (
    SolveResult as SolveResult,
    TracePoint as TracePoint,
)
