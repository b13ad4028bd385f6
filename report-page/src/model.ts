// The model itself, running in the page: the same slots, regions and order of addition as in
// Python, so that scores agree to the last bit.
//
// A row holds one number per feature: the value, or the code of the level (levels.length: a level
// that training did not see); null is missing.

import type { PackedFeature, PackedModel, PackedTerm, PackedTree } from "./contents";

export type Value = number | null;
export type Row = readonly Value[];
type Leaf = { leaf: number };
type Split = { feature: number; holds: (value: Value) => boolean; left: Node; right: Node };
type Node = Leaf | Split;

export class Term {
  readonly edges: Float64Array;
  readonly values: Float64Array[];
  readonly spreads: Float32Array[];
  readonly counts: Float32Array[];
  private readonly root: Node;

  constructor(
    readonly feature: PackedFeature,
    readonly index: number,
    packed: PackedTerm,
    features: PackedFeature[],
  ) {
    this.edges = new Float64Array(bytes(packed.edges));
    this.values = packed.values.map((text) => new Float64Array(bytes(text)));
    this.spreads = packed.spreads.map((text) => new Float32Array(bytes(text)));
    this.counts = packed.counts.map((text) => new Float32Array(bytes(text)));
    this.root = readTree(packed.tree, features, { n: 0 });
  }

  /** Bins or levels (with the unseen one), then missing. */
  slotOf(value: Value): number {
    if (value === null) return this.values[0].length - 1;
    return this.feature.kind === "numeric" ? countBelow(this.edges, value) : value;
  }

  leafOf(row: Row): number {
    let node = this.root;
    while ("holds" in node) node = node.holds(row[node.feature]) ? node.left : node.right;
    return node.leaf;
  }

  contribution(row: Row): number {
    return this.values[this.leafOf(row)][this.slotOf(row[this.index])];
  }

  /** Training rows per slot, all regions together. */
  totalCounts(): number[] {
    return Array.from(this.counts[0], (_, slot) =>
      this.counts.reduce((sum, c) => sum + c[slot], 0),
    );
  }
}

export class Model {
  readonly terms: Term[];
  readonly intercept: number;

  constructor(readonly packed: PackedModel) {
    const { features } = packed;
    this.intercept = packed.intercept;
    this.terms = packed.terms.map(
      (term, index) => new Term(features[index], index, term, features),
    );
  }

  contributions(row: Row): number[] {
    return this.terms.map((term) => term.contribution(row));
  }

  score(row: Row): number {
    return this.contributions(row).reduce((sum, part) => sum + part, this.intercept);
  }

  /** The score itself, or the probability of the second class. */
  predict(score: number): number {
    if (this.packed.link === "identity") return score;
    return score >= 0 ? 1 / (1 + Math.exp(-score)) : Math.exp(score) / (1 + Math.exp(score));
  }
}

/** The number of sorted edges below a value: its bin. */
export function countBelow(edges: Float64Array, value: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readTree(tree: PackedTree, features: PackedFeature[], leaves: { n: number }): Node {
  const { condition, left, right } = tree;
  if (!condition || !left || !right) return { leaf: leaves.n++ };
  const feature = features.findIndex(({ name }) => name === condition.feature);
  const inside = insideOf(condition, features[feature]);
  const isNegative = condition.operator === ">" || condition.operator === "!=";
  return {
    feature,
    holds: (value) => (value === null ? condition.missing : inside(value) !== isNegative),
    left: readTree(left, features, leaves),
    right: readTree(right, features, leaves),
  };
}

/** The condition without its negation and without missing values. */
function insideOf(
  { operator, value, bounds }: NonNullable<PackedTree["condition"]>,
  feature: PackedFeature,
): (value: number) => boolean {
  if (Array.isArray(value)) {
    const codes = new Set(value.map((label) => feature.levels.indexOf(label)));
    return (code) => codes.has(code);
  }
  if (operator === "<=" || operator === ">") {
    const threshold = readNumber(value);
    return (number) => number <= threshold;
  }
  const [low, high] = (bounds ?? ["-inf", "inf"]).map(readNumber);
  return (number) => number > low && number <= high;
}

function readNumber(value: number | string): number {
  if (typeof value === "number") return value;
  return value === "inf" ? Infinity : -Infinity;
}

function bytes(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)).buffer;
}
