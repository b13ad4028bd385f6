// How well the model does on given rows: in total, by prediction, by threshold, by slice.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useWidth } from "./chart";
import type { CalibrationGroup, Correlations, Measures as Content, Residuals } from "./contents";
import { Decisions, ConfusionTable } from "./decisions";
import { brief, count, fixed, fixedSigned, plural } from "./format";
import { drawCalibration, drawResiduals } from "./measured";
import { Slices } from "./slices";

const GIVEN_ROWS = "given rows"; // an origin that says nothing

interface Props {
  measures: Content;
  chosen: number; // class of many
  classes: (string | number | boolean)[];
}

export function Measures({ measures, chosen, classes }: Props) {
  const hasMany = classes.length > 2;
  const output = measures.outputs[hasMany ? chosen : 0];
  const label = hasMany ? String(classes[chosen]) : classes.length ? String(classes[1]) : "";
  return (
    <section id="measures" aria-labelledby="measures-title">
      <h2 id="measures-title">Measures</h2>
      <Origin measures={measures} />
      <p class="measures">
        {Object.entries(measures.performance).map(([name, value], k) => (
          <>
            {k > 0 && " · "}
            {name} <strong>{brief(value, 4)}</strong>
          </>
        ))}
      </p>
      {output && output.calibration.length > 0 && (
        <Calibration groups={output.calibration} label={label} />
      )}
      {measures.residuals && measures.residuals.groups.length > 0 && (
        <ResidualTable residuals={measures.residuals} />
      )}
      {output?.roc && <Decisions key={chosen} roc={output.roc} hasMany={hasMany} />}
      {hasMany && measures.confusion && <ConfusionTable confusion={measures.confusion} />}
      {output && output.slices.length > 0 && <Slices slices={output.slices} label={label} />}
      {!output && <p class="note">This class is beyond those that have measures of their own.</p>}
      <MoveTogether correlations={measures.correlations} />
    </section>
  );
}

function Origin({ measures }: { measures: Content }) {
  const { origin, is_training: isTraining, is_weighted: isWeighted, n_rows: nRows } = measures;
  return (
    <p id="measured-on">
      All measures below are of <strong>{plural(nRows, "row")}</strong>
      {isTraining ? (
        <>
          , the <strong>training rows</strong>, which the model has learned from. On new rows it
          will do worse.
        </>
      ) : (
        <>{origin !== GIVEN_ROWS && ` (${origin})`}, which are not the training table.</>
      )}
      {isWeighted && " Means and shares are weighted."}
      {measures.is_rate &&
        " Observed and predicted are per unit of exposure, and tenths hold equal exposure."}
    </p>
  );
}

/** A picture that is drawn again when its width changes. */
function Picture({ draw, name }: { draw: (width: number) => Element; name: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  useLayoutEffect(() => {
    if (width) frame.current!.replaceChildren(draw(width));
  }, [draw, width]);
  return <div class="path" ref={frame} role="img" aria-label={name} />;
}

interface CalibrationProps {
  groups: CalibrationGroup[];
  label: string;
}

/** Predicted against observed, in tenths of the rows that were given. */
function Calibration({ groups, label }: CalibrationProps) {
  const largest = Math.max(...groups.flatMap((g) => [g.predicted, g.observed].map(Math.abs))) || 1;
  const format = fixed(largest, 3);
  return (
    <details id="calibration" open>
      <summary>Predicted against observed</summary>
      <p class="note">
        The rows in tenths, from the lowest predictions to the highest
        {label && `; predicted is the mean probability of ${label}, observed its share`}.
      </p>
      <div class="pair">
        <Picture
          draw={(width) => drawCalibration(groups, width)}
          name="Observed against predicted"
        />
        <TableOfTenths
          names={["rows", "predicted", "observed"]}
          tenths={groups.map((group) => [
            count(group.n_rows),
            format(group.predicted),
            format(group.observed),
          ])}
        />
      </div>
    </details>
  );
}

function TableOfTenths({ names, tenths }: { names: string[]; tenths: string[][] }) {
  return (
    <table>
      <thead>
        <tr>
          {["tenth", ...names].map((name) => (
            <th scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {tenths.map((cells, k) => (
          <tr>
            <th scope="row" class="number">
              {count(k + 1)}
            </th>
            {cells.map((cell) => (
              <td class="number">{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ResidualTable({ residuals }: { residuals: Residuals }) {
  const { groups, quantiles, mean } = residuals;
  const largest = Math.max(...groups.flatMap((g) => [g.low, g.high].map(Math.abs))) || 1;
  const format = fixedSigned(largest);
  const predicted = fixed(Math.max(...groups.map((g) => Math.abs(g.predicted))) || 1, 3);
  return (
    <details id="residuals" open>
      <summary>Residuals</summary>
      <p class="note">
        Observed minus predicted, on average {brief(mean)}.
        {quantiles.length > 0 &&
          ` Of all rows ${quantiles.map(([share, value]) => `${Math.round(100 * share)} % lie below ${brief(value)}`).join(", ")}.`}{" "}
        The tenths are those above; bars hold the middle half of their residuals, dots are medians
        and rings means.
      </p>
      <div class="pair">
        <Picture draw={(width) => drawResiduals(groups, width)} name="Residuals by prediction" />
        <div class="scroll">
          <TableOfTenths
            names={["predicted", "mean", "25 %", "median", "75 %"]}
            tenths={groups.map((group) => [
              predicted(group.predicted),
              ...[group.mean, group.low, group.median, group.high].map(format),
            ])}
          />
        </div>
      </div>
    </details>
  );
}

function MoveTogether({ correlations }: { correlations: Correlations }) {
  const { pairs, threshold, features, n_rows: nRows } = correlations;
  return (
    <div id="correlations">
      <h3>Features that move together</h3>
      {pairs.length === 0 ? (
        <p class="note">
          None of the {plural(features.length, "feature")} with an order has a rank correlation
          beyond ±{brief(threshold)} with another ({plural(nRows, "row")}).
        </p>
      ) : (
        <>
          <p class="note">
            Pairs with a rank correlation beyond ±{brief(threshold)} ({plural(nRows, "row")}) share
            their effect: what one curve shows could as well be in the other, so they are to be read
            together.
          </p>
          <ul>
            {pairs.map(({ first, second, correlation }) => (
              <li>
                {first} and {second}: {brief(correlation, 2)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
