// The openai npm client against the server. Started by run.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

// Installed outside the sources.
const { OpenAI, APIUserAbortError, AuthenticationError, BadRequestError, NotFoundError } =
  createRequire(process.env.MESITA_NODE_MODULES + "/")("openai");

const client = (url, apiKey) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, timeout: 60_000 });
const openai = client(process.env.MESITA_URL, "any");
const model = "tiny-all";
const prompt = "Once upon a time";
const noEnd = { 2: -100 }; // the end of a document is never drawn

// Processor seconds that the server has used.
function usedSeconds() {
  const fields = readFileSync(`/proc/${process.env.MESITA_PID}/stat`, "utf8");
  const [user, system] = fields.slice(fields.lastIndexOf(")") + 2).split(" ").slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

test("list and retrieve", async () => {
  const ids = [];
  for await (const entry of openai.models.list()) ids.push(entry.id);
  assert.ok(ids.includes("tiny-all") && ids.includes("tiny-embeddings"), String(ids));
  assert.equal((await openai.models.retrieve(model)).id, model);
});

test("complete, several choices, logprobs", async () => {
  const answer = await openai.completions.create({
    model, prompt, max_tokens: 5, n: 3, seed: 1, logprobs: 2, logit_bias: noEnd,
  });
  assert.deepEqual(answer.choices.map((choice) => choice.index), [0, 1, 2]);
  for (const { logprobs, finish_reason } of answer.choices) {
    assert.equal(logprobs.token_logprobs.length, 5);
    assert.equal(finish_reason, "length");
  }
  assert.equal(answer.usage.completion_tokens, 15);
});

test("a stream is the completion", async () => {
  const options = { model: "tiny-embeddings", prompt: [prompt, "x"], max_tokens: 50, seed: 9 };
  const whole = await openai.completions.create(options);
  const texts = ["", ""];
  for await (const chunk of await openai.completions.create({ ...options, stream: true })) {
    texts[chunk.choices[0].index] += chunk.choices[0].text;
  }
  assert.deepEqual(texts, whole.choices.map((choice) => choice.text));
});

test("echo", async () => {
  const answer = await openai.completions.create({ model, prompt, max_tokens: 0, echo: true });
  assert.equal(answer.choices[0].text, prompt);
});

test("errors have their class and param", async () => {
  await assert.rejects(
    openai.completions.create({ model, prompt, temperature: -1 }),
    (error) => error instanceof BadRequestError && error.param === "temperature",
  );
  await assert.rejects(
    openai.completions.create({ model, prompt: Array(300).fill(5), stream: true }),
    (error) => error instanceof BadRequestError && error.type === "exceed_context_size_error",
  );
  await assert.rejects(
    openai.completions.create({ model: "no-such-model", prompt }),
    (error) => error instanceof NotFoundError && error.param === "model",
  );
});

test("abort frees the work", async () => {
  const abort = new AbortController();
  const stream = await openai.completions.create(
    { model: "tiny-long", prompt, max_tokens: 60_000, n: 8, stream: true, logit_bias: noEnd },
    { signal: abort.signal },
  );
  let chunks = 0;
  try {
    for await (const _ of stream) if (++chunks === 20) abort.abort();
  } catch (error) {
    assert.ok(error instanceof APIUserAbortError, String(error));
  }
  assert.ok(chunks >= 20 && chunks < 10_000, `${chunks} chunks`);
  let idle = false;
  for (let tries = 0; tries < 40 && !idle; ++tries) {
    const before = usedSeconds();
    await sleep(250);
    idle = usedSeconds() - before < 0.05;
  }
  assert.ok(idle, "the server goes on computing for a client that left");
});

test("keys", async () => {
  const url = process.env.MESITA_KEYED_URL;
  await assert.rejects(client(url, "wrong").models.list(), AuthenticationError);
  const answer = await client(url, process.env.MESITA_KEY).completions.create({ model, prompt });
  assert.equal(answer.choices.length, 1);
});
