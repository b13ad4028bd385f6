// What the Python side puts into the page (contents.py), as types.

export interface Contents {
  title: string;
  version: string;
  origin: string;
  range: string[]; // of the score: sentences
  summary: Summary;
  features: FeatureContents[]; // the most important one first
  model: PackedModel;
  classes: ClassContents[]; // of a softmax model, one per class; else none
  ledger: Ledger | null;
  trail: EditRecord[];
  measures: Measures | null; // on given rows
  filed: Filed;
  sample: (number | null)[][] | null;
}

/** What a class of many has of its own. */
export interface ClassContents {
  intercept: number;
  values: string[][]; // by term and leaf: float64
  spreads: string[][]; // float32
  features: FeatureContents[];
}

export interface Summary {
  link: "identity" | "logit" | "log" | "softmax";
  classes: (string | number | boolean)[];
  n_rows: number;
  n_features: number;
  n_splits: number;
  n_curves: number;
  n_pairs: number;
  metric: string;
  gam: number | null;
  calm: number | null;
  reference: number | null;
  standing: number | null;
  objective: string;
}

/** What identifies the model and its fit: names and texts. */
export interface Filed {
  facts: [string, string][];
  parameters: [string, string][];
  constraints: string[];
}

export interface Measures {
  origin: string;
  is_training: boolean;
  is_weighted: boolean;
  is_rate: boolean;
  n_rows: number;
  performance: Record<string, number>;
  outputs: MeasuredOutput[]; // one, or one per class of many
  residuals: Residuals | null; // of numbers
  confusion: Confusion | null; // of classes
  correlations: Correlations;
  coverage: Coverage[]; // all rows, then regions; empty if not measured
}

export interface MeasuredOutput {
  calibration: CalibrationGroup[];
  roc: Roc | null;
  slices: Slices[];
}

export interface Roc {
  label: string | number | boolean;
  area: number | null;
  n_rows: number;
  positive: number;
  negative: number;
  thresholds: number[];
  true_positive: number[];
  false_positive: number[];
}

export interface Confusion {
  classes: (string | number | boolean)[];
  table: number[][]; // a line per true class
}

export interface Residuals {
  mean: number;
  quantiles: [number, number][];
  groups: ResidualGroup[];
}

export interface ResidualGroup {
  n_rows: number;
  predicted: number;
  mean: number;
  low: number;
  median: number;
  high: number;
}

export interface Slices {
  by: string;
  error_name: string;
  level: number | null;
  slices: {
    values: string;
    n_rows: number;
    observed: number;
    predicted: number;
    error: number;
  }[];
}

export interface Correlations {
  threshold: number;
  n_rows: number;
  features: string[];
  pairs: { first: string; second: string; correlation: number }[];
}

/** Rows with similar predictions. */
export interface CalibrationGroup {
  n_rows: number;
  share: number;
  predicted: number;
  observed: number;
}

export interface Point {
  position: number; // among the labels
  value: number;
  spread: number;
  n_rows: number;
}

export interface Region {
  rule: string;
  n_rows: number;
  share: number;
  importance: number;
  points: Point[];
  density: number[];
}

export interface Jump {
  threshold: number | null;
  levels: string[];
  arrow: "↑" | "↓" | "↕" | "=";
  sentence: string;
}

export interface FeatureContents {
  index: number;
  name: string;
  title: string;
  kind: "numeric" | "boolean" | "categorical";
  link: string;
  conditioned_on: string[];
  importance: number;
  regions: Region[];
  display_edges: number[];
  labels: string[];
  n_levels: number;
  log_from: number | null;
  jumps: Jump[];
  partition: { depth: number; rule: string; leaf: number | null }[];
  direction: "increasing" | "decreasing" | "constant" | "neither" | "unordered";
  verdict: string;
  evidence: string[];
  move: string;
}

export interface PackedModel {
  intercept: number; // of a softmax model in the classes
  link: "identity" | "logit" | "log" | "softmax";
  classes: (string | number | boolean)[];
  features: PackedFeature[];
  terms: PackedTerm[];
}

export interface PackedFeature {
  name: string;
  kind: "numeric" | "boolean" | "categorical";
  levels: string[];
  has_missing: boolean;
  has_rare: boolean;
  low: number | null;
  high: number | null;
  whole: boolean; // training saw whole numbers only
  ordered: boolean;
  two_valued?: boolean; // training saw `low` and `high` only
}

/** A lookup of the program (read/export/program.py), with spreads and counts of its curves. */
export interface PackedTerm {
  branches: PackedBranch[]; // the root first
  edges: string; // base64 of little-endian float64
  values: string[]; // float64
  spreads: string[]; // float32
  counts: string[]; // float32
}

/** A test of one value, low < value <= high for one of the intervals, or a leaf. */
export interface PackedBranch {
  input: number;
  inside: [number | string, number | string][]; // infinities come by name
  missing: boolean;
  yes: number;
  no: number;
  leaf?: number;
}

export interface Split {
  feature: string;
  region: string;
  condition: string;
  accepted: boolean;
  reason: string;
  drop: number | null;
  n_rows: number;
  n_left: number;
  n_right: number;
}

export interface PathPoint {
  n_splits: number;
  error: number;
  standard_error: number;
  chosen: boolean;
}

export interface Ledger {
  splits: Split[];
  path: PathPoint[];
}

export interface EditRecord {
  date: string;
  what: string;
  who: string;
  why: string;
  effect: {
    largest_change: number;
    exact: boolean;
    metric: string;
    loss_before: number | null;
    loss_after: number | null;
    n_rows: number;
  };
}

export interface Coverage {
  feature: string;
  rule: string;
  n_rows: number;
  coverage: number;
  width: number;
}
