import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScoredToken } from "../../web/src/api_types";
import { arrivedTokens, cutText, scoredTokens, spell, tokenAt } from "../../web/src/tokens";

function scored(...spans: [number, number][]): ScoredToken[] {
  return spans.map(([start, end], id) => ({ id, text: "", start, end, nats: Math.LN2 * (id + 1) }));
}

function arrived(...tokens: [string, number][]) {
  return arrivedTokens({
    tokens: tokens.map(([text]) => text),
    token_logprobs: tokens.map(() => -Math.LN2),
    top_logprobs: null,
    text_offset: tokens.map(([, offset]) => offset),
  });
}

test("scored tokens are cut from the text's bytes; parts of characters show their bytes", () => {
  const tokens = scoredTokens("a é🐚", scored([0, 2], [2, 4], [4, 5], [5, 8]));
  assert.deepEqual(
    tokens.map(({ text, partial }) => [text, partial]),
    [
      ["a ", false],
      ["é", false],
      ["⟨F0⟩", true],
      ["⟨9F 90 9A⟩", true],
    ],
  );
  assert.deepEqual(
    tokens.map(({ bits }) => bits),
    [1, 2, 3, 4],
  );
});

test("a token that was not scored has no bits, and a byte order mark is text", () => {
  const [token] = scoredTokens("\ufeffa", [{ id: 1, text: "", start: 0, end: 4, nats: null }]);
  assert.equal(token!.bits, null);
  assert.equal(token!.text, "\ufeffa");
});

test("generated tokens are cut at their offsets and join to the text", () => {
  const text = "x 🐚y";
  const tokens = cutText(
    text,
    arrived(["x", 0], [" ", 1], ["bytes:\\xf0\\x9f", 2], ["bytes:\\x90\\x9a", 2], ["y", 3]),
  );
  assert.deepEqual(
    tokens.map(({ text: shown }) => shown),
    ["x", " ", "⟨F0 9F⟩", "🐚", "y"],
  );
  const whole = tokens.filter(({ partial }) => !partial).map(({ text: shown }) => shown);
  assert.equal(whole.join(""), text);
});

test("offsets count from the first token, wherever the server starts", () => {
  assert.deepEqual(
    cutText("ab", arrived(["a", 40], ["b", 41])).map(({ text }) => text),
    ["a", "b"],
  );
});

test("text that is held back or cut by a stop string leaves no token behind", () => {
  assert.deepEqual(
    cutText("ab", arrived(["ab", 0], ["stop", 2])).map(({ text }) => text),
    ["ab"],
  );
  assert.deepEqual(cutText("", arrived(["a", 0])), []);
  assert.deepEqual(cutText("", []), []);
});

test("the end of a document is shown as a token without text", () => {
  const tokens = cutText("ab", arrived(["ab", 0], ["", 2]));
  assert.deepEqual(
    tokens.map(({ text, partial }) => [text, partial]),
    [
      ["ab", false],
      ["⟨end⟩", true],
    ],
  );
});

test("places find their token", () => {
  const tokens = scoredTokens("abcd", scored([0, 1], [1, 1], [1, 4]));
  assert.deepEqual(
    [-1, 0, 1, 3, 4].map((place) => tokenAt(tokens, place)),
    [-1, 0, 2, 2, -1],
  );
});

test("nothing is invisible when spelled", () => {
  assert.equal(spell(" a\n\t"), "␣a↵⇥");
  assert.equal(spell("bytes:\\xe2\\x82"), "⟨E2 82⟩");
  assert.equal(spell(""), "⟨end⟩");
});
