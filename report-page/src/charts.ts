// Charts of one feature and of the cross-validation path, drawn by Observable Plot. Colours are
// CSS variables, so that light, dark and print are a matter of the style sheet alone.

import * as Plot from "@observablehq/plot";
import type { FeatureContents, Jump, PathPoint } from "./contents";
import { brief, cut, tick } from "./format";
import type { Term } from "./model";

/** A slot of the curves and the part of the drawing that stands for it. */
export interface Target {
  slot: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Size {
  width: number;
  height: number; // of the part with the curves; levels take what they need
}

export interface Drawing {
  node: HTMLElement;
  targets: Target[];
}

interface Step {
  x: number;
  value: number;
  spread: number;
}

const N_COLOURS = 7;
const DASHES = ["", "6 2", "2 2"];
const TOP = 40; // the axis label, below it the jumps' arrows
const STRIP = 62;
const MARGIN_LEFT = 56;
const MISSING_WIDTH = 76;
const MAX_LEVELS = 24;
const FONT = { fontSize: "12px", fontFamily: "inherit", overflow: "visible" };

export function regionColour(region: number): string {
  return `var(--region-${region % N_COLOURS})`;
}

export function regionDashes(region: number): string {
  return DASHES[Math.floor(region / N_COLOURS) % DASHES.length];
}

export function contributionLabel(feature: FeatureContents): string {
  return feature.link === "logit" ? "contribution (log-odds)" : "contribution";
}

/** One jump per place: the joint one, which comes last, if several terms switch there. */
export function drawnJumps(feature: FeatureContents): Jump[] {
  const byPlace = new Map(feature.jumps.map((jump) => [`${jump.threshold} ${jump.levels}`, jump]));
  return [...byPlace.values()].filter((jump) => jump.arrow !== "=");
}

export function drawFeature(
  feature: FeatureContents,
  term: Term,
  visible: boolean[],
  size: Size,
  allLevels: boolean,
): Drawing {
  if (feature.labels.length === 0 && feature.display_edges.length === 0) {
    const node = document.createElement("p");
    node.textContent = "No training rows.";
    return { node, targets: [] };
  }
  return feature.kind === "numeric"
    ? drawCurves(feature, term, visible, size)
    : drawLevels(feature, term, visible, size.width, allLevels);
}

export function hiddenLevels(feature: FeatureContents): number {
  return Math.max(0, feature.labels.length - MAX_LEVELS);
}

function drawCurves(
  feature: FeatureContents,
  term: Term,
  visible: boolean[],
  { width, height }: Size,
): Drawing {
  const node = document.createElement("div");
  const hasMissing = feature.labels.length > 0;
  const mainWidth = hasMissing ? width - MISSING_WIDTH : width;
  const edges = feature.display_edges;
  const y = { domain: limits(feature, term), label: contributionLabel(feature), grid: true };
  const targets: Target[] = [];
  if (edges.length > 1) {
    const x = xScale(feature, term);
    const frame = { width: mainWidth, marginLeft: MARGIN_LEFT, marginRight: 14, style: FONT };
    const main = Plot.plot({
      ...frame,
      height,
      marginBottom: 6,
      marginTop: TOP,
      x: { ...x, axis: null },
      y: { ...y, tickFormat: tick, ticks: 6 },
      marks: [
        Plot.ruleY([0], { stroke: "var(--zero)" }),
        ...shown(feature, visible).flatMap((region) => curveMarks(region, drawnSteps(feature, term, region))),
        ...drawnJumps(feature).flatMap((jump) => jumpMarks(jump.threshold ?? 0, jump.arrow)),
      ],
    });
    const strip = Plot.plot({
      ...frame,
      height: STRIP,
      marginTop: 2,
      marginBottom: 36,
      x: { ...x, label: feature.name, labelAnchor: "center", labelArrow: "none" },
      y: { axis: null },
      marks: [
        Plot.rectY(
          shown(feature, visible).flatMap((region) =>
            feature.regions[region].density.map((rows, bin) => ({
              x1: edges[bin],
              x2: edges[bin + 1],
              rows,
              region,
            })),
          ),
          { x1: "x1", x2: "x2", y: "rows", fill: (d) => regionColour(d.region), fillOpacity: 0.55, inset: 0 },
        ),
      ],
    });
    node.append(main, strip);
    const apply = main.scale("x")!.apply;
    const bins = binEdges(feature, term);
    for (let slot = 0; slot + 1 < bins.length; slot++) {
      const left = apply(bins[slot]);
      targets.push({ slot, left, top: TOP, width: apply(bins[slot + 1]) - left, height: height + STRIP - TOP - 36 });
    }
  }
  if (hasMissing) {
    const slot = term.values[0].length - 1;
    const missing = Plot.plot({
      width: MISSING_WIDTH,
      height,
      marginLeft: 8,
      marginRight: 8,
      marginTop: TOP,
      marginBottom: 6,
      style: FONT,
      x: { type: "band", domain: ["missing"], axis: "top", label: null, tickSize: 0 },
      y: { ...y, axis: null },
      marks: [
        Plot.frame({ fill: "var(--panel)", stroke: null }),
        Plot.ruleY([0], { stroke: "var(--zero)" }),
        ...shown(feature, visible).flatMap((region, k, all) =>
          pointMarks(feature, region, "y", () => "missing", 9 * (k - (all.length - 1) / 2)),
        ),
      ],
    });
    missing.classList.add("missing");
    node.append(missing);
    targets.push({ slot, left: mainWidth + 8, top: TOP, width: MISSING_WIDTH - 16, height: height - TOP - 6 });
  }
  node.className = "curves";
  node.style.gridTemplateColumns = hasMissing ? `${mainWidth}fr ${MISSING_WIDTH}fr` : "1fr";
  return { node, targets };
}

function drawLevels(
  feature: FeatureContents,
  term: Term,
  visible: boolean[],
  width: number,
  allLevels: boolean,
): Drawing {
  const positions = shownPositions(feature, allLevels);
  const regions = shown(feature, visible);
  const rowHeight = Math.max(22, 9 * regions.length + 8);
  const marginTop = 24;
  const marginBottom = 40;
  const height = positions.length * rowHeight + marginTop + marginBottom;
  const isNarrow = width < 560;
  const rowsWidth = isNarrow ? 64 : 120;
  const longest = Math.max(...positions.map((p) => feature.labels[p].length));
  const labelLength = Math.min(longest, isNarrow ? 14 : 28);
  const marginLeft = 18 + 7 * labelLength;
  const y = { type: "band" as const, domain: positions, padding: 0, label: null };
  const main = Plot.plot({
    width: width - rowsWidth,
    height,
    marginLeft,
    marginRight: 22,
    marginTop,
    marginBottom,
    style: FONT,
    x: {
      domain: limits(feature, term),
      label: contributionLabel(feature),
      labelAnchor: "center",
      labelArrow: "none",
      grid: true,
      tickFormat: tick,
      ticks: isNarrow ? 3 : 6,
    },
    y: { ...y, tickFormat: (p: number) => cut(feature.labels[p], labelLength), tickSize: 0 },
    marks: [
      Plot.ruleX([0], { stroke: "var(--zero)" }),
      Plot.ruleY(jumpLevels(feature, positions), { y: "position", stroke: "var(--ink)", strokeDasharray: "1 3" }),
      ...regions.flatMap((region, k) =>
        pointMarks(feature, region, "x", (p) => p, 9 * (k - (regions.length - 1) / 2), positions),
      ),
      Plot.text(jumpLevels(feature, positions), {
        y: "position",
        text: "arrow",
        frameAnchor: "right",
        dx: 16,
        fill: "var(--ink)",
        fontSize: 14,
      }),
    ],
  });
  const rows = Plot.plot({
    width: rowsWidth,
    height,
    marginLeft: 2,
    marginRight: 8,
    marginTop,
    marginBottom,
    style: FONT,
    x: { axis: null },
    y: { ...y, axis: null },
    marks: [
      Plot.barX(
        regions.flatMap((region) =>
          feature.regions[region].points
            .filter((point) => positions.includes(point.position))
            .map((point) => ({ ...point, region })),
        ),
        {
          x: "n_rows",
          y: "position",
          fill: (d) => regionColour(d.region),
          fillOpacity: 0.55,
          insetTop: rowHeight / 4,
          insetBottom: rowHeight / 4,
        },
      ),
      Plot.text(["rows"], { frameAnchor: "bottom", dy: 34, lineAnchor: "bottom", fill: "currentColor" }),
    ],
  });
  const node = document.createElement("div");
  node.className = "levels";
  node.style.gridTemplateColumns = `${width - rowsWidth}fr ${rowsWidth}fr`;
  node.append(main, rows);
  const targets = positions.map((position, k) => ({
    slot: slotOfPosition(feature, term, position),
    left: 0,
    top: marginTop + k * rowHeight,
    width,
    height: rowHeight,
  }));
  return { node, targets };
}

/** The error after every number of splits, with its standard error; the chosen one stands out. */
export function drawPath(path: PathPoint[], metric: string, width: number): Element {
  return Plot.plot({
    width,
    height: 220,
    marginLeft: MARGIN_LEFT,
    marginBottom: 40,
    style: FONT,
    x: { label: "number of splits", labelAnchor: "center", labelArrow: "none", ticks: 5, tickFormat: tick, inset: 6 },
    y: { label: `cross-validated ${metric}`, grid: true, tickFormat: tick, ticks: 5, insetBottom: 20 },
    marks: [
      Plot.ruleX(path, {
        x: "n_splits",
        y1: (p) => p.error - p.standard_error,
        y2: (p) => p.error + p.standard_error,
        stroke: "var(--region-0)",
        strokeOpacity: 0.4,
        strokeWidth: 2,
      }),
      Plot.line(path, { x: "n_splits", y: "error", stroke: "var(--region-0)" }),
      Plot.dot(path, {
        x: "n_splits",
        y: "error",
        r: (p) => (p.chosen ? 6 : 3),
        fill: (p) => (p.chosen ? "var(--region-1)" : "var(--region-0)"),
        title: (p) => `${p.n_splits} splits: ${brief(p.error, 4)} ± ${brief(p.standard_error, 2)}`,
      }),
      Plot.text(path.filter((p) => p.chosen), {
        x: "n_splits",
        y: "error",
        text: () => "chosen",
        dy: 15,
        fill: "var(--ink)",
      }),
    ],
    r: { type: "identity" },
    color: { type: "identity" },
  });
}

function shown(feature: FeatureContents, visible: boolean[]): number[] {
  return feature.regions.map((_, region) => region).filter((region) => visible[region]);
}

/** Edges of the bins, the outer ones at the ends of the training range. */
export function binEdges(feature: FeatureContents, term: Term): number[] {
  const { display_edges: shownEdges } = feature;
  return [shownEdges[0], ...term.edges, shownEdges[shownEdges.length - 1]];
}

/** A region's bins from the first to the last one with training rows. */
export function filledBins(term: Term, region: number): [number, number] {
  const counts = term.counts[region].subarray(0, term.edges.length + 1);
  const first = counts.findIndex((rows) => rows > 0);
  let end = counts.length;
  while (end > 0 && !(counts[end - 1] > 0)) end--;
  return first < 0 ? [0, 0] : [first, end];
}

function drawnSteps(feature: FeatureContents, term: Term, region: number): Step[] {
  const [first, end] = filledBins(term, region);
  if (first === end) return [];
  const edges = binEdges(feature, term);
  const step = (edge: number, slot: number) => ({
    x: edges[edge],
    value: term.values[region][slot],
    spread: term.spreads[region][slot],
  });
  const steps = Array.from({ length: end - first }, (_, k) => step(first + k, first + k));
  return [...steps, step(end, end - 1)];
}

function curveMarks(region: number, steps: Step[]): Plot.Markish[] {
  const colour = regionColour(region);
  return [
    Plot.areaY(steps, {
      x: "x",
      y1: (s: Step) => s.value - s.spread,
      y2: (s: Step) => s.value + s.spread,
      curve: "step-after",
      fill: colour,
      fillOpacity: 0.16,
      clip: true,
    }),
    Plot.line(steps, {
      x: "x",
      y: "value",
      curve: "step-after",
      stroke: colour,
      strokeWidth: 1.8,
      strokeDasharray: regionDashes(region),
      clip: true,
    }),
  ];
}

function jumpMarks(threshold: number, arrow: string): Plot.Markish[] {
  return [
    Plot.ruleX([threshold], { stroke: "var(--ink)", strokeDasharray: "1 3" }),
    Plot.text([threshold], { x: (t) => t, text: () => arrow, frameAnchor: "top", dy: -14, fontSize: 14 }),
  ];
}

/** Values of levels (or missing) with their spread; regions lie side by side. */
function pointMarks(
  feature: FeatureContents,
  region: number,
  along: "x" | "y",
  place: (position: number) => number | string,
  offset: number,
  positions?: number[],
): Plot.Markish[] {
  const points = feature.regions[region].points
    .filter((point) => !positions || positions.includes(point.position))
    .map((point) => ({
      place: place(point.position),
      value: point.value,
      low: point.value - point.spread,
      high: point.value + point.spread,
    }));
  const colour = regionColour(region);
  const line = { stroke: colour, strokeOpacity: 0.45, strokeWidth: 4, clip: true as const };
  const symbol = regionDashes(region) ? ("diamond" as const) : ("circle" as const);
  const dot = { fill: colour, r: 3.5, symbol };
  return along === "x"
    ? [
        Plot.ruleY(points, { y: "place", x1: "low", x2: "high", dy: offset, ...line }),
        Plot.dot(points, { y: "place", x: "value", dy: offset, ...dot }),
      ]
    : [
        Plot.ruleX(points, { x: "place", y1: "low", y2: "high", dx: offset, ...line }),
        Plot.dot(points, { x: "place", y: "value", dx: offset, ...dot }),
      ];
}

/** All values with some margin, and bands as far as they do not dwarf the values. */
function limits(feature: FeatureContents, term: Term): [number, number] {
  const points = feature.regions.flatMap((region, k) => [
    ...region.points,
    ...(feature.display_edges.length > 1 ? drawnSteps(feature, term, k) : []),
  ]);
  if (!points.length) return [-1, 1];
  const lowest = (part: (p: { value: number; spread: number }) => number) =>
    points.reduce((low, point) => Math.min(low, part(point)), Infinity);
  const low = lowest((p) => p.value);
  const high = -lowest((p) => -p.value);
  const size = high - low || Math.abs(high) || 1;
  const bandLow = lowest((p) => p.value - p.spread);
  const bandHigh = -lowest((p) => -p.value - p.spread);
  return [
    Math.min(0, Math.max(bandLow, low - 0.25 * size) - 0.05 * size),
    Math.max(0, Math.min(bandHigh, high + 0.25 * size) + 0.05 * size),
  ];
}

function xScale(feature: FeatureContents, term: Term): Plot.ScaleOptions {
  const edges = feature.display_edges;
  const [low, high] = [edges[0], edges[edges.length - 1]];
  const domain = low < high ? [low, high] : [low - 0.5, high + 0.5];
  if (feature.log_from === null) {
    const hasWholeBins = Number.isInteger(low) && Number.isInteger(high) && term.edges.length <= high - low;
    const ticks = hasWholeBins && high - low <= 8 ? wholeNumbers(low, high) : 7;
    return { type: "linear", domain, ticks, tickFormat: tick };
  }
  const ticks = low <= 0 ? [0] : [];
  for (let power = Math.ceil(Math.log10(feature.log_from)); 10 ** power <= high; power++) {
    ticks.push(10 ** power);
  }
  return { type: "symlog", constant: feature.log_from, domain, ticks, tickFormat: tick };
}

function wholeNumbers(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, k) => low + k);
}

/** The most frequent labels, in their order, or all of them. */
function shownPositions(feature: FeatureContents, allLevels: boolean): number[] {
  const rows = feature.labels.map(() => 0);
  for (const { points } of feature.regions) for (const p of points) rows[p.position] += p.n_rows;
  const positions = rows.map((_, position) => position);
  if (allLevels) return positions;
  return positions
    .sort((a, b) => rows[b] - rows[a])
    .slice(0, MAX_LEVELS)
    .sort((a, b) => a - b);
}

function jumpLevels(feature: FeatureContents, positions: number[]) {
  return drawnJumps(feature).flatMap(({ levels, arrow }) =>
    levels
      .map((level) => ({ position: feature.labels.indexOf(level), arrow }))
      .filter(({ position }) => positions.includes(position)),
  );
}

/** Labels are the levels seen in training, then "other" and "missing" if seen. */
export function slotOfPosition(feature: FeatureContents, term: Term, position: number): number {
  if (position < feature.n_levels) return term.feature.levels.indexOf(feature.labels[position]);
  const isMissing = feature.labels[position] === "missing";
  return term.values[0].length - (isMissing ? 1 : 2);
}
