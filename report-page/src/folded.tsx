// Features beyond the first hundreds, and many without effect: listed by name, drawn when one is
// chosen or searched for.

import { useState } from "preact/hooks";
import type { FeatureContents } from "./contents";
import { brief, percent, plural } from "./format";

const N_SHOWN = 200;
const N_FOUND = 50;
const N_FLAT = 5; // as many features without effect are drawn

/** The features that are drawn: the most important, those that interact, and those asked for. */
export function shownFeatures(
  features: FeatureContents[],
  opened: ReadonlySet<number>,
  matches: ReadonlySet<number> | null,
): FeatureContents[] {
  let nFound = 0;
  const nMoving = features.filter(({ importance }) => importance > 0).length;
  const nDrawn = features.length - nMoving > N_FLAT ? Math.max(1, nMoving) : features.length;
  return features.filter(
    ({ index, conditioned_on, jumps }, rank) =>
      rank < Math.min(N_SHOWN, nDrawn) ||
      conditioned_on.length > 0 ||
      jumps.length > 0 ||
      opened.has(index) ||
      (matches?.has(index) && nFound++ < N_FOUND),
  );
}

interface FoldedProps {
  features: FeatureContents[]; // those that are not drawn
  totalImportance: number;
  open: (index: number) => void;
}

export function Folded({ features, totalImportance, open }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  const importance = features.reduce((sum, feature) => sum + feature.importance, 0);
  const share = totalImportance > 0 ? importance / totalImportance : 0;
  return (
    <details class="folded" id="folded" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {importance > 0
          ? `${plural(features.length, "less important feature")}, together ${percent(share)} of all movement`
          : `${plural(features.length, "feature")} without effect`}
      </summary>
      <p class="note">Choose one to draw it, and to have it in all sections of this page.</p>
      {isOpen && (
        <ul>
          {features.map((feature) => (
            <li>
              <button class="quiet" onClick={() => open(feature.index)}>
                {feature.name}
              </button>
              <span class="muted">{brief(feature.importance)}</span>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
