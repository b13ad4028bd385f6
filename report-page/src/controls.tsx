// Controls for one value of a what-if: a slider and a number, or a list of levels.

import type { FeatureContents } from "./contents";
import { shortest } from "./format";
import type { Term, Value } from "./model";

const SLIDER_STEPS = 400;

interface ControlProps {
  feature: FeatureContents;
  term: Term;
  value: Value;
  change: (value: Value) => void;
}

interface NumberProps extends ControlProps {
  drag: (value: Value) => void;
  drop: () => void;
}

export function NumberControl({ feature, term, value, change, drag, drop }: NumberProps) {
  const scale = sliderScale(feature, term);
  const read = (text: string) =>
    Number.isFinite(Number(text)) && text.trim() ? Number(text) : null;
  return (
    <>
      {scale && (
        <input
          type="range"
          class={value === null ? "absent" : ""}
          min={0}
          max={scale.n_steps}
          value={value === null ? scale.n_steps / 2 : scale.position(value)}
          aria-label={`${feature.name}, slider`}
          onInput={(event) => drag(scale.value(Number(event.currentTarget.value)))}
          onChange={drop}
        />
      )}
      <input
        type="number"
        step="any"
        value={value === null ? "" : value}
        placeholder="missing"
        aria-label={feature.name}
        onChange={(event) => change(read(event.currentTarget.value))}
      />
    </>
  );
}

export function LevelControl({ feature, term, value, change }: ControlProps) {
  const { levels } = term.feature;
  return (
    <select
      aria-label={feature.name}
      value={value === null ? "missing" : value}
      onChange={(event) => {
        const text = event.currentTarget.value;
        change(text === "missing" ? null : Number(text));
      }}
    >
      {levels.map((level, code) => (
        <option value={code}>{level}</option>
      ))}
      <option value={levels.length}>(a level not listed)</option>
      <option value="missing">(missing)</option>
    </select>
  );
}

interface Scale {
  n_steps: number;
  position: (value: number) => number;
  value: (position: number) => number;
}

/** Positions of a slider: whole numbers, or even on the feature's axis, which may be logarithmic. */
function sliderScale(
  { display_edges: edges, log_from }: FeatureContents,
  term: Term,
): Scale | null {
  if (edges.length < 2) return null;
  const [lowest, highest] = [edges[0], edges[edges.length - 1]];
  if (term.feature.whole && highest - lowest <= SLIDER_STEPS) {
    return {
      n_steps: highest - lowest,
      position: (value) => value - lowest,
      value: (position) => lowest + position,
    };
  }
  const bend = (value: number) =>
    log_from === null ? value : Math.sign(value) * Math.log1p(Math.abs(value) / log_from);
  const unbend = (bent: number) =>
    log_from === null ? bent : Math.sign(bent) * log_from * Math.expm1(Math.abs(bent));
  const [low, high] = [bend(lowest), bend(highest)];
  const at = (position: number) => unbend(low + ((high - low) * position) / SLIDER_STEPS);
  return {
    n_steps: SLIDER_STEPS,
    position: (value) => (high > low ? (SLIDER_STEPS * (bend(value) - low)) / (high - low) : 0),
    value: (position) => shortest(at(position - 0.5), at(position + 0.5)),
  };
}
