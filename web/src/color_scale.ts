/**
 * Colours of surprise and of its difference.
 *
 * Both scales change lightness steadily, so that they can be read without telling hues apart and
 * in grey print. Each colour comes with the ink, black or white, that stands out more on it; that
 * is never less than 4.5 : 1 (WCAG AA), which a test checks over both scales and themes.
 */

export type Theme = "light" | "dark";

type Rgb = readonly [number, number, number];

export interface Shade {
  background: string;
  ink: string;
}

/** The surprise in bits at which the scale ends; rarer tokens share the last colour. */
export const kMaxBits = 12;
/** The same for the difference of two models, to either side. */
export const kMaxDifference = 6;

const kInk = { dark: "#000000", light: "#ffffff" };

const kSurprise: Record<Theme, Rgb[]> = {
  light: [
    hex("#ffffff"),
    hex("#fde3b4"),
    hex("#f3a25f"),
    hex("#cc4d55"),
    hex("#7f2368"),
    hex("#2f1150"),
  ],
  dark: [
    hex("#1c2027"),
    hex("#3a2359"),
    hex("#7f2a6b"),
    hex("#c9474f"),
    hex("#f09a4a"),
    hex("#fbe6a2"),
  ],
};

const kDifference: Record<Theme, { below: Rgb[]; above: Rgb[] }> = {
  light: {
    below: [hex("#ffffff"), hex("#bcd7ee"), hex("#5f9ccd"), hex("#1f5c99"), hex("#0c2f5c")],
    above: [hex("#ffffff"), hex("#fbd9b0"), hex("#e39a48"), hex("#b25c12"), hex("#642d04")],
  },
  dark: {
    below: [hex("#1c2027"), hex("#1d4166"), hex("#2f74b0"), hex("#79b2e2"), hex("#cde5f8")],
    above: [hex("#1c2027"), hex("#5c3712"), hex("#a8641c"), hex("#e5a04e"), hex("#fbdfb6")],
  },
};

export function surpriseShade(bits: number, theme: Theme): Shade {
  return shade(along(kSurprise[theme], bits / kMaxBits));
}

/** Above zero: the first model was more surprised; below: the second. */
export function differenceShade(bits: number, theme: Theme): Shade {
  const side = bits < 0 ? kDifference[theme].below : kDifference[theme].above;
  return shade(along(side, Math.abs(bits) / kMaxDifference));
}

/** Contrast ratio of two colours after WCAG 2, 1 to 21. */
export function contrast(first: string, second: string): number {
  const [high, low] = [luminance(hex(first)), luminance(hex(second))].sort((a, b) => b - a);
  return (high! + 0.05) / (low! + 0.05);
}

function shade(color: Rgb): Shade {
  const background = toHex(color);
  const ink =
    contrast(background, kInk.dark) >= contrast(background, kInk.light) ? kInk.dark : kInk.light;
  return { background, ink };
}

function along(stops: Rgb[], position: number): Rgb {
  const clamped = Number.isNaN(position) ? 0 : Math.min(1, Math.max(0, position));
  const scaled = clamped * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(scaled));
  const rest = scaled - index;
  const [from, to] = [stops[index]!, stops[index + 1]!];
  return [0, 1, 2].map((i) => Math.round(from[i]! + rest * (to[i]! - from[i]!))) as unknown as Rgb;
}

function luminance(color: Rgb): number {
  const [r, g, b] = color.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function hex(color: string): Rgb {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb;
}

function toHex(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
