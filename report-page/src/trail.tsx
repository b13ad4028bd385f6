// What was done to the model since the fit, and how often its intervals hold the truth.

import type { Coverage, EditRecord } from "./contents";
import { brief, count, percent, pretty } from "./format";

export function Trail({ trail }: { trail: EditRecord[] }) {
  if (trail.length === 0) return null;
  return (
    <section id="trail" aria-labelledby="trail-title">
      <h2 id="trail-title">Edits</h2>
      <p class="note">
        What was changed after the fit, in this order. The largest change is that of the score over
        all inputs.
      </p>
      <table>
        <thead>
          <tr>
            <th>Date</th>
            <th>Edit</th>
            <th>Who, why</th>
            <th class="number">Largest change</th>
            <th class="number">Loss</th>
          </tr>
        </thead>
        <tbody>
          {trail.map(({ date, what, who, why, effect }) => (
            <tr>
              <td>{date}</td>
              <td>{what}</td>
              <td>{[who, why].filter(Boolean).join(": ")}</td>
              <td class="number">
                {effect.exact ? "" : "≤ "}
                {brief(effect.largest_change)}
              </td>
              <td class="number">
                {effect.loss_before !== null &&
                  effect.loss_after !== null &&
                  `${brief(effect.loss_before, 4)} → ${brief(effect.loss_after, 4)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Intervals({ coverage }: { coverage: Coverage[] }) {
  if (coverage.length === 0) return null;
  return (
    <section id="intervals" aria-labelledby="intervals-title">
      <h2 id="intervals-title">Intervals</h2>
      <p class="note">
        How often the 90 % prediction intervals hold the outcome on the given rows, in total and by
        region.
      </p>
      <table>
        <thead>
          <tr>
            <th>Region</th>
            <th class="number">Rows</th>
            <th class="number">Coverage</th>
            <th class="number">Mean width</th>
          </tr>
        </thead>
        <tbody>
          {coverage.map(({ feature, rule, n_rows, coverage: share, width }) => (
            <tr>
              <td>{feature ? `${feature}: ${pretty(rule)}` : "all rows"}</td>
              <td class="number">{count(n_rows)}</td>
              <td class="number">{percent(share)}</td>
              <td class="number">{brief(width)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
