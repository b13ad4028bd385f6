// The part of a curve that is drawn: from the first to the last bin with training rows.

import type { FeatureContents } from "./contents";
import type { Term } from "./model";

export interface Step {
  x: number;
  value: number;
  spread: number;
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

export function drawnSteps(feature: FeatureContents, term: Term, region: number): Step[] {
  if (feature.display_edges.length < 2) return [];
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
