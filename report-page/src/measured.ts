// Pictures of measures: calibration, residuals, the ROC curve.

import * as Plot from "@observablehq/plot";
import type { CalibrationGroup, ResidualGroup, Roc } from "./contents";
import { FONT, MARGIN_LEFT } from "./drawing";
import { brief, tick } from "./format";

const FRAME = { marginLeft: MARGIN_LEFT, marginBottom: 40, style: FONT };

export function drawCalibration(groups: CalibrationGroup[], width: number): Element {
  const all = groups.flatMap((g) => [g.predicted, g.observed]);
  const ends = [Math.min(...all), Math.max(...all)];
  return Plot.plot({
    ...FRAME,
    width,
    height: 260,
    x: axis("predicted"),
    y: { label: "observed", grid: true, ticks: 5, tickFormat: tick },
    marks: [
      Plot.line(ends, { x: (d) => d, y: (d) => d, stroke: "var(--zero)", strokeDasharray: "2 3" }),
      Plot.line(groups, { x: "predicted", y: "observed", stroke: "var(--region-0)" }),
      Plot.dot(groups, { x: "predicted", y: "observed", fill: "var(--region-0)", r: 3.5 }),
    ],
  });
}

export function drawResiduals(groups: ResidualGroup[], width: number): Element {
  return Plot.plot({
    ...FRAME,
    width,
    height: 260,
    x: axis("predicted"),
    y: { label: "observed minus predicted", grid: true, ticks: 5, tickFormat: tick },
    marks: [
      Plot.ruleY([0], { stroke: "var(--zero)" }),
      Plot.ruleX(groups, {
        x: "predicted",
        y1: "low",
        y2: "high",
        stroke: "var(--region-0)",
        strokeWidth: 5,
        strokeOpacity: 0.4,
      }),
      Plot.dot(groups, { x: "predicted", y: "median", fill: "var(--region-0)", r: 3 }),
      Plot.dot(groups, { x: "predicted", y: "mean", stroke: "var(--region-1)", r: 4 }),
    ],
  });
}

export function drawRoc(roc: Roc, at: number, width: number): Element {
  const points = roc.thresholds.map((threshold, k) => ({
    threshold,
    x: share(roc.false_positive[k], roc.negative),
    y: share(roc.true_positive[k], roc.positive),
  }));
  return Plot.plot({
    ...FRAME,
    width,
    height: 280,
    x: { ...axis("share of others above the threshold"), domain: [0, 1] },
    y: { label: "share of the class above it", grid: true, ticks: 5, domain: [0, 1] },
    marks: [
      Plot.line(
        [
          [0, 0],
          [1, 1],
        ],
        { stroke: "var(--zero)", strokeDasharray: "2 3" },
      ),
      Plot.line(points, { x: "x", y: "y", stroke: "var(--region-0)", strokeWidth: 1.8 }),
      Plot.dot([points[at]], { x: "x", y: "y", r: 5, fill: "var(--region-1)" }),
      Plot.text([points[at]], {
        x: "x",
        y: "y",
        text: (p) => `above ${brief(p.threshold)}`,
        textAnchor: points[at].x > 0.7 ? "end" : "start",
        dx: points[at].x > 0.7 ? -9 : 9,
        dy: 12,
        fill: "var(--ink)",
      }),
    ],
  });
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

function axis(label: string): Plot.ScaleOptions {
  return { label, labelAnchor: "center", labelArrow: "none", ticks: 5, tickFormat: tick };
}
