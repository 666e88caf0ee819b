import assert from "node:assert/strict";
import { test } from "node:test";
import {
  contrast,
  differenceShade,
  kMaxBits,
  kMaxDifference,
  surpriseShade,
  type Shade,
  type Theme,
} from "../../web/src/color_scale";

const kThemes: Theme[] = ["light", "dark"];
const kPaper = { light: "#ffffff", dark: "#1c2027" };

function steps(from: number, to: number): number[] {
  return Array.from({ length: 241 }, (_, step) => from + ((to - from) * step) / 240);
}

test("contrast is WCAG's", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#777777"), 1);
  assert.ok(Math.abs(contrast("#777777", "#ffffff") - 4.48) < 0.01);
});

test("text stands out by 4.5 : 1 on every colour of both scales in both themes", () => {
  for (const theme of kThemes) {
    for (const bits of steps(0, kMaxBits)) assertReadable(surpriseShade(bits, theme));
    for (const bits of steps(-kMaxDifference, kMaxDifference)) {
      assertReadable(differenceShade(bits, theme));
    }
  }
});

test("lightness changes steadily, so that the scales need no telling hues apart", () => {
  for (const theme of kThemes) {
    assertSteady(
      steps(0, kMaxBits).map((bits) => surpriseShade(bits, theme)),
      theme,
    );
    for (const sign of [-1, 1]) {
      const side = steps(0, sign * kMaxDifference);
      assertSteady(
        side.map((bits) => differenceShade(bits, theme)),
        theme,
      );
    }
  }
});

test("nothing surprising has the paper's colour; the ends of the scale hold beyond it", () => {
  for (const theme of kThemes) {
    assert.equal(surpriseShade(0, theme).background, kPaper[theme]);
    assert.equal(differenceShade(0, theme).background, kPaper[theme]);
    assert.deepEqual(surpriseShade(1e9, theme), surpriseShade(kMaxBits, theme));
    assert.deepEqual(surpriseShade(Infinity, theme), surpriseShade(kMaxBits, theme));
    assert.deepEqual(surpriseShade(-1, theme), surpriseShade(0, theme));
    assert.deepEqual(surpriseShade(NaN, theme), surpriseShade(0, theme));
    assert.notDeepEqual(differenceShade(3, theme), differenceShade(-3, theme));
  }
});

function assertReadable({ background, ink }: Shade): void {
  assert.ok(contrast(background, ink) >= 4.5, `${ink} on ${background}`);
}

function assertSteady(shades: Shade[], theme: Theme): void {
  const distance = shades.map(({ background }) => contrast(background, kPaper[theme]));
  distance
    .slice(1)
    .forEach((value, index) => assert.ok(value >= distance[index]!, `step ${index}`));
}
