// The answers of the library's package `views`, field by field.

export interface PolicyAbout {
  name: string;
  values: number[];
  nash_conv: number;
  exploitability: number | null;
}

export interface About {
  game: string;
  kind: "tree" | "public" | "form" | "rules";
  num_players: number;
  sizes: Record<string, number>;
  policies: PolicyAbout[];
  opponents: string[];
  methods: { name: string; kind: string; about: string }[];
  terms: Record<string, string>;
  saved?: boolean;
}

export interface StateLink {
  state: number;
  label: string;
  probability: number;
  num_children: number;
  num_infostates: number[];
  actors: number[];
  is_end: boolean;
}

export interface Children {
  state: number;
  start: number;
  total: number;
  children: StateLink[];
}

export interface StateAbout {
  state: number;
  path: StateLink[];
  probability: number;
  num_histories: number;
  num_infostates: number[];
  actors: number[];
  num_children: number;
  values: number[] | null;
}

export interface Action {
  label: string;
  probability: number;
  value: number | null;
  regret: number | null;
}

export interface Infostate {
  infostate: number;
  label: string;
  own_reach: number;
  probability: number | null;
  value: number | null;
  actions: Action[];
  equity: number | null;
}

export interface Infostates {
  start: number;
  total: number;
  infostates: Infostate[];
  are_hands: boolean;
}

export interface HandCell {
  label: string;
  num_hands: number;
  own_reach: number;
  probability: number | null;
  actions: number[];
}

export interface HandGrid {
  action_labels: string[];
  cells: HandCell[][];
}

export interface Match {
  positions: { player: number; values: number[] }[];
  mean: number;
}

export interface Beliefs {
  rows: string[];
  columns: string[];
  probability: number[][] | null;
  grouped: string;
}

export interface HistoryEntry {
  history: number;
  moves: string[];
  probability: number | null;
  values: number[];
  is_terminal: boolean;
}

export interface Histories {
  start: number;
  total: number;
  histories: HistoryEntry[];
}

export interface Difference {
  player: number;
  infostate: number;
  state: number;
  label: string;
  reach: number;
  distance: number;
  actions: string[];
  probabilities: [number[], number[]];
}

export interface Differences {
  start: number;
  total: number;
  differences: Difference[];
}

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

export interface FormHistories {
  start: number;
  total: number;
  histories: FormHistory[];
}

export interface FormInfostates {
  start: number;
  total: number;
  infostates: {
    infostate: number;
    parent: number;
    label: string;
    action: string;
    own_reach: number;
    actions: Action[];
  }[];
}

export interface PlayState {
  play: number;
  human: number;
  lines: string[];
  board: string | null;
  actions: string[];
  is_over: boolean;
  utility: number | null;
}

export interface Decision {
  step: number;
  infostate: string;
  action: string;
  actions: string[];
  probabilities: number[];
  values: (number | null)[];
  loss: number | null;
}

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

export interface OpponentBelief {
  entries: { label: string; probability: number; is_true: boolean }[];
  error: string;
}

export interface Review {
  lines: string[];
  utilities: number[];
  decisions: Decision[];
  thoughts: Thought[];
}

export interface Point {
  method: string;
  iteration: number;
  seconds: number;
  nash_conv: number;
  probabilities: Record<string, number[]>;
  outcome: string;
}
