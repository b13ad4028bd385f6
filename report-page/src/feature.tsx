// One feature: its curves with a legend to choose from, values under the pointer or the arrow
// keys, and its jumps and direction in sentences.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  binEdges,
  drawFeature,
  filledBins,
  hiddenLevels,
  regionColour,
  regionDashes,
  type Drawing,
  type Size,
  type Target,
} from "./charts";
import type { FeatureContents } from "./contents";
import { brief, exact, percent, plural, pretty, prose, signed } from "./format";
import type { Model, Term } from "./model";

const SCREEN_HEIGHT = 270;
const PAPER = { width: 720, height: 200 }; // readable text on A4 and letter, three charts a page

interface Props {
  feature: FeatureContents;
  model: Model;
  totalImportance: number;
}

export function Feature({ feature, model, totalImportance }: Props) {
  const term = model.terms[feature.index];
  const [visible, setVisible] = useState(feature.regions.map(() => true));
  const [allLevels, setAllLevels] = useState(false);
  const toggle = (region: number) => setVisible(visible.map((on, k) => (k === region ? !on : on)));
  const only = (region: number) => setVisible(visible.map((_, k) => k === region));
  const nHidden = hiddenLevels(feature);
  return (
    <article class="feature" id={`feature-${feature.index}`} data-feature={feature.name}>
      <h3>
        {feature.name}
        {feature.conditioned_on.length > 0 && (
          <span class="given"> | {feature.conditioned_on.join(", ")}</span>
        )}
      </h3>
      <p class="facts">
        Moves the score by {brief(feature.importance)} on average
        {totalImportance > 0 && `, ${percent(feature.importance / totalImportance)} of all movement`}
        {" · "}
        {feature.regions.length > 1
          ? `${plural(feature.regions.length, "curve")}, chosen by ${feature.conditioned_on.join(", ")}`
          : "one curve for everybody"}
      </p>
      {feature.regions.length > 1 && (
        <Legend feature={feature} visible={visible} toggle={toggle} only={only} />
      )}
      <Chart feature={feature} term={term} visible={visible} allLevels={allLevels} />
      {nHidden > 0 && (
        <button class="quiet" onClick={() => setAllLevels(!allLevels)}>
          {allLevels ? "Show the most frequent levels only" : `Show ${nHidden} rarer levels too`}
        </button>
      )}
      {feature.jumps.length > 0 && (
        <ul class="sentences">
          {feature.jumps.map((jump) => (
            <li>
              <span class="arrow">{jump.arrow}</span> {prose(jump.sentence)}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

interface LegendProps {
  feature: FeatureContents;
  visible: boolean[];
  toggle: (region: number) => void;
  only: (region: number) => void;
}

function Legend({ feature, visible, toggle, only }: LegendProps) {
  return (
    <ul class="legend" aria-label={`Curves of ${feature.name}`}>
      {feature.regions.map((region, k) => (
        <li>
          <button class="curve" aria-pressed={visible[k]} onClick={() => toggle(k)}>
            <Swatch region={k} />
            <span class="rule short" title={region.rule}>
              {pretty(region.rule)}
            </span>
            <span class="share">{percent(region.share)} of rows</span>
          </button>
          {feature.regions.length > 2 && (
            <button class="quiet only" aria-label={`Only ${region.rule}`} onClick={() => only(k)}>
              only
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Swatch({ region }: { region: number }) {
  return (
    <svg class="swatch" width="22" height="10" aria-hidden="true">
      <line x1="1" x2="21" y1="5" y2="5" stroke={regionColour(region)} stroke-width="3" stroke-dasharray={regionDashes(region)} />
    </svg>
  );
}

interface ChartProps {
  feature: FeatureContents;
  term: Term;
  visible: boolean[];
  allLevels: boolean;
}

function Chart({ feature, term, visible, allLevels }: ChartProps) {
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
      {target && <Reading feature={feature} term={term} visible={visible} target={target} width={width} />}
    </div>
  );
}

interface ReadingProps {
  feature: FeatureContents;
  term: Term;
  visible: boolean[];
  target: Target;
  width: number;
}

/** The slot under the cursor, marked, and what every curve says there. */
function Reading({ feature, term, visible, target, width }: ReadingProps) {
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
      <div class="mark" style={{ left: `${left}px`, top: `${top}px`, width: `${markWidth}px`, height: `${height}px` }} />
      <div class="reading" role="status" style={style}>
        <strong>{slotText(feature, term, slot)}</strong>
        <table>
          <tbody>
            {feature.regions.map((_, region) => visible[region] && <ReadingLine {...{ feature, term, region, slot }} />)}
          </tbody>
        </table>
      </div>
    </>
  );
}

function ReadingLine({ feature, term, region, slot }: { feature: FeatureContents; term: Term; region: number; slot: number }) {
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
      <td class="number muted">{rows > 0 ? plural(rows, "row") : "no rows"}</td>
    </tr>
  );
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
  const hasOneInteger = whole > low && whole - 1 <= low && high - low <= 1 && low !== Math.floor(low);
  if (hasOneInteger) return `${feature.name} = ${exact(whole)}`;
  return `${feature.name} ${brief(low, 5)} to ${brief(high, 5)}`;
}

function nearest(targets: Target[], x: number, y: number): number | undefined {
  let best: number | undefined;
  let distance = Infinity;
  targets.forEach(({ left, top, width, height }, k) => {
    const away = Math.hypot(x - Math.min(left + width, Math.max(left, x)), y - Math.min(top + height, Math.max(top, y)));
    if (away < distance) [best, distance] = [k, away];
  });
  return distance < 40 ? best : undefined;
}

/** The width of an element, whenever it changes. */
export function useWidth(ref: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => setWidth(ref.current!.clientWidth), []);
  const observer = useMemo(
    () => new ResizeObserver(([entry]) => entry.contentRect.width && setWidth(entry.contentRect.width)),
    [],
  );
  useEffect(() => {
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

