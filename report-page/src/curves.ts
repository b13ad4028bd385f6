// Curves of a numeric feature: above, what its value adds, with bands and jumps; below, where the
// training rows lie; at the right, missing values.

import * as Plot from "@observablehq/plot";
import type { FeatureContents } from "./contents";
import {
  FONT,
  MARGIN_LEFT,
  contributionLabel,
  drawnJumps,
  limits,
  nearDomain,
  pointMarks,
  regionColour,
  regionDashes,
  shown,
  ticksOf,
  type Drawing,
  type Size,
  type Target,
} from "./drawing";
import { cut, tick } from "./format";
import type { Term } from "./model";
import { binEdges, drawnSteps, type Step } from "./steps";

const TOP = 40; // the axis label, below it the jumps' arrows
const STRIP = 62;
const MISSING_WIDTH = 76;

export function drawCurves(
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
      y: { ...y, tickFormat: tick, ticks: ticksOf(y.domain, 6) },
      marks: [
        Plot.ruleY([0], { stroke: "var(--zero)" }),
        ...shown(feature, visible).flatMap((region) =>
          curveMarks(region, drawnSteps(feature, term, region), y.domain),
        ),
        ...drawnJumps(feature).flatMap((jump) => jumpMarks(jump.threshold ?? 0, jump.arrow)),
      ],
    });
    const strip = Plot.plot({
      ...frame,
      height: STRIP,
      marginTop: 2,
      marginBottom: 36,
      x: {
        ...x,
        label: cut(feature.name, Math.floor(mainWidth / 8)),
        labelAnchor: "center",
        labelArrow: "none",
      },
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
          {
            x1: "x1",
            x2: "x2",
            y: "rows",
            fill: (d) => regionColour(d.region),
            fillOpacity: 0.55,
            inset: 0,
          },
        ),
      ],
    });
    node.append(main, strip);
    const apply = main.scale("x")!.apply;
    const bins = binEdges(feature, term);
    for (let slot = 0; slot + 1 < bins.length; slot++) {
      const left = apply(bins[slot]);
      targets.push({
        slot,
        left,
        top: TOP,
        width: apply(bins[slot + 1]) - left,
        height: height + STRIP - TOP - 36,
      });
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
          pointMarks(
            feature.regions[region].points,
            region,
            "y",
            () => "missing",
            9 * (k - (all.length - 1) / 2),
            y.domain,
          ),
        ),
      ],
    });
    missing.classList.add("missing");
    node.append(missing);
    targets.push({
      slot,
      left: mainWidth + 8,
      top: TOP,
      width: MISSING_WIDTH - 16,
      height: height - TOP - 6,
    });
  }
  node.className = "curves";
  node.style.gridTemplateColumns = hasMissing ? `${mainWidth}fr ${MISSING_WIDTH}fr` : "1fr";
  return { node, targets };
}

function curveMarks(region: number, steps: Step[], domain: [number, number]): Plot.Markish[] {
  const colour = regionColour(region);
  const within = (value: number) => nearDomain(value, domain);
  return [
    Plot.areaY(steps, {
      x: "x",
      y1: (s: Step) => within(s.value - s.spread),
      y2: (s: Step) => within(s.value + s.spread),
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
    Plot.text([threshold], {
      x: (t) => t,
      text: () => arrow,
      frameAnchor: "top",
      dy: -14,
      fontSize: 14,
    }),
  ];
}

function xScale(feature: FeatureContents, term: Term): Plot.ScaleOptions {
  const edges = feature.display_edges;
  const [low, high] = [edges[0], edges[edges.length - 1]];
  const domain = low < high ? [low, high] : [low - 0.5, high + 0.5];
  if (feature.log_from === null) {
    const hasWholeBins =
      Number.isInteger(low) && Number.isInteger(high) && term.edges.length <= high - low;
    const ticks = hasWholeBins && high - low <= 8 ? wholeNumbers(low, high) : ticksOf(domain, 7);
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
