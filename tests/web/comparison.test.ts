import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chunk } from "../../web/src/api_types";
import {
  interrupt,
  meanBits,
  receive,
  startColumn,
  timeToFirstToken,
  tokensPerSecond,
} from "../../web/src/comparison";

function chunk(text: string, tokens: string[], finish: string | null = null): Chunk {
  const logprobs = {
    tokens,
    token_logprobs: tokens.map(() => -2 * Math.LN2),
    top_logprobs: null,
    text_offset: tokens.map(() => 0),
  };
  return { model: "m", choices: [{ index: 0, text, finish_reason: finish, logprobs }] };
}

test("a column gathers text and tokens and keeps time", () => {
  let column = startColumn("m", 1000);
  assert.equal(column.state, "waiting");
  assert.equal(timeToFirstToken(column), null);
  column = receive(column, chunk("a", ["a"]), 1050);
  assert.equal(tokensPerSecond(column), null);
  column = receive(column, chunk("bc", ["b", "c"]), 1150);
  column = receive(column, chunk("", [], "stop"), 1900);
  assert.equal(column.text, "abc");
  assert.equal(column.tokens.length, 3);
  assert.equal(column.state, "done");
  assert.equal(column.finish, "stop");
  assert.equal(timeToFirstToken(column), 50);
  assert.equal(tokensPerSecond(column), 20);
  assert.equal(meanBits(column), 2);
});

test("a token whose text is held back counts as a sign of life", () => {
  const column = receive(startColumn("m", 0), chunk("", ["bytes:\\xf0"]), 30);
  assert.equal(timeToFirstToken(column), 30);
});

test("a chunk without choices changes nothing", () => {
  const column = startColumn("m", 0);
  assert.equal(receive(column, { model: "m", choices: [] }, 9), column);
});

test("what has ended is not interrupted", () => {
  const done = receive(startColumn("m", 0), chunk("a", ["a"], "length"), 1);
  assert.equal(interrupt(done, "stopped").state, "done");
  assert.equal(interrupt(startColumn("m", 0), "stopped").state, "stopped");
});
