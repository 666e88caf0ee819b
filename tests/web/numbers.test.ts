import assert from "node:assert/strict";
import { test } from "node:test";
import { firstChoice, modelKind, usable } from "../../web/src/model_kind";
import {
  decimals,
  letter,
  parameterCount,
  perplexity,
  probability,
  share,
} from "../../web/src/numbers";

test("decimals are fixed, with a real minus and no minus zero", () => {
  assert.equal(decimals(1.005, 1), "1.0");
  assert.equal(decimals(-2.345, 1), "−2.3");
  assert.equal(decimals(-0.01, 1), "0.0");
  assert.equal(decimals(NaN, 2), "–");
  assert.equal(decimals(Infinity, 2), "–");
});

test("probabilities keep two decimals and never vanish", () => {
  assert.equal(probability(0), "100.00 %");
  assert.equal(probability(1), "50.00 %");
  assert.equal(probability(20), "< 0.01 %");
});

test("perplexities of any size stay short", () => {
  assert.deepEqual([1, 3.529, 99.94, 2048.4, 2.5e9, Infinity].map(perplexity), [
    "1.00",
    "3.53",
    "99.9",
    "2,048",
    "2.50e9",
    "–",
  ]);
});

test("a share is 0 % or 100 % only when it is", () => {
  assert.deepEqual(
    [share(0, 10), share(1, 1000), share(19, 100), share(999, 1000), share(5, 5), share(0, 0)].map(
      (text) => text.replaceAll("\u00a0", " "),
    ),
    ["0 %", "< 1 %", "19 %", "> 99 %", "100 %", "–"],
  );
  assert.equal(parameterCount(5_800_000).replace("\u00a0", " "), "5.8 M");
  assert.deepEqual([0, 25, 26].map(letter), ["A", "Z", "27"]);
});

test("kinds of models, and what the page cannot use", () => {
  assert.equal(modelKind({ id: "a", parameters: 10, trained_parameters: 10 }), "fully trained");
  assert.equal(modelKind({ id: "a", parameters: 10, trained_parameters: 2 }), "embeddings only");
  assert.equal(usable({ id: "a", status: "failed", reason: "torn" }), "could not be loaded: torn");
  assert.match(usable({ id: "a", tokenizer: { kind: "none" } })!, /ids only/);
  assert.equal(usable({ id: "a", tokenizer: { kind: "symbols" } }), null);
});

test("the first choice puts a trained model beside one with a frozen core and the same tokens", () => {
  const model = (id: string, trained: number, hash: string) => ({
    id,
    parameters: 10,
    trained_parameters: trained,
    tokenizer: { kind: "sentencepiece", hash },
  });
  const listed = [model("toy", 10, "x"), model("frozen", 2, "y"), model("whole", 10, "y")];
  assert.deepEqual(firstChoice(listed), ["frozen", "whole"]);
  assert.deepEqual(firstChoice([listed[0]!, listed[1]!]), ["toy", "frozen"]);
  assert.deepEqual(firstChoice([{ ...listed[0]!, status: "failed" }]), []);
  assert.deepEqual(firstChoice([]), []);
});
