// Written by write_types.py from the dataclasses of infoset.views: change those, and run
// `python web/write_types.py`.

/** The initial pot of a game. */
export interface Pot {
  size: number;
  contributions: number[];
}

/** How an action looks in every page and picture of a game. */
export interface ActionStyle {
  label: string;
  color: string;
  ink: string;
  key: string;
}

/** A policy of the page, with its measures. */
export interface Policy {
  name: string;
  values: number[];
  nash_conv: number;
  exploitability: number | null;
}

/** A method that can be watched. */
export interface Method {
  name: string;
  kind: string;
  about: string;
}

/** The game of a page, with its policies, opponents and methods. */
export interface Game {
  game: string;
  kind: "tree" | "public" | "form" | "rules";
  num_players: number;
  player_names: string[];
  pot: Pot | null;
  sizes: Record<string, number>;
  actions: ActionStyle[];
  start: number;
  policies: Policy[];
  opponents: string[];
  methods: Method[];
  terms: Record<string, string>;
}

/** A public state, as an entry in a list. */
export interface StateLink {
  state: number;
  label: string;
  probability: number;
  num_children: number;
  num_infostates: number[];
  actors: number[];
  is_end: boolean;
}

/** Some of the public states that are one public observation longer. */
export interface Children {
  state: number;
  start: number;
  total: number;
  children: StateLink[];
}

/** A public state. */
export interface State {
  state: number;
  path: StateLink[];
  choices: Children[];
  probability: number;
  num_histories: number;
  num_infostates: number[];
  actors: number[];
  num_children: number;
  values: number[] | null;
}

/** An action at an infostate. */
export interface Action {
  label: string;
  probability: number;
  value: number | null;
  regret: number | null;
}

/** What a player may hold at a public state, and what the policy does with it. */
export interface Infostate {
  infostate: number;
  label: string;
  own_reach: number;
  probability: number | null;
  value: number | null;
  actions: Action[];
  hand: string;
  equity: number | null;
}

/** Some of the infostates of a player at a public state, in the order of the rules. */
export interface Infostates {
  state: number;
  player: number;
  start: number;
  total: number;
  infostates: Infostate[];
  are_hands: boolean;
  frequencies: number[] | null;
}

/** A class of hands with equal ranks: `AA`, `AKs` (one suit) or `AKo` (two suits). */
export interface HandCell {
  label: string;
  num_hands: number;
  own_reach: number;
  probability: number | null;
  actions: number[];
}

/** The hands of a player at a public state: pairs on the diagonal, one suit above it. */
export interface HandGrid {
  state: number;
  player: number;
  action_labels: string[];
  cells: HandCell[][];
}

/** Joint probabilities of what two players hold at a public state. */
export interface Belief {
  state: number;
  players: [number, number];
  rows: string[];
  columns: string[];
  probability: number[][] | null;
  grouped: string;
}

/** What another player may hold. */
export interface Holding {
  label: string;
  probability: number;
}

/** What a player at a public state believes that another player holds. */
export interface PlayerBelief {
  state: number;
  player: number;
  infostate: number;
  other: number;
  entries: Holding[];
  rest: number;
}

/** A history. */
export interface History {
  history: number;
  moves: string[];
  infostates: number[];
  probability: number | null;
  values: number[];
  is_terminal: boolean;
}

/** Some of the histories of a public state. */
export interface Histories {
  state: number;
  start: number;
  total: number;
  histories: History[];
}

/** The leaks of a player at a public state, added up. */
export interface StateLeak {
  state: number;
  label: string;
  player: number;
  cost: number;
  num_infostates: number;
}

/** Some of the public states with leaks, largest cost first. */
export interface StateLeaks {
  start: number;
  total: number;
  nash_conv: number;
  states: StateLeak[];
}

/** An infostate where a player loses utility against a best response. */
export interface Leak {
  player: number;
  infostate: number;
  state: number;
  label: string;
  cost: number;
  loss: number;
  actions: string[];
  probabilities: number[];
  values: (number | null)[];
  best: number;
}

/** Some of the leaks, largest cost first. */
export interface Leaks {
  start: number;
  total: number;
  nash_conv: number;
  leaks: Leak[];
}

/** A policy from a public state on, solved again while all the rest is fixed. */
export interface Mend {
  state: number;
  policy: number | null;
  name: string;
  before: number | null;
  after: number | null;
}

/** An infostate where two policies differ. */
export interface Difference {
  player: number;
  infostate: number;
  state: number;
  label: string;
  reach: number;
  distance: number;
  gain: number;
  actions: string[];
  probabilities: [number[], number[]];
}

/** Some of the infostates where two policies differ, largest gain or loss first. */
export interface Differences {
  start: number;
  total: number;
  differences: Difference[];
}

/** The utilities if the first policy plays one position, and the second all others. */
export interface Position {
  player: number;
  values: number[];
}

/** An exact match of two policies. */
export interface Match {
  positions: Position[];
  mean: number;
}

/** A history of an extensive form. */
export interface FormHistory {
  history: number;
  label: string;
  actor: number | null;
  is_chance: boolean;
  is_end: boolean;
  infoset: string;
  probability: number;
  reach: number;
  values: number[];
  num_children: number;
}

/** A history with its path from the root, or some of its children. */
export interface FormHistories {
  history: number;
  start: number;
  total: number;
  histories: FormHistory[];
}

/** An acting infostate of a player. */
export interface FormInfostate {
  infostate: number;
  parent: number;
  label: string;
  action: string;
  own_reach: number;
  actions: Action[];
}

/** Some of a player's acting infostates, parents first. */
export interface FormInfostates {
  player: number;
  start: number;
  total: number;
  infostates: FormInfostate[];
}

/** A play of those that an explorer holds; the page names it by its number. */
export interface NumberedPlay {
  human: number;
  lines: string[];
  board: string | null;
  actions: string[];
  is_over: boolean;
  utility: number | null;
  play: number;
}

/** A decision of the human, and what it cost against a policy. */
export interface Decision {
  step: number;
  infostate: string;
  action: string;
  actions: string[];
  probabilities: number[];
  values: (number | null)[];
  loss: number | null;
}

/** What another player expected and did at a decision; see `Play.belief` for its belief. */
export interface Thought {
  step: number;
  player: number;
  infostate: string;
  action: string;
  actions: string[];
  probabilities: number[];
  values: (number | null)[] | null;
  num_worlds: number | null;
  seconds: number | null;
}

/** A play after its end. */
export interface Review {
  lines: string[];
  utilities: number[];
  decisions: Decision[];
  thoughts: Thought[];
}

/** An infostate of the human that another player considered possible. */
export interface BeliefEntry {
  label: string;
  probability: number;
  is_true: boolean;
}

/** What another player believed at one of its decisions. */
export interface OpponentBelief {
  thought: number;
  entries: BeliefEntry[];
  rest: number;
  num_drawn: number | null;
  error: string;
}

/** A measurement of a run, and its policy at the public state that is watched. */
export interface LivePoint {
  method: string;
  iteration: number;
  seconds: number;
  nash_conv: number;
  probabilities: Record<string, number[]>;
  hands: HandGrid[];
  outcome: string;
}

/** The arguments and the answer of each question. */
export interface Questions {
  game: { arguments: {}; answer: Game };
  state: { arguments: { policy: number; state: number }; answer: State };
  children: { arguments: { policy: number; state: number; start?: number }; answer: Children };
  infostates: { arguments: { policy: number; state: number; player: number; start?: number }; answer: Infostates };
  hands: { arguments: { policy: number; state: number; player: number }; answer: HandGrid };
  beliefs: { arguments: { policy: number; state: number; row: number; column: number }; answer: Belief };
  player_belief: { arguments: { policy: number; state: number; player: number; infostate: number; other: number }; answer: PlayerBelief };
  histories: { arguments: { policy: number; state: number; start?: number }; answer: Histories };
  state_leaks: { arguments: { policy: number; start?: number }; answer: StateLeaks };
  leaks: { arguments: { policy: number; start?: number }; answer: Leaks };
  mend: { arguments: { policy: number; state: number }; answer: Mend };
  differences: { arguments: { first: number; second: number; start?: number }; answer: Differences };
  match: { arguments: { first: number; second: number }; answer: Match };
  form_history: { arguments: { policy: number; history: number }; answer: FormHistories };
  form_children: { arguments: { policy: number; history: number; start?: number }; answer: FormHistories };
  form_infostates: { arguments: { policy: number; player: number; start?: number }; answer: FormInfostates };
  play: { arguments: { opponent: number; player: number; seed: number }; answer: NumberedPlay };
  act: { arguments: { play: number; action: number }; answer: NumberedPlay };
  again: { arguments: { play: number; step: number; seed: number }; answer: NumberedPlay };
  review: { arguments: { play: number; policy?: number }; answer: Review };
  opponent_belief: { arguments: { play: number; thought: number }; answer: OpponentBelief };
}
