// Levels of a categorical or boolean feature: a value and its spread for every level and region.

import * as Plot from "@observablehq/plot";
import type { FeatureContents } from "./contents";
import {
  FONT,
  contributionLabel,
  drawnJumps,
  limits,
  pointMarks,
  regionColour,
  shown,
  ticksOf,
  type Drawing,
} from "./drawing";
import { cut, tick } from "./format";
import type { Term } from "./model";

const MAX_LEVELS = 24;

/** Draw the labels one below the other, so that they can be read; rows at the right. */
export function drawLevels(
  feature: FeatureContents,
  term: Term,
  visible: boolean[],
  width: number,
  allLevels: boolean,
): Drawing {
  const positions = shownPositions(feature, allLevels);
  const regions = shown(feature, visible);
  const pointsAt = (region: number) =>
    feature.regions[region].points.filter(({ position }) => positions.includes(position));
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
  const domain = limits(feature, term);
  const main = Plot.plot({
    width: width - rowsWidth,
    height,
    marginLeft,
    marginRight: 22,
    marginTop,
    marginBottom,
    style: FONT,
    x: {
      domain,
      label: contributionLabel(feature),
      labelAnchor: "center",
      labelArrow: "none",
      grid: true,
      tickFormat: tick,
      ticks: ticksOf(domain, isNarrow ? 3 : 6),
    },
    y: { ...y, tickFormat: (p: number) => cut(feature.labels[p], labelLength), tickSize: 0 },
    marks: [
      Plot.ruleX([0], { stroke: "var(--zero)" }),
      Plot.ruleY(jumpLevels(feature, positions), {
        y: "position",
        stroke: "var(--ink)",
        strokeDasharray: "1 3",
      }),
      ...regions.flatMap((region, k) =>
        pointMarks(
          pointsAt(region),
          region,
          "x",
          (p) => p,
          9 * (k - (regions.length - 1) / 2),
          domain,
        ),
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
        regions.flatMap((region) => pointsAt(region).map((point) => ({ ...point, region }))),
        {
          x: "n_rows",
          y: "position",
          fill: (d) => regionColour(d.region),
          fillOpacity: 0.55,
          insetTop: rowHeight / 4,
          insetBottom: rowHeight / 4,
        },
      ),
      Plot.text(["rows"], {
        frameAnchor: "bottom",
        dy: 34,
        lineAnchor: "bottom",
        fill: "currentColor",
      }),
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

/** How many labels are too many to be drawn at first. */
export function hiddenLevels(feature: FeatureContents): number {
  return Math.max(0, feature.labels.length - MAX_LEVELS);
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
function slotOfPosition(feature: FeatureContents, term: Term, position: number): number {
  if (position < feature.n_levels) return term.feature.levels.indexOf(feature.labels[position]);
  const isMissing = feature.labels[position] === "missing";
  return term.values[0].length - (isMissing ? 1 : 2);
}
