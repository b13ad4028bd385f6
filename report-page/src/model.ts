// The model itself, running in the page: the program that all exports print (read/export/program.py),
// added up in the same order, so that scores agree to the last bit.
//
// A row holds one number per feature: the value, or the code of the level (levels.length: a level
// that training did not see); null is missing.

import type { Contents, PackedBranch, PackedFeature, PackedModel, PackedTerm } from "./contents";

export type Value = number | null;
export type Row = readonly Value[];
type Branch = Omit<PackedBranch, "inside"> & { inside: number[][] };

export class Term {
  readonly edges: Float64Array;
  readonly values: Float64Array[];
  readonly spreads: Float32Array[];
  readonly counts: Float32Array[];
  private readonly branches: Branch[];

  constructor(
    readonly feature: PackedFeature,
    readonly index: number,
    packed: PackedTerm,
  ) {
    this.edges = new Float64Array(bytes(packed.edges));
    this.values = packed.values.map((text) => new Float64Array(bytes(text)));
    this.spreads = packed.spreads.map((text) => new Float32Array(bytes(text)));
    this.counts = packed.counts.map((text) => new Float32Array(bytes(text)));
    this.branches = packed.branches.map((branch) => ({
      ...branch,
      inside: (branch.inside ?? []).map((ends) => ends.map(readNumber)),
    }));
  }

  /** Bins or levels (with the unseen one), then missing. */
  slotOf(value: Value): number {
    if (value === null) return this.values[0].length - 1;
    return countBelow(this.edges, value);
  }

  leafOf(row: Row): number {
    let branch = this.branches[0];
    while (branch.leaf === undefined) {
      const value = row[branch.input];
      const holds =
        value === null
          ? branch.missing
          : branch.inside.some(([low, high]) => low < value && value <= high);
      branch = this.branches[holds ? branch.yes : branch.no];
    }
    return branch.leaf;
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
    this.terms = packed.terms.map((term, index) => new Term(features[index], index, term));
  }

  contributions(row: Row): number[] {
    return this.terms.map((term) => term.contribution(row));
  }

  score(row: Row): number {
    return this.contributions(row).reduce((sum, part) => sum + part, this.intercept);
  }

  /** The score itself, its exponential, or the probability of the second class. */
  predict(score: number): number {
    if (this.packed.link === "log") return Math.exp(score);
    if (this.packed.link !== "logit") return score;
    return score >= 0 ? 1 / (1 + Math.exp(-score)) : Math.exp(score) / (1 + Math.exp(score));
  }
}

/** The models of all classes: one if there are no more than two, else a score for each. */
export function modelsOf({ model, classes }: Contents): Model[] {
  if (classes.length === 0) return [new Model(model)];
  return classes.map(
    ({ intercept, values, spreads }) =>
      new Model({
        ...model,
        intercept,
        terms: model.terms.map((term, k) => ({ ...term, values: values[k], spreads: spreads[k] })),
      }),
  );
}

/** The probability of every class, given all scores. */
export function softmax(scores: number[]): number[] {
  const highest = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - highest));
  const total = odds.reduce((sum, one) => sum + one, 0);
  return odds.map((one) => one / total);
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

function readNumber(value: number | string): number {
  if (typeof value === "number") return value;
  return value === "inf" ? Infinity : -Infinity;
}

function bytes(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)).buffer;
}
