// The model at a glance: what it predicts, how large it is, how well it does, what matters.

import type { Contents, FeatureContents, Summary as SummaryContents } from "./contents";
import { Filing } from "./filing";
import { brief, count, fixed, percent, plural } from "./format";

export function Summary({ contents, chosen }: { contents: Contents; chosen: number }) {
  const { summary, features } = contents;
  return (
    <section id="summary" aria-labelledby="summary-title">
      <h2 id="summary-title">Summary</h2>
      <p class="lead">{inWords(summary)}</p>
      <div class="columns">
        <dl class="sizes">
          <Size number={summary.n_rows} word="training row" />
          <Size number={summary.n_features} word="feature" />
          <Size number={summary.n_curves} word="curve" />
          <Size number={summary.n_splits} word="split" />
          <Size number={summary.n_pairs} word="interacting pair" />
        </dl>
        <Errors summary={summary} />
      </div>
      <Filing filed={contents.filed} />
      <h3>Features by importance</h3>
      <p class="note">
        Importance is the mean absolute contribution to the {scoreName(summary, chosen)} over the
        training rows.
      </p>
      <Importances features={features} />
      {features.length < summary.n_features && (
        <p class="note">
          {plural(summary.n_features - features.length, "less important feature")} can be chosen{" "}
          <a href="#folded">from a list</a>, or searched for.
        </p>
      )}
    </section>
  );
}

export function scoreName(summary: SummaryContents, chosen: number): string {
  if (summary.link === "softmax") return `score of ${summary.classes[chosen]}`;
  if (summary.link === "logit") return `log-odds of ${summary.classes[1]}`;
  return summary.link === "log" ? "logarithm of the prediction" : "prediction";
}

function inWords(summary: SummaryContents): string {
  const number = summary.link === "log" ? "a number, through its logarithm" : "a number";
  const what =
    summary.link === "softmax"
      ? `the probabilities of ${summary.classes.length} classes, through a score for each`
      : summary.link === "logit"
        ? `the probability of ${summary.classes[1]} (against ${summary.classes[0]}), through its log-odds`
        : summary.objective === "squared error"
          ? number
          : `${number} (${summary.objective})`;
  const how =
    summary.n_splits > 0
      ? "Every feature adds one curve's value; where a feature has several curves, plain conditions on other features choose the one that counts."
      : "Every feature adds the value of its one curve: this model is a generalized additive model.";
  return `This model predicts ${what}. ${how}`;
}

function Size({ number, word }: { number: number; word: string }) {
  const [digits, ...words] = plural(number, word).split(" ");
  return (
    <div>
      <dt>{words.join(" ")}</dt>
      <dd>{digits}</dd>
    </div>
  );
}

function Errors({ summary }: { summary: SummaryContents }) {
  const errors = [
    ["own GAM", summary.gam],
    ["this model", summary.calm],
    ["reference", summary.reference],
  ] as const;
  const known = errors.filter(([, error]) => error !== null);
  const largest = Math.max(...known.map(([, error]) => error ?? 0));
  return (
    <div class="errors">
      {known.length > 0 && (
        <table>
          <caption>
            {summary.metric.replace("_", " ")} on validation rows, set aside within the fit; shorter
            is better
          </caption>
          <tbody>
            {known.map(([name, error]) => (
              <tr class={name === "this model" ? "own" : ""}>
                <th scope="row">{name}</th>
                <td class="number">{brief(error ?? 0, 4)}</td>
                <td class="bar">
                  <Bar share={(error ?? 0) / largest} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {summary.standing !== null && (
        <p class="note">
          {summary.standing > 1
            ? "Beyond the reference"
            : `${percent(summary.standing)} of the way to the reference`}
          , the black box that pointed to the splits. The own GAM is the same model without splits.
        </p>
      )}
    </div>
  );
}

function Importances({ features }: { features: FeatureContents[] }) {
  const largest = features[0].importance || 1;
  const format = fixed(largest, 3);
  return (
    <table class="importances">
      <colgroup>
        {["26%", "6rem", "20%", "4.5rem", "auto", "8rem"].map((width) => (
          <col style={{ width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          <th scope="col">feature</th>
          <th scope="col" colSpan={2}>
            importance
          </th>
          <th scope="col" class="number">
            curves
          </th>
          <th scope="col">curve chosen by</th>
          <th scope="col">direction</th>
        </tr>
      </thead>
      <tbody>
        {features.map((feature) => (
          <tr key={feature.index} data-feature={feature.name}>
            <FeatureName feature={feature} />
            <td class="number">{format(feature.importance)}</td>
            <td class="bar">
              <Bar share={feature.importance / largest} />
            </td>
            <td class="number">{count(feature.regions.length)}</td>
            <td>{feature.conditioned_on.join(", ")}</td>
            <td class="muted">{directionText(feature)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The head of a feature's row, which leads to its chart. */
export function FeatureName({ feature }: { feature: FeatureContents }) {
  return (
    <th scope="row">
      <a href={`#feature-${feature.index}`}>{feature.name}</a>
    </th>
  );
}

/** The verdict on monotonicity in one or two words. */
export function directionText(feature: FeatureContents): string {
  const texts: Record<string, string> = {
    neither: "not monotone",
    constant: "no effect",
    unordered: "levels without order",
  };
  return texts[feature.direction] ?? feature.direction;
}

export function Bar({ share }: { share: number }) {
  return <div class="fill" style={{ width: `${100 * share}%` }} />;
}
