import assert from "node:assert/strict";
import { test } from "node:test";
import { differences } from "../../web/src/difference";
import type { ShownToken } from "../../web/src/tokens";

function cut(...pieces: [string, number | null][]): ShownToken[] {
  let at = 0;
  return pieces.map(([piece, bits]) => {
    const start = at;
    at += new TextEncoder().encode(piece).length;
    return { text: piece, partial: false, start, end: at, id: null, bits, alternatives: null };
  });
}

function rows(tokens: ShownToken[]): [string, number | null][] {
  return tokens.map(({ text, bits }) => [text, bits]);
}

test("with the same tokens it is token by token", () => {
  const found = differences("ab c", cut(["ab", 3], [" c", 1]), cut(["ab", 1], [" c", 4]));
  assert.deepEqual(rows(found), [
    ["ab", 2],
    [" c", -3],
  ]);
});

test("with other tokens it is over the smallest stretches that both cut out", () => {
  const first = cut(["a", 1], ["bc", 2], ["é", 4], ["f", 8]);
  const second = cut(["ab", 1], ["c", 1], ["éf", 2]);
  const found = differences("abcéf", first, second);
  assert.deepEqual(rows(found), [
    ["abc", 1],
    ["éf", 10],
  ]);
  assert.deepEqual(
    found.map(({ start, end }) => [start, end]),
    [
      [0, 3],
      [3, 6],
    ],
  );
});

test("differences sum to the difference of the sums", () => {
  const first = cut(["a", 1.5], ["b", 0.5], ["cd", 2]);
  const second = cut(["abc", 3], ["d", 0.25]);
  const sum = differences("abcd", first, second).reduce((total, { bits }) => total + bits!, 0);
  assert.equal(sum, 0.75);
});

test("a stretch with a token that was not scored has no difference", () => {
  const found = differences("ab", cut(["a", null], ["b", 1]), cut(["a", 1], ["b", 2]));
  assert.deepEqual(rows(found), [
    ["a", null],
    ["b", -1],
  ]);
});

test("no tokens, no differences", () => {
  assert.deepEqual(differences("", [], []), []);
});
