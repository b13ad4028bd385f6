// The audit in sentences: direction, a typical change and the hidden jumps of every feature.

import type { FeatureContents } from "./contents";
import { prose } from "./format";
import { FeatureName, directionText } from "./summary";

export function Audit({ range, features }: { range: string[]; features: FeatureContents[] }) {
  return (
    <section id="audit" aria-labelledby="audit-title">
      <h2 id="audit-title">Audit</h2>
      <p class="note">
        Statements about the model, not about the data: they hold for all inputs (all numbers, the
        levels seen in training, missing values where training had some) and were computed exactly,
        unless they say otherwise.
      </p>
      {range.map((text) => (
        <p class="range">{prose(text)}</p>
      ))}
      <table class="audit">
        <thead>
          <tr>
            <th scope="col">feature</th>
            <th scope="col">direction</th>
            <th scope="col">statements</th>
          </tr>
        </thead>
        <tbody>
          {features.map((feature) => (
            <tr key={feature.index} data-feature={feature.name}>
              <FeatureName feature={feature} />
              <td>{directionText(feature)}</td>
              <td>
                <p>{prose(feature.verdict)}</p>
                {feature.evidence.length > 0 && (
                  <ul class="evidence">
                    {feature.evidence.map((text) => (
                      <li>{prose(text)}</li>
                    ))}
                  </ul>
                )}
                {feature.move && <p>{prose(feature.move)}</p>}
                {feature.jumps.map((jump) => (
                  <p>
                    <span class="arrow">{jump.arrow}</span> {prose(jump.sentence)}
                  </p>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
