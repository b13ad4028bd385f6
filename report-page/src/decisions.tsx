// Decisions of a classifier: the ROC curve and the confusion table at a threshold that readers set.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useWidth } from "./chart";
import type { Confusion, Roc } from "./contents";
import { brief, count } from "./format";
import { drawRoc } from "./measured";

export function Decisions({ roc, hasMany }: { roc: Roc; hasMany: boolean }) {
  const { thresholds } = roc;
  const [at, setAt] = useState(Math.max(0, thresholds.indexOf(0.5)));
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  useLayoutEffect(() => {
    if (width) frame.current!.replaceChildren(drawRoc(roc, at, width));
  }, [roc, at, width]);
  const label = String(roc.label);
  return (
    <details id="decisions" open>
      <summary>Decisions at a threshold</summary>
      <p class="note">
        {label} is decided for where its probability is above the threshold
        {hasMany && ", against all other classes together"}.
        {roc.area !== null && ` Area under the ROC curve: ${brief(roc.area, 4)}.`} Thresholds have
        at least five rows between them.
      </p>
      <p>
        <label>
          Threshold{" "}
          <input
            id="threshold"
            type="range"
            min={0}
            max={thresholds.length - 1}
            value={at}
            aria-valuetext={brief(thresholds[at])}
            onInput={(event) => setAt(Number(event.currentTarget.value))}
          />{" "}
          <output id="threshold-value">{brief(thresholds[at])}</output>
        </label>
      </p>
      <div class="pair">
        <div class="path" ref={frame} role="img" aria-label={`ROC curve of ${label}`} />
        <AtThreshold roc={roc} at={at} label={label} />
      </div>
    </details>
  );
}

function AtThreshold({ roc, at, label }: { roc: Roc; at: number; label: string }) {
  const hits = roc.true_positive[at];
  const alarms = roc.false_positive[at];
  const misses = roc.positive - hits;
  const rejections = roc.negative - alarms;
  const total = roc.positive + roc.negative;
  const shares: [string, number, number][] = [
    ["recall (sensitivity)", hits, roc.positive],
    ["specificity", rejections, roc.negative],
    ["precision", hits, hits + alarms],
    ["accuracy", hits + rejections, total],
  ];
  return (
    <div>
      <table id="confusion">
        <thead>
          <tr>
            <th scope="col">true \ predicted</th>
            <th scope="col" class="number">
              {label}
            </th>
            <th scope="col" class="number">
              not
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{label}</th>
            <td class="number">{count(hits)}</td>
            <td class="number">{count(misses)}</td>
          </tr>
          <tr>
            <th scope="row">not {label}</th>
            <td class="number">{count(alarms)}</td>
            <td class="number">{count(rejections)}</td>
          </tr>
        </tbody>
      </table>
      <table id="rates">
        <tbody>
          {shares.map(([name, part, whole]) => (
            <tr>
              <th scope="row">{name}</th>
              <td class="number">{whole > 0 ? `${brief((100 * part) / whole)} %` : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Which of many classes rows have, and which is the most probable. */
export function ConfusionTable({ confusion }: { confusion: Confusion }) {
  const { classes, table } = confusion;
  return (
    <details id="classes-confused" open>
      <summary>Which class is taken for which</summary>
      <p class="note">A line per true class, a column per class that is the most probable one.</p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">true \ predicted</th>
              {classes.map((label) => (
                <th scope="col" class="number">
                  {String(label)}
                </th>
              ))}
              <th scope="col" class="number">
                recall
              </th>
            </tr>
          </thead>
          <tbody>
            {table.map((line, k) => {
              const total = line.reduce((sum, one) => sum + one, 0);
              return (
                <tr>
                  <th scope="row">{String(classes[k])}</th>
                  {line.map((rows, j) => (
                    <td class={j === k ? "number right" : "number"}>{count(rows)}</td>
                  ))}
                  <td class="number">{total > 0 ? `${brief((100 * line[k]) / total)} %` : "–"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}
