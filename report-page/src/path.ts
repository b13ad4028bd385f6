// The cross-validation path.

import * as Plot from "@observablehq/plot";
import type { PathPoint } from "./contents";
import { FONT, MARGIN_LEFT } from "./drawing";
import { brief, tick } from "./format";

/** The error after every number of splits, with its standard error; the chosen one stands out. */
export function drawPath(path: PathPoint[], metric: string, width: number): Element {
  return Plot.plot({
    width,
    height: 220,
    marginLeft: MARGIN_LEFT,
    marginBottom: 40,
    style: FONT,
    x: {
      label: "number of splits",
      labelAnchor: "center",
      labelArrow: "none",
      ticks: 5,
      tickFormat: tick,
      inset: 6,
    },
    y: {
      label: `cross-validated ${metric}`,
      grid: true,
      tickFormat: tick,
      ticks: 5,
      insetBottom: 20,
    },
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
      Plot.text(
        path.filter((p) => p.chosen),
        {
          x: "n_splits",
          y: "error",
          text: () => "chosen",
          dy: 15,
          fill: "var(--ink)",
        },
      ),
    ],
    r: { type: "identity" },
    color: { type: "identity" },
  });
}
