// What the Python side puts into the page (contents.py), as types.

export interface Contents {
  title: string;
  version: string;
  origin: string;
  summary: Summary;
  features: FeatureContents[]; // the most important one first
  model: PackedModel;
  ledger: Ledger | null;
  sample: (number | null)[][] | null;
}

export interface Summary {
  link: "identity" | "logit";
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
  performance: Record<string, number>;
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
  intercept: number;
  link: "identity" | "logit";
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
}

export interface PackedTerm {
  tree: PackedTree;
  edges: string; // base64 of little-endian float64
  values: string[]; // float64
  spreads: string[]; // float32
  counts: string[]; // float32
}

export interface PackedTree {
  condition?: {
    feature: string;
    operator: "<=" | ">" | "=" | "!=";
    value: number | string | string[]; // infinities come by name
    missing: boolean;
    bounds?: [number | string, number | string];
  };
  left?: PackedTree;
  right?: PackedTree;
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
