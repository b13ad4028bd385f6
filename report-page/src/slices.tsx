// Measures by slice: the levels or bands of a feature that readers choose.

import { useState } from "preact/hooks";
import type { Slices as Content } from "./contents";
import { count, fixed, fixedSigned, pretty } from "./format";
import { Bar } from "./summary";

export function Slices({ slices, label }: { slices: Content[]; label: string }) {
  const [at, setAt] = useState(0);
  const shown = slices[Math.min(at, slices.length - 1)];
  const { by, slices: parts, error_name: errorName, level } = shown;
  const largest = Math.max(...parts.flatMap((s) => [s.observed, s.predicted].map(Math.abs))) || 1;
  const format = fixed(largest, 3);
  const difference = fixedSigned(largest);
  const largestError = Math.max(...parts.map((s) => s.error)) || 1;
  const error = fixed(largestError, 3);
  return (
    <details id="slices" open>
      <summary>Measures by slice</summary>
      <p class="note">
        Rows with the same level, or in the same band of numbers
        {label && `; observed is the share of ${label}, predicted its mean probability`}
        {level !== null &&
          "; observed is the share of rows up to their prediction, predicted its level"}
        . Slices of fewer than five rows are joined.
      </p>
      <p>
        <label>
          Sliced by{" "}
          <select
            id="slice-by"
            value={at}
            onChange={(event) => setAt(Number(event.currentTarget.value))}
          >
            {slices.map((one, k) => (
              <option value={k}>{one.by}</option>
            ))}
          </select>
        </label>
      </p>
      <div class="scroll">
        <table class="sliced">
          <thead>
            <tr>
              <th scope="col">{by}</th>
              {["rows", "observed", "predicted", "difference", errorName].map((name) => (
                <th scope="col" class="number">
                  {name}
                </th>
              ))}
              <th scope="col" aria-label={`${errorName} as a bar`} />
            </tr>
          </thead>
          <tbody>
            {parts.map((part) => (
              <tr>
                <th scope="row">{pretty(part.values)}</th>
                <td class="number">{count(part.n_rows)}</td>
                <td class="number">{format(part.observed)}</td>
                <td class="number">{format(part.predicted)}</td>
                <td class="number">{difference(part.predicted - part.observed)}</td>
                <td class="number">{error(part.error)}</td>
                <td class="bar">
                  <Bar share={part.error / largestError} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
