// The trees, and the ledger: which splits were made, which were refused and why.

import { useLayoutEffect, useRef } from "preact/hooks";
import { Swatch, useWidth } from "./chart";
import type { Contents, FeatureContents, PathPoint, Split } from "./contents";
import { count, percent, pretty } from "./format";
import { drawPath } from "./path";

export function Splits({ contents }: { contents: Contents }) {
  const { features, ledger, summary } = contents;
  const split = features.filter((feature) => feature.partition.length > 0);
  return (
    <section id="splits" aria-labelledby="splits-title">
      <h2 id="splits-title">Splits</h2>
      {split.length === 0 && <p>No feature is split: every feature has one curve.</p>}
      <div class="trees">
        {split.map((feature) => (
          <Tree key={feature.index} feature={feature} />
        ))}
      </div>
      {ledger && ledger.path.length > 0 && (
        <>
          <h3>How many splits</h3>
          <p class="note">
            Error on rows held out by cross-validation, with the standard error of its difference to
            the best.
          </p>
          <Path path={ledger.path} metric={summary.metric.replace("_", " ")} />
        </>
      )}
      {ledger && ledger.splits.length > 0 && (
        <>
          <h3>Ledger</h3>
          <p class="note">
            What was considered: the curves of the feature would be told apart by the condition,
            within the region. "Explains" is the share of the region's remaining interaction that
            the split takes away.
          </p>
          <Records title="Made" splits={ledger.splits.filter((record) => record.accepted)} isOpen />
          <Records title="Refused" splits={ledger.splits.filter((record) => !record.accepted)} />
        </>
      )}
    </section>
  );
}

function Tree({ feature }: { feature: FeatureContents }) {
  return (
    <div class="tree" data-feature={feature.name}>
      <h4>
        <a href={`#feature-${feature.index}`}>{feature.name}</a>
      </h4>
      <ul>
        {feature.partition.map(({ depth, rule, leaf }) => (
          <li style={{ marginLeft: `${1.2 * depth}em` }}>
            <span class="rule">{pretty(rule)}</span>
            {leaf !== null && (
              <>
                {" "}
                <Swatch region={leaf} />{" "}
                <span class="muted">{percent(feature.regions[leaf].share)} of rows</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Path({ path, metric }: { path: PathPoint[]; metric: string }) {
  const ref = useRef<HTMLDivElement>(null);
  const width = useWidth(ref);
  useLayoutEffect(() => {
    if (width) ref.current!.replaceChildren(drawPath(path, metric, Math.min(width, 720)));
  }, [width]);
  return <div ref={ref} class="path" />;
}

function Records({
  title,
  splits,
  isOpen = false,
}: {
  title: string;
  splits: Split[];
  isOpen?: boolean;
}) {
  if (splits.length === 0) return null;
  const hasReasons = splits.some((record) => record.reason);
  return (
    <details open={isOpen}>
      <summary>
        {title}: {count(splits.length)}
      </summary>
      <div class="scroll">
        <table class="ledger">
          <thead>
            <tr>
              <th scope="col">feature</th>
              <th scope="col">condition</th>
              <th scope="col">region</th>
              <th scope="col" class="number">
                rows
              </th>
              <th scope="col" class="number">
                explains
              </th>
              {hasReasons && <th scope="col">refused because</th>}
            </tr>
          </thead>
          <tbody>
            {splits.map((record) => (
              <tr>
                <th scope="row">{record.feature}</th>
                <td>
                  <span class="rule short" title={record.condition}>
                    {record.condition ? pretty(record.condition) : "–"}
                  </span>
                </td>
                <td class="muted">
                  <span class="rule short" title={record.region}>
                    {pretty(record.region)}
                  </span>
                </td>
                <td class="number">
                  {record.condition
                    ? `${count(record.n_left)} + ${count(record.n_right)}`
                    : count(record.n_rows)}
                </td>
                <td class="number">{record.drop === null ? "–" : percent(record.drop)}</td>
                {hasReasons && <td class="muted">{record.reason}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
