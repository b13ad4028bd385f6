// What-if: the model runs on a row that the reader sets, and every change is compared with the
// state before it.

import { useMemo, useState } from "preact/hooks";
import { Swatch } from "./chart";
import type { Contents, FeatureContents } from "./contents";
import { LevelControl, NumberControl } from "./controls";
import { brief, fixed, fixedSigned, pretty, shortest } from "./format";
import { softmax, type Model, type Row, type Term, type Value } from "./model";
import { FeatureName, scoreName } from "./summary";

declare global {
  interface Window {
    whatIf: { set: (row: Row) => void };
  }
}

interface WhatIfProps {
  contents: Contents;
  models: Model[]; // one, or one per class
  chosen: number;
}

export function WhatIf({ contents, models, chosen }: WhatIfProps) {
  const model = models[chosen];
  const typical = useMemo(() => models[0].terms.map(typicalValue), [models]);
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
  const largest =
    Math.max(contents.features[0].importance, ...[...parts, ...lastParts].map(Math.abs)) || 1;
  const format = fixedSigned(largest);
  return (
    <section id="what-if" aria-labelledby="what-if-title">
      <h2 id="what-if-title">What if</h2>
      <p class="note">
        The model itself runs in this page. Set any value; clear a number to make it missing. It
        starts from a typical row: the median of every number, the most frequent level of everything
        else.
      </p>
      <div class="outcome">
        <Outcome {...{ contents, models, chosen, row, last }} />
        <div class="actions">
          {contents.sample && (
            <label>
              sample row{" "}
              <select
                id="sample-row"
                value={sampleRow}
                onChange={(event) => {
                  setSampleRow(event.currentTarget.value);
                  show(
                    event.currentTarget.value === ""
                      ? typical
                      : contents.sample![Number(event.currentTarget.value)],
                  );
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
          {["18%", "13.5rem", "7rem", "5.5rem", "5.5rem", "auto"].map((width) => (
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

function Outcome({ contents, models, chosen, row, last }: WhatIfProps & { row: Row; last: Row }) {
  const { summary } = contents;
  const model = models[chosen];
  const score = model.score(row);
  const lastScore = model.score(last);
  const largest = Math.max(Math.abs(score), Math.abs(lastScore));
  const hasChanged = row.some((value, k) => value !== last[k]);
  const all = models.length > 1 ? softmax(models.map((one) => one.score(row))) : [];
  const lastAll = models.length > 1 ? softmax(models.map((one) => one.score(last))) : [];
  const [prediction, lastPrediction] =
    models.length > 1
      ? [all[chosen], lastAll[chosen]]
      : [score, lastScore].map((s) => model.predict(s));
  const best = all.indexOf(Math.max(...all));
  return (
    <dl class="results" aria-live="polite">
      {models.length > 1 && (
        <div>
          <dt>most probable</dt>
          <dd>
            <data id="class-found" value={String(best)}>
              {String(summary.classes[best])}
            </data>{" "}
            {brief(100 * all[best])} %
          </dd>
        </div>
      )}
      {(summary.link === "logit" || summary.link === "softmax") && (
        <div>
          <dt>probability of {String(summary.classes[models.length > 1 ? chosen : 1])}</dt>
          <dd>
            <data id="probability" value={String(prediction)}>
              {brief(100 * prediction)} %
            </data>
          </dd>
          <dd class="was" hidden={!hasChanged}>
            was {brief(100 * lastPrediction)} %
          </dd>
        </div>
      )}
      {summary.link === "log" && (
        <div>
          <dt>prediction</dt>
          <dd>
            <data id="prediction" value={String(prediction)}>
              {brief(prediction, 4)}
            </data>
          </dd>
          <dd class="was" hidden={!hasChanged}>
            was {brief(lastPrediction, 4)}
          </dd>
        </div>
      )}
      <div>
        <dt>
          {summary.link === "logit" || summary.link === "log"
            ? `score (${scoreName(summary, chosen)})`
            : scoreName(summary, chosen)}
        </dt>
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

function Line({
  feature,
  term,
  row,
  part,
  lastPart,
  largest,
  format,
  change,
  drag,
  drop,
}: LineProps) {
  const leaf = term.leafOf(row);
  const value = row[feature.index];
  const difference = part - lastPart;
  return (
    <tr data-feature={feature.name}>
      <FeatureName feature={feature} />
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
      <td class={`number change ${difference === 0 ? "same" : ""}`}>
        {difference === 0 ? "" : format(difference)}
      </td>
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
function Diverging({
  part,
  lastPart,
  largest,
}: {
  part: number;
  lastPart: number;
  largest: number;
}) {
  const place = (value: number) => 50 + (50 * value) / largest;
  const [left, right] = [Math.min(50, place(part)), Math.max(50, place(part))];
  return (
    <div class="diverging">
      <div
        class={part < 0 ? "down" : "up"}
        style={{ left: `${left}%`, width: `${right - left}%` }}
      />
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

function replaced(row: Row, index: number, value: Value): Row {
  return row.map((old, k) => (k === index ? value : old));
}

/** The median bin's shortest number (the lowest or highest one in an outer bin), or the most frequent level. */
function typicalValue(term: Term): Value {
  const { feature, edges } = term;
  const counts = term.totalCounts();
  if (feature.kind !== "numeric") {
    const levels = counts.slice(0, feature.levels.length);
    return levels.indexOf(Math.max(...levels));
  }
  const bins = counts.slice(0, -1);
  const half = bins.reduce((sum, rows) => sum + rows, 0) / 2;
  let below = 0;
  const median = bins.findIndex((rows) => (below += rows) >= half);
  if (median === 0) return feature.low;
  if (median === edges.length) return feature.high;
  return shortest(edges[median - 1], edges[median]);
}
