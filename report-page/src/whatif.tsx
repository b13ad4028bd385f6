// What-if: the model runs on a row that the reader sets, and every change is compared with the
// state before it.

import { useMemo, useState } from "preact/hooks";
import type { Contents, FeatureContents } from "./contents";
import { Swatch } from "./feature";
import { brief, fixed, fixedSigned, pretty, shortest } from "./format";
import type { Model, Row, Term, Value } from "./model";
import { scoreName } from "./summary";

const SLIDER_STEPS = 400;

declare global {
  interface Window {
    whatIf: { set: (row: Row) => void };
  }
}

export function WhatIf({ contents, model }: { contents: Contents; model: Model }) {
  const typical = useMemo(() => model.terms.map(typicalValue), [model]);
  const [row, setRow] = useState<Row>(typical);
  const [last, setLast] = useState<Row>(typical);
  const [start, setStart] = useState<Row>(); // of a slider that is being dragged
  const [sampleRow, setSampleRow] = useState("");

  const show = (next: Row) => {
    setLast(start ?? row);
    setStart(undefined);
    setRow(next);
  };
  window.whatIf = { set: show };
  const change = (index: number, value: Value) => show(replaced(row, index, value));
  const drag = (index: number, value: Value) => {
    setStart(start ?? row);
    setLast(start ?? row);
    setRow(replaced(row, index, value));
  };
  const drop = () => setStart(undefined);

  const parts = model.contributions(row);
  const lastParts = model.contributions(last);
  // bars keep their scale while values move, unless one gets too long for it
  const largest = Math.max(2 * contents.features[0].importance, ...[...parts, ...lastParts].map(Math.abs)) || 1;
  const format = fixedSigned(largest);
  return (
    <section id="what-if" aria-labelledby="what-if-title">
      <h2 id="what-if-title">What if</h2>
      <p class="note">
        The model itself runs in this page. Set any value; clear a number to make it missing. It starts from a typical
        row: the median of every number, the most frequent level of everything else.
      </p>
      <div class="outcome">
        <Outcome contents={contents} model={model} row={row} last={last} />
        <div class="actions">
          {contents.sample && (
            <label>
              sample row{" "}
              <select
                id="sample-row"
                value={sampleRow}
                onChange={(event) => {
                  setSampleRow(event.currentTarget.value);
                  show(event.currentTarget.value === "" ? typical : contents.sample![Number(event.currentTarget.value)]);
                }}
              >
                <option value="">typical</option>
                {contents.sample.map((_, k) => (
                  <option value={k}>{k + 1}</option>
                ))}
              </select>
            </label>
          )}
          <button onClick={() => show(last)}>Back to the last state</button>
          <button onClick={() => show(typical)}>Typical row</button>
        </div>
      </div>
      <table class="what-if">
        <colgroup>
          {["17%", "15.5rem", "8.5rem", "6rem", "6rem", "auto"].map((width) => (
            <col style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col">feature</th>
            <th scope="col">value</th>
            <th scope="col" colSpan={2}>
              contribution
            </th>
            <th scope="col" class="number">
              change
            </th>
            <th scope="col">active curve</th>
          </tr>
        </thead>
        <tbody>
          <tr class="intercept">
            <th scope="row">intercept</th>
            <td />
            <td />
            <td class="number">{format(model.intercept)}</td>
            <td />
            <td class="muted">the mean over the training rows</td>
          </tr>
          {contents.features.map((feature) => (
            <Line
              key={feature.index}
              feature={feature}
              term={model.terms[feature.index]}
              row={row}
              part={parts[feature.index]}
              lastPart={lastParts[feature.index]}
              largest={largest}
              format={format}
              change={(value) => change(feature.index, value)}
              drag={(value) => drag(feature.index, value)}
              drop={drop}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Outcome({ contents, model, row, last }: { contents: Contents; model: Model; row: Row; last: Row }) {
  const { summary } = contents;
  const score = model.score(row);
  const lastScore = model.score(last);
  const largest = Math.max(Math.abs(score), Math.abs(lastScore));
  const hasChanged = row.some((value, k) => value !== last[k]);
  const [probability, lastProbability] = [score, lastScore].map((s) => model.predict(s));
  return (
    <dl class="results" aria-live="polite">
      {summary.link === "logit" && (
        <div>
          <dt>probability of {String(summary.classes[1])}</dt>
          <dd>
            <data id="probability" value={String(probability)}>
              {brief(100 * probability)} %
            </data>
          </dd>
          <dd class="was" hidden={!hasChanged}>
            was {brief(100 * lastProbability)} %
          </dd>
        </div>
      )}
      <div>
        <dt>{summary.link === "logit" ? `score (${scoreName(summary)})` : scoreName(summary)}</dt>
        <dd>
          <data id="score" value={String(score)}>
            {fixed(largest)(score)}
          </data>
        </dd>
        <dd class="was" hidden={!hasChanged}>
          was {fixed(largest)(lastScore)}, change{" "}
          <data id="change" value={String(score - lastScore)}>
            {fixedSigned(largest)(score - lastScore)}
          </data>
        </dd>
      </div>
    </dl>
  );
}

interface LineProps {
  feature: FeatureContents;
  term: Term;
  row: Row;
  part: number;
  lastPart: number;
  largest: number;
  format: (value: number) => string;
  change: (value: Value) => void;
  drag: (value: Value) => void;
  drop: () => void;
}

function Line({ feature, term, row, part, lastPart, largest, format, change, drag, drop }: LineProps) {
  const leaf = term.leafOf(row);
  const value = row[feature.index];
  const difference = part - lastPart;
  return (
    <tr data-feature={feature.name}>
      <th scope="row">
        <a href={`#feature-${feature.index}`}>{feature.name}</a>
      </th>
      <td class="control">
        {feature.kind === "numeric" ? (
          <NumberControl {...{ feature, term, value, change, drag, drop }} />
        ) : (
          <LevelControl {...{ feature, term, value, change }} />
        )}
      </td>
      <td class="both-ways">
        <Diverging part={part} lastPart={lastPart} largest={largest} />
      </td>
      <td class="number">
        <data value={String(part)}>{format(part)}</data>
      </td>
      <td class={`number change ${difference === 0 ? "same" : ""}`}>{difference === 0 ? "" : format(difference)}</td>
      <td class="active">
        {feature.regions.length > 1 && (
          <div class="chosen">
            <Swatch region={leaf} />
            <span class="rule short" title={feature.regions[leaf].rule}>
              {pretty(feature.regions[leaf].rule)}
            </span>
          </div>
        )}
        <Support term={term} leaf={leaf} value={value} />
      </td>
    </tr>
  );
}

/** A bar from zero to the contribution; a tick where it was. */
function Diverging({ part, lastPart, largest }: { part: number; lastPart: number; largest: number }) {
  const place = (value: number) => 50 + (50 * value) / largest;
  const [left, right] = [Math.min(50, place(part)), Math.max(50, place(part))];
  return (
    <div class="diverging">
      <div class={part < 0 ? "down" : "up"} style={{ left: `${left}%`, width: `${right - left}%` }} />
      {part !== lastPart && <div class="before" style={{ left: `${place(lastPart)}%` }} />}
    </div>
  );
}

/** Says when the model has seen nothing like this. */
function Support({ term, leaf, value }: { term: Term; leaf: number; value: Value }) {
  const { feature } = term;
  const counts = term.counts[leaf];
  const hasRows = counts.some((rows) => rows > 0);
  const isOutside =
    feature.kind === "numeric" &&
    value !== null &&
    feature.low !== null &&
    feature.high !== null &&
    (value < feature.low || value > feature.high);
  const warning = !hasRows
    ? "no training rows in this region"
    : isOutside
      ? "outside the training range"
      : counts[term.slotOf(value)] > 0
        ? ""
        : "no training rows at this value here";
  return warning ? <span class="warning">{warning}</span> : null;
}

interface ControlProps {
  feature: FeatureContents;
  term: Term;
  value: Value;
  change: (value: Value) => void;
}

function NumberControl({ feature, term, value, change, drag, drop }: ControlProps & Pick<LineProps, "drag" | "drop">) {
  const scale = sliderScale(feature, term);
  const read = (text: string) => (Number.isFinite(Number(text)) && text.trim() ? Number(text) : null);
  return (
    <>
      {scale && (
        <input
          type="range"
          class={value === null ? "absent" : ""}
          min={0}
          max={scale.n_steps}
          value={value === null ? scale.n_steps / 2 : scale.position(value)}
          aria-label={`${feature.name}, slider`}
          onInput={(event) => drag(scale.value(Number(event.currentTarget.value)))}
          onChange={drop}
        />
      )}
      <input
        type="number"
        step="any"
        value={value === null ? "" : value}
        placeholder="missing"
        aria-label={feature.name}
        onChange={(event) => change(read(event.currentTarget.value))}
      />
    </>
  );
}

function LevelControl({ feature, term, value, change }: ControlProps) {
  const { levels } = term.feature;
  return (
    <select
      aria-label={feature.name}
      value={value === null ? "missing" : value}
      onChange={(event) => {
        const text = event.currentTarget.value;
        change(text === "missing" ? null : Number(text));
      }}
    >
      {levels.map((level, code) => (
        <option value={code}>{level}</option>
      ))}
      <option value={levels.length}>(a level not listed)</option>
      <option value="missing">(missing)</option>
    </select>
  );
}

interface Scale {
  n_steps: number;
  position: (value: number) => number;
  value: (position: number) => number;
}

/** Positions of a slider: whole numbers, or even on the feature's axis, which may be logarithmic. */
function sliderScale({ display_edges: edges, log_from }: FeatureContents, term: Term): Scale | null {
  if (edges.length < 2) return null;
  const [lowest, highest] = [edges[0], edges[edges.length - 1]];
  const isWhole = [lowest, highest].every(Number.isInteger) && term.edges.every((edge) => Number.isInteger(2 * edge));
  if (isWhole && highest - lowest <= SLIDER_STEPS) {
    return {
      n_steps: highest - lowest,
      position: (value) => value - lowest,
      value: (position) => lowest + position,
    };
  }
  const bend = (value: number) => (log_from === null ? value : Math.sign(value) * Math.log1p(Math.abs(value) / log_from));
  const unbend = (bent: number) =>
    log_from === null ? bent : Math.sign(bent) * log_from * Math.expm1(Math.abs(bent));
  const [low, high] = [bend(lowest), bend(highest)];
  const at = (position: number) => unbend(low + ((high - low) * position) / SLIDER_STEPS);
  return {
    n_steps: SLIDER_STEPS,
    position: (value) => (high > low ? (SLIDER_STEPS * (bend(value) - low)) / (high - low) : 0),
    value: (position) => shortest(at(position - 0.5), at(position + 0.5)),
  };
}

function replaced(row: Row, index: number, value: Value): Row {
  return row.map((old, k) => (k === index ? value : old));
}

/** The median bin's shortest number, or the most frequent level. */
function typicalValue(term: Term): Value {
  const counts = term.totalCounts();
  if (term.feature.kind !== "numeric") {
    const levels = counts.slice(0, term.feature.levels.length);
    return levels.indexOf(Math.max(...levels));
  }
  const bins = counts.slice(0, -1);
  const half = bins.reduce((sum, rows) => sum + rows, 0) / 2;
  let below = 0;
  const median = bins.findIndex((rows) => (below += rows) >= half);
  const low = median > 0 ? term.edges[median - 1] : term.feature.low;
  const high = median < term.edges.length ? term.edges[median] : term.feature.high;
  if (low === null || high === null) return null;
  return low < high ? shortest(low, high) : high;
}
