// A chart that can be read: values under the pointer or the arrow keys.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FeatureContents } from "./contents";
import { drawCurves } from "./curves";
import { type Drawing, type Size, type Target, regionColour, regionDashes } from "./drawing";
import { brief, exact, plural, signed } from "./format";
import { drawLevels } from "./levels";
import type { Model, Term } from "./model";
import { binEdges, filledBins } from "./steps";

const SCREEN_HEIGHT = 270;
const PAPER = { width: 720, height: 200 }; // readable text on A4 and letter, three charts a page

interface ChartProps {
  feature: FeatureContents;
  term: Term;
  visible: boolean[];
  allLevels: boolean;
  model: Model;
}

export function Chart({ feature, term, visible, allLevels, model }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [drawing, setDrawing] = useState<Drawing>();
  const [cursor, setCursor] = useState<number>();
  useLayoutEffect(() => {
    if (!width) return;
    const draw = (size: Size) => {
      const drawn = drawFeature(feature, term, visible, size, allLevels);
      canvas.current!.replaceChildren(drawn.node);
      setDrawing(drawn);
    };
    const drawOnPaper = () => draw(PAPER);
    const drawOnScreen = () => draw({ width, height: SCREEN_HEIGHT });
    drawOnScreen();
    window.addEventListener("beforeprint", drawOnPaper);
    window.addEventListener("afterprint", drawOnScreen);
    return () => {
      window.removeEventListener("beforeprint", drawOnPaper);
      window.removeEventListener("afterprint", drawOnScreen);
    };
  }, [feature, term, visible, width, allLevels]);
  const targets = drawing?.targets ?? [];
  const target = cursor === undefined ? undefined : targets[cursor];

  const point = (event: PointerEvent) => {
    const box = frame.current!.getBoundingClientRect();
    setCursor(nearest(targets, event.clientX - box.left, event.clientY - box.top));
  };
  const press = (event: KeyboardEvent) => {
    const last = targets.length - 1;
    const leap = Math.max(1, Math.round(targets.length / 20));
    const at = cursor ?? -1;
    const next: Record<string, number | undefined> = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      PageDown: at + leap,
      PageUp: at - leap,
      Home: 0,
      End: last,
      Escape: undefined,
    };
    if (!(event.key in next)) return;
    event.preventDefault();
    const index = next[event.key];
    setCursor(index === undefined ? undefined : Math.min(last, Math.max(0, index)));
  };
  return (
    <div
      class="chart"
      ref={frame}
      tabIndex={0}
      role="figure"
      aria-label={`Contribution of ${feature.title}. Arrow keys read the values.`}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => setCursor(undefined)}
      onBlur={() => setCursor(undefined)}
      onKeyDown={press}
    >
      <div ref={canvas} />
      {target && <Reading {...{ feature, term, visible, target, width, model }} />}
    </div>
  );
}

interface ReadingProps {
  feature: FeatureContents;
  term: Term;
  visible: boolean[];
  target: Target;
  width: number;
  model: Model;
}

/** The slot under the cursor, marked, and what every curve says there. */
function Reading({ feature, term, visible, target, width, model }: ReadingProps) {
  const { slot, left, top, height } = target;
  const isRow = feature.kind !== "numeric";
  const markWidth = Math.max(1, target.width);
  const isLeft = isRow ? false : left > width / 2;
  const style = isRow
    ? { right: "0", top: `${top + height}px` }
    : isLeft
      ? { right: `${width - left + 10}px`, top: `${top}px` }
      : { left: `${left + markWidth + 10}px`, top: `${top}px` };
  return (
    <>
      <div
        class="mark"
        style={{
          left: `${left}px`,
          top: `${top}px`,
          width: `${markWidth}px`,
          height: `${height}px`,
        }}
      />
      <div class="reading" role="status" style={style}>
        <strong>{slotText(feature, term, slot)}</strong>
        <table>
          <tbody>
            {feature.regions.map(
              (_, region) =>
                visible[region] && <ReadingLine {...{ feature, term, region, slot, model }} />,
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}

function ReadingLine({
  feature,
  term,
  region,
  slot,
  model,
}: {
  feature: FeatureContents;
  term: Term;
  region: number;
  slot: number;
  model: Model;
}) {
  const rows = term.counts[region][slot];
  const [first, end] = filledBins(term, region);
  const isBin = feature.kind === "numeric" && slot <= term.edges.length;
  const isDrawn = isBin ? slot >= first && slot < end : rows > 0;
  return (
    <tr>
      <td>
        <Swatch region={region} />
      </td>
      <td class="number">{isDrawn ? signed(term.values[region][slot]) : "–"}</td>
      <td class="number muted">{isDrawn && `± ${brief(term.spreads[region][slot], 2)}`}</td>
      {feature.link === "logit" && (
        <td class="number">{isDrawn && probabilities(model, term.values[region][slot])}</td>
      )}
      <td class="number muted">{rows > 0 ? plural(rows, "row") : "no rows"}</td>
    </tr>
  );
}

/** What a contribution does to the probability, beside contributions of 0. */
function probabilities(model: Model, part: number): string {
  const scores = [model.intercept, model.intercept + part];
  const [before, after] = scores.map((score) => brief(100 * model.predict(score), 2));
  return `${before} % → ${after} %`;
}

/** What a slot holds, in words. */
function slotText(feature: FeatureContents, term: Term, slot: number): string {
  if (slot === term.values[0].length - 1) return `${feature.name} missing`;
  if (feature.kind !== "numeric") {
    return slot < term.feature.levels.length ? term.feature.levels[slot] : "other levels";
  }
  const edges = binEdges(feature, term);
  const [low, high] = [edges[slot], edges[slot + 1]];
  const whole = Math.floor(high);
  const hasOneInteger =
    whole > low && whole - 1 <= low && high - low <= 1 && low !== Math.floor(low);
  if (hasOneInteger) return `${feature.name} = ${exact(whole)}`;
  const { low: lowest, high: highest, whole: isWhole, two_valued: isOneOfTwo } = term.feature;
  const isFirst = slot === 0; // its lower end belongs to it
  const inside = [lowest, highest].filter(
    (end) => end !== null && (isFirst || low < end) && end <= high,
  );
  if (isOneOfTwo && inside.length === 1) return `${feature.name} = ${exact(inside[0]!)}`;
  const first = isFirst ? Math.ceil(low) : Math.floor(low) + 1;
  if (isWhole && first < whole) return `${feature.name} ${exact(first)} to ${exact(whole)}`;
  if (isWhole && first === whole) return `${feature.name} = ${exact(whole)}`;
  return `${feature.name} ${brief(low, 5)} to ${brief(high, 5)}`;
}

function nearest(targets: Target[], x: number, y: number): number | undefined {
  let best: number | undefined;
  let distance = Infinity;
  targets.forEach(({ left, top, width, height }, k) => {
    const away = Math.hypot(
      x - Math.min(left + width, Math.max(left, x)),
      y - Math.min(top + height, Math.max(top, y)),
    );
    if (away < distance) [best, distance] = [k, away];
  });
  return distance < 40 ? best : undefined;
}

/** The width of an element in whole pixels, whenever it changes; hidden elements keep theirs. */
export function useWidth(ref: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => ref.current!.clientWidth && setWidth(ref.current!.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

function drawFeature(
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

export function Swatch({ region }: { region: number }) {
  return (
    <svg class="swatch" width="22" height="10" aria-hidden="true">
      <line
        x1="1"
        x2="21"
        y1="5"
        y2="5"
        stroke={regionColour(region)}
        stroke-width="3"
        stroke-dasharray={regionDashes(region)}
      />
    </svg>
  );
}
