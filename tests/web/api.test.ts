import assert from "node:assert/strict";
import { test } from "node:test";
import { Api, ApiError } from "../../web/src/api";
import type { Chunk } from "../../web/src/api_types";

interface Sent {
  url: string;
  init: RequestInit;
}

/** An Api whose server always answers with `response`, and what was sent to it. */
function apiWith(response: () => Response, key = ""): { api: Api; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetcher = async (input: unknown, init?: RequestInit) => {
    sent.push({ url: String(input), init: init ?? {} });
    return response();
  };
  return { api: new Api(() => key, "http://server", fetcher as typeof fetch), sent };
}

async function collect(stream: AsyncGenerator<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const signal = new AbortController().signal;
const chunk = (model: string, text: string) =>
  `data: ${JSON.stringify({ model, choices: [{ index: 0, text, finish_reason: null, logprobs: null }] })}\n\n`;

test("models are listed, with the key where there is one", async () => {
  const listed = [{ id: "a" }, { id: "b" }];
  const open = apiWith(() => Response.json({ object: "list", data: listed }));
  assert.deepEqual(await open.api.models(), listed);
  assert.equal(open.sent[0]!.url, "http://server/v1/models");
  assert.equal(new Headers(open.sent[0]!.init.headers).has("authorization"), false);

  const closed = apiWith(() => Response.json({ data: [] }), "secret");
  await closed.api.models();
  assert.equal(new Headers(closed.sent[0]!.init.headers).get("authorization"), "Bearer secret");
});

test("compare sends one request for all models and yields chunks until [DONE]", async () => {
  const stream = chunk("a", "x") + chunk("b", "y") + "data: [DONE]\n\n" + chunk("a", "late");
  const { api, sent } = apiWith(() => new Response(stream));
  const chunks = await collect(api.compare(["a", "b"], { prompt: "p", seed: 7 }, signal));
  assert.deepEqual(
    chunks.map(({ model, choices }) => [model, choices[0]!.text]),
    [
      ["a", "x"],
      ["b", "y"],
    ],
  );
  assert.deepEqual(JSON.parse(String(sent[0]!.init.body)), {
    models: ["a", "b"],
    prompt: "p",
    seed: 7,
    stream: true,
  });
});

test("an error event, a torn stream and a chunk that is not JSON are told apart", async () => {
  const failing = (stream: string) =>
    collect(apiWith(() => new Response(stream)).api.compare(["a"], { prompt: "" }, signal));
  await assert.rejects(
    failing(chunk("a", "x") + 'data: {"error":{"message":"out of memory"}}\n\n'),
    {
      message: "out of memory",
    },
  );
  await assert.rejects(failing(chunk("a", "x")), /ended before/);
  await assert.rejects(failing("data: {nonsense\n\n"), /not JSON/);
});

test("refusals carry the server's words, its parameter and the status", async () => {
  const body = { error: { message: "must be 0 to 2", param: "temperature" } };
  const { api } = apiWith(() => Response.json(body, { status: 400 }));
  await assert.rejects(api.perplexity(["a"], "t", signal), (error: ApiError) => {
    assert.deepEqual(
      [error.status, error.message, error.param],
      [400, "must be 0 to 2", "temperature"],
    );
    return true;
  });
});

test("answers that are not ours still give a message", async () => {
  for (const body of ["<html>Bad gateway</html>", "null", "[]", '{"error": null}', ""]) {
    const { api } = apiWith(() => new Response(body, { status: 502 }));
    await assert.rejects(api.models(), {
      message: "The server answered with status 502.",
      status: 502,
    });
  }
  const { api } = apiWith(() => new Response("<html>"));
  await assert.rejects(api.models(), /not JSON/);
});

test("a server that is gone is named; a request that was stopped stays an abort", async () => {
  const gone = new Api(
    () => "",
    "",
    () => Promise.reject(new TypeError("fetch failed")),
  );
  await assert.rejects(gone.models(), { status: 0 });

  const controller = new AbortController();
  controller.abort();
  const stopped = new Api(
    () => "",
    "",
    () => Promise.reject(controller.signal.reason),
  );
  await assert.rejects(stopped.perplexity(["a"], "t", controller.signal), { name: "AbortError" });
});

test("an echo asks for the prompt alone", async () => {
  const choice = { index: 0, text: "p", finish_reason: "length", logprobs: null };
  const { api, sent } = apiWith(() => Response.json({ choices: [choice] }));
  assert.deepEqual(await api.echo("a", "p", 5, signal), choice);
  const body = JSON.parse(String(sent[0]!.init.body));
  assert.deepEqual(body, { model: "a", prompt: "p", logprobs: 5, echo: true, max_tokens: 0 });
});
