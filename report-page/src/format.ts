// Numbers and rules as people write them.

const MINUS = "−";

/** A few significant digits, without exponent unless the number is tiny. */
export function brief(value: number, digits = 3): string {
  const size = Math.abs(value);
  if (size > 0 && (size < 1e-7 || size >= 1e15)) return sign(value.toExponential(digits - 1));
  const decimals = size > 0 ? Math.max(0, digits - 1 - Math.floor(Math.log10(size))) : 0;
  return sign(trim(value.toFixed(Math.min(decimals, 20))));
}

export function signed(value: number, text = brief(value)): string {
  return value > 0 && Number(text.replace(MINUS, "-")) !== 0 ? `+${text}` : text;
}

/** A formatter with as many decimals as the largest number needs, so that columns line up. */
export function fixed(largest: number, digits = 4): (value: number) => string {
  const size = Math.abs(largest);
  if (!(size > 1e-7)) return (value) => brief(value);
  const decimals = Math.min(20, Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
  return (value) => sign((Number(value.toFixed(decimals)) + 0).toFixed(decimals));
}

/** The same, with a plus before positive numbers. */
export function fixedSigned(largest: number): (value: number) => string {
  const format = fixed(largest);
  return (value) => signed(value, format(value));
}

/** A value of a numeric feature: exact, as short as possible. */
export function exact(value: number): string {
  return sign(String(value));
}

export function percent(share: number): string {
  if (share > 0 && share < 0.005) return "<1 %";
  return `${Math.round(100 * share)} %`;
}

export function count(number: number): string {
  return Number.isInteger(number) ? grouped(number) : brief(number);
}

function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function plural(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}

/** Text with typographic minus signs before numbers. */
export function prose(text: string): string {
  return text.replace(/(^|[\s({])-(?=[\d.])/g, `$1${MINUS}`);
}

/** A rule with short signs and spaces at which lines do not break. */
export function pretty(rule: string): string {
  return prose(rule)
    .replaceAll("<=", "≤")
    .replaceAll("!=", "≠")
    .replace(/ (≤|<|>|=|≠|in|or) /g, "\u00a0$1\u00a0");
}

/** What does not fit in the middle is left out: names often differ at their ends. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - last)}…${text.slice(text.length - last)}`;
}

/** The shortest number in (low, high], near the middle. */
export function shortest(low: number, high: number): number {
  const middle = low + (high - low) / 2;
  for (let digits = 1; digits <= 16; digits++) {
    const number = Number(middle.toPrecision(digits));
    if (low < number && number <= high) return number;
  }
  return high;
}

/** A number on an axis, short enough for the margin: 100, 20k, 2.5M, 5e−5. */
export function tick(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 1e-3) return sign(Number(value.toPrecision(6)).toExponential());
  for (const [unit, name] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const) {
    if (size >= unit)
      return exact(Number((value / (name === "k" ? 1e3 : unit)).toPrecision(6))) + name;
  }
  return exact(Number(value.toPrecision(6)));
}

function sign(text: string): string {
  return text.replaceAll("-", MINUS);
}

function trim(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
