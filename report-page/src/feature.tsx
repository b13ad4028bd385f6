// One feature: its chart, a legend to choose curves from, and its jumps in sentences.

import { useState } from "preact/hooks";
import { Chart, Swatch } from "./chart";
import type { FeatureContents } from "./contents";
import { brief, percent, plural, pretty, prose } from "./format";
import { hiddenLevels } from "./levels";
import type { Model } from "./model";

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
        {totalImportance > 0 &&
          `, ${percent(feature.importance / totalImportance)} of all movement`}
        {" · "}
        {feature.regions.length > 1
          ? `${plural(feature.regions.length, "curve")}, chosen by ${feature.conditioned_on.join(", ")}`
          : "one curve for everybody"}
      </p>
      {feature.regions.length > 1 && (
        <Legend feature={feature} visible={visible} toggle={toggle} only={only} />
      )}
      <Chart {...{ feature, term, visible, allLevels, model }} />
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
