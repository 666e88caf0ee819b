import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHash, toHash } from "../../web/src/permalink";
import { defaultSettings, type Settings } from "../../web/src/settings";

const kAwkward = "a&b=c#d%41 +\n\t\"'🐚é\u2581";

test("a completion comes back whole: prompt, parameters, seed", () => {
  const settings: Settings = {
    ...defaultSettings,
    models: ["runs/a", "b&c"],
    prompt: kAwkward,
    maxTokens: "7",
    temperature: "0",
    topP: "",
    seed: "9007199254740991",
    stop: "\\n",
  };
  assert.deepEqual(fromHash(`#${toHash(settings)}`), settings);
});

test("a text to measure comes back whole", () => {
  const settings: Settings = {
    ...defaultSettings,
    view: "surprise",
    models: ["a"],
    text: kAwkward,
  };
  assert.deepEqual(fromHash(toHash(settings)!), settings);
});

test("what a link leaves out, or spells wrongly, stays as it was", () => {
  assert.deepEqual(fromHash(""), defaultSettings);
  assert.deepEqual(fromHash("#view=else&unknown=1&%"), defaultSettings);
  const before = { ...defaultSettings, seed: "5", models: ["a"] };
  assert.deepEqual(fromHash("#prompt=x", before), { ...before, prompt: "x" });
});

test("a model named twice is chosen once", () => {
  assert.deepEqual(fromHash("#model=a&model=b&model=a").models, ["a", "b"]);
});

test("a text that is too long for an address makes no link", () => {
  assert.equal(toHash({ ...defaultSettings, prompt: "x".repeat(20000) }), null);
});
