/** Numbers as the page prints them: fixed decimals, so that columns of them line up. */

export function bits(nats: number): number {
  return nats / Math.LN2;
}

export function decimals(value: number, places: number): string {
  if (!Number.isFinite(value)) return "–";
  const rounded = value.toFixed(places);
  return (Number(rounded) === 0 ? (0).toFixed(places) : rounded).replace("-", "−");
}

/** Perplexities span magnitudes: three significant digits or whole numbers. */
export function perplexity(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1e6) return value.toExponential(2).replace("e+", "e");
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

/** A probability from its surprise, in per cent with two decimals, never rounded down to nothing. */
export function probability(surprise: number): string {
  const percent = 100 * 2 ** -surprise;
  return percent > 0 && percent < 0.01 ? "< 0.01 %" : `${percent.toFixed(2)} %`;
}

export function parameterCount(count: number): string {
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)}\u00a0B`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)}\u00a0M`;
  return count >= 1e3 ? `${(count / 1e3).toFixed(0)}\u00a0k` : String(count);
}

/** A share in whole per cent that says neither 0 nor 100 unless it is. */
export function share(part: number, whole: number): string {
  if (whole <= 0) return "–";
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 1) return "<\u00a01\u00a0%";
  if (part < whole && percent > 99) return ">\u00a099\u00a0%";
  return `${Math.round(percent)}\u00a0%`;
}

export function duration(milliseconds: number): string {
  return milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1000).toFixed(2)} s`;
}

/** A, B, C, ... Z, 27, 28, ...: how the page names the chosen models. */
export function letter(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1);
}
