// What all charts share. Observable Plot draws them; colours are CSS variables, so that light, dark
// and print are a matter of the style sheet alone.

import * as Plot from "@observablehq/plot";
import type { FeatureContents, Jump, Point } from "./contents";
import type { Term } from "./model";
import { drawnSteps } from "./steps";

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

const N_COLOURS = 7;
const DASHES = ["", "6 2", "2 2"];

export const MARGIN_LEFT = 56;
export const FONT = { fontSize: "12px", fontFamily: "inherit", overflow: "visible" };

export function regionColour(region: number): string {
  return `var(--region-${region % N_COLOURS})`;
}

export function regionDashes(region: number): string {
  return DASHES[Math.floor(region / N_COLOURS) % DASHES.length];
}

export function contributionLabel(feature: FeatureContents): string {
  const scales: Record<string, string> = { identity: "", logit: " (log-odds)", log: " (log)" };
  return `contribution${scales[feature.link]}`;
}

/** One jump per place: the joint one, which comes last, if several terms switch there. */
export function drawnJumps(feature: FeatureContents): Jump[] {
  const byPlace = new Map(feature.jumps.map((jump) => [`${jump.threshold} ${jump.levels}`, jump]));
  return [...byPlace.values()].filter((jump) => jump.arrow !== "=");
}

/** The numbers of the regions that are switched on. */
export function shown(feature: FeatureContents, visible: boolean[]): number[] {
  return feature.regions.map((_, region) => region).filter((region) => visible[region]);
}

/** Values of levels (or missing) with their spread; regions lie side by side. */
export function pointMarks(
  points: Point[],
  region: number,
  along: "x" | "y",
  place: (position: number) => number | string,
  offset: number,
  domain: [number, number],
): Plot.Markish[] {
  const placed = points.map(({ position, value, spread }) => ({
    place: place(position),
    value,
    low: nearDomain(value - spread, domain),
    high: nearDomain(value + spread, domain),
  }));
  const colour = regionColour(region);
  const line = { stroke: colour, strokeOpacity: 0.45, strokeWidth: 4, clip: true as const };
  const symbol = regionDashes(region) ? ("diamond" as const) : ("circle" as const);
  const dot = { fill: colour, r: 3.5, symbol };
  return along === "x"
    ? [
        Plot.ruleY(placed, { y: "place", x1: "low", x2: "high", dy: offset, ...line }),
        Plot.dot(placed, { y: "place", x: "value", dy: offset, ...dot }),
      ]
    : [
        Plot.ruleX(placed, { x: "place", y1: "low", y2: "high", dx: offset, ...line }),
        Plot.dot(placed, { x: "place", y: "value", dx: offset, ...dot }),
      ];
}

/** A number that is drawn beside the domain at most as far as it is wide: pixels have their limits. */
export function nearDomain(value: number, [low, high]: [number, number]): number {
  const size = high - low;
  return Math.min(high + size, Math.max(low - size, value));
}

/** About how many ticks; both ends, where steps between them would be no numbers. */
export function ticksOf([low, high]: number[], about: number): number | number[] {
  return high - low > 1e-290 ? about : [low, high];
}

/** All values with some margin, and bands as far as they do not dwarf the values. */
export function limits(feature: FeatureContents, term: Term): [number, number] {
  const points = feature.regions.flatMap((region, k) => [
    ...region.points,
    ...drawnSteps(feature, term, k),
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
