// A model as one ES module without dependencies; see the tables at its top.
//
// A row is an object: a value for every column by its name; null, undefined and NaN are missing.

// tables

// code

/** The row's values as numbers: labels by their codes; missing: null. */
export function encode(row) {
  return INPUTS.map((column) => code(column, row[column.name]));
}

/** What every column adds to the score, in the order of the columns, one number per output. */
export function contributions(row) {
  const values = encode(row);
  return LOOKUPS.map((lookup) => lookup.values[leafOf(lookup, values)][slotOf(lookup, values)]);
}

/** Intercept + offset + contributions; of several classes an array. */
export function score(row, offset = 0) {
  const parts = contributions(row);
  const scores = INTERCEPTS.map((intercept, k) =>
    parts.reduce((sum, part) => sum + part[k], intercept + offset),
  );
  return scores.length > 1 ? scores : scores[0];
}

/** The mean, the probability of the second class, or of every class. */
export function predict(row, offset = 0) {
  const value = score(row, offset);
  if (LINK === "logit") return 1 / (1 + Math.exp(-value));
  if (LINK === "log") return Math.exp(value);
  if (LINK !== "softmax") return value;
  const highest = Math.max(...value);
  const weights = value.map((one) => Math.exp(one - highest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The most probable class. */
export function classify(row, offset = 0) {
  const value = score(row, offset);
  return CLASSES[LINK === "softmax" ? value.indexOf(Math.max(...value)) : Number(value > 0)];
}

/** The largest contributions: column, contribution, and the rule that chose its curve.
 *
 * Of several classes they are those to the most probable class minus those to the next one. */
export function reasons(row, n = 4) {
  const values = encode(row);
  const [first, second] = pairOf(row);
  return LOOKUPS.map((lookup) => {
    const leaf = leafOf(lookup, values);
    const added = lookup.values[leaf][slotOf(lookup, values)];
    const contribution = added.length > 1 ? added[first] - added[second] : added[0];
    return { column: INPUTS[lookup.input].name, contribution, rule: lookup.rules[leaf] };
  })
    .filter(({ contribution }) => contribution !== 0)
    .sort((one, other) => Math.abs(other.contribution) - Math.abs(one.contribution))
    .slice(0, n);
}

function pairOf(row) {
  if (INTERCEPTS.length === 1) return [0, 0];
  const scores = score(row);
  return scores.map((_, k) => k).sort((one, other) => scores[other] - scores[one]);
}

function leafOf(lookup, values) {
  let branch = lookup.branches[0];
  while (branch.leaf === undefined) {
    const value = values[branch.input];
    const holds =
      value === null
        ? branch.missing
        : branch.inside.some(([low, high]) => low < value && value <= high);
    branch = lookup.branches[holds ? branch.yes : branch.no];
  }
  return branch.leaf;
}

function slotOf(lookup, values) {
  const value = values[lookup.input];
  if (value === null) return lookup.edges.length + 1;
  let low = 0;
  let high = lookup.edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lookup.edges[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function code(column, value) {
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  if (column.kind === "numeric") {
    const number = Number(value);
    if (!Number.isFinite(number))
      throw new RangeError(`column ${JSON.stringify(column.name)} must be finite or missing; got ${value}`);
    return number;
  }
  const text = typeof value === "boolean" ? (value ? "True" : "False") : String(value);
  const known = column.labels.indexOf(text);
  if (known >= 0) return known;
  const isNumber = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text);
  const pair = isNumber && column.numbers.find(([number]) => number === Number(text));
  return pair ? pair[1] : column.labels.length;
}
