// Stands in for mesita-serve where a test needs what the real one cannot do on demand: a slow
// stream, a stream that breaks, a wrong key, tokens that are parts of a character, a model that
// could not be loaded. Same shapes as ../shared/interfaces.md; numbers from a hash.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const kTypes = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
};

const kModels = [
  model("tinystories-full", 5_800_000, 5_800_000),
  model("tinystories-embeddings", 5_800_000, 1_116_000),
  model("tinystories-full-wide", 22_300_000, 22_300_000),
  {
    ...model("runs/broken", 0, 0),
    status: "failed",
    reason: "model.safetensors: SHA-256 differs from manifest.json",
  },
];

function model(id, parameters, trained_parameters) {
  const tokenizer = { kind: "sentencepiece", hash: "0f3a" };
  return {
    id,
    object: "model",
    owned_by: "mesita",
    max_model_len: 512,
    architecture: "transformer",
    tokenizer,
    parameters,
    trained_parameters,
    core: null,
    status: "loaded",
  };
}

/** Pieces of a text: words with the blank before them, letters beyond ASCII byte by byte. */
export function pieces(text) {
  const found = [];
  let at = 0;
  for (const [piece] of text.matchAll(/ ?[a-zA-Z]+|[\u0080-\u{10ffff}]|./gsu)) {
    const bytes = Buffer.from(piece);
    const split = bytes[0] < 128 ? [bytes] : [...bytes].map((byte) => Buffer.from([byte]));
    for (const part of split) {
      found.push({ text: spellToken(part), start: at, end: at + part.length });
      at += part.length;
    }
  }
  return found;
}

/** As the server spells a token: its text, or its bytes when they are no whole characters. */
function spellToken(bytes) {
  const text = bytes.toString();
  return text.includes("\ufffd") ? `bytes:${bytes.toString("hex").replace(/../g, "\\x$&")}` : text;
}

/** Surprise in nats: long words cost more, the embeddings-only model a little more than the rest. */
export function nats(modelId, text, index) {
  let hash = 2166136261;
  for (const byte of Buffer.from(`${modelId.length}/${text}/${index % 3}`)) {
    hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  }
  const spread = (hash % 1000) / 1000;
  const base = text.trim().length < 2 ? 0.3 : 0.35 * text.trim().length;
  return base * (0.2 + 1.6 * spread) * (modelId.includes("embeddings") ? 1.4 : 1);
}

function alternatives(modelId, text, index) {
  const chosen = -nats(modelId, text, index);
  const others = [" the", " a", " and", " was", "."].filter((other) => other !== text).slice(0, 4);
  const entries = others.map((other, rank) => [
    other,
    Math.log((1 - Math.exp(chosen)) / 2 ** (rank + 1.2)),
  ]);
  return Object.fromEntries([[text, chosen], ...entries]);
}

function logprobsOf(modelId, tokens, offset, first) {
  return {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ text }, at) => -nats(modelId, text, first + at)),
    top_logprobs: tokens.map(({ text }, at) => alternatives(modelId, text, first + at)),
    text_offset: tokens.map(() => offset),
  };
}

export const kStories = {
  "tinystories-full":
    ' found a shiny shell in the sand. "Look, Mom!" she said. Her mom smiled and told her that shells can sing. The girl put it to her ear and heard the waves. 🐚 She was so happy that she danced all the way home.\n\nThe end.',
  "tinystories-embeddings":
    ' went to the park with her mom and saw a big dog. The dog was very happy and they played. She said, "I want to go to the park." The mom was happy and the dog was happy.\n\nThe end.',
  "tinystories-full-wide":
    ' saw a little crab who could not find his home. "Do not worry," she said, "I will help you." They looked under every stone until they found it.\n\nThe end.',
};

/**
 * options: {dist, key, breakAfter, delay}: the folder of the page, the API key asked for (none),
 * after how many chunks a stream breaks (never), milliseconds between chunks.
 * Returns {url, close, aborted}: aborted() counts streams whose client left.
 */
export async function startMock({ dist, key = "", breakAfter = Infinity, delay = 8 }) {
  let aborted = 0;
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://mock").pathname;
    const file = path === "/" ? "index.html" : path.slice(1);
    if (
      request.method === "GET" &&
      ["index.html", "app.js", "style.css", "favicon.svg"].includes(file)
    ) {
      response.setHeader("Content-Type", kTypes[file.split(".").pop()]);
      response.setHeader("Content-Security-Policy", "default-src 'self'");
      response.end(readFileSync(join(dist, file)));
      return;
    }
    const answer = (status, body) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const refuse = (status, message, param = null) =>
      answer(status, { error: { message, type: "invalid_request_error", param, code: status } });
    if (key !== "" && request.headers.authorization !== `Bearer ${key}`) {
      return refuse(401, "This server wants an API key.");
    }
    if (path === "/v1/models") return answer(200, { object: "list", data: kModels });
    let text = "";
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    if (path === "/perplexity") return answer(200, perplexity(body));
    if (path === "/v1/completions" && body.echo) {
      const tokens = pieces(body.prompt);
      const logprobs = logprobsOf(body.model, tokens, 0, 0);
      return answer(200, {
        choices: [{ index: 0, text: body.prompt, finish_reason: "length", logprobs }],
      });
    }
    if (path !== "/compare") return refuse(404, `There is no ${path}.`);
    if (body.temperature > 2)
      return refuse(400, "temperature must be 0 to 2, not " + body.temperature, "temperature");

    response.writeHead(200, { "Content-Type": "text/event-stream" });
    let open = true;
    response.on("close", () => {
      if (open) ++aborted;
      open = false;
    });
    const send = (event) =>
      open &&
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    const streams = body.models.map((id) => ({
      id,
      tokens: pieces(kStories[id]).slice(0, body.max_tokens),
      at: 0,
      sent: 0,
    }));
    for (let round = 0; open && streams.some(({ tokens, at }) => at < tokens.length); ++round) {
      if (round >= breakAfter) {
        send({
          error: {
            message: "The model's memory ran out.",
            type: "server_error",
            param: null,
            code: 500,
          },
        });
        send("[DONE]");
        break;
      }
      for (const stream of streams) {
        if (stream.at >= stream.tokens.length) continue;
        send(chunkOf(stream));
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
    send("[DONE]");
    open = false;
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    aborted: () => aborted,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

/** The next token's chunk; text of a character's bytes comes with its last one. */
function chunkOf(stream) {
  const token = stream.tokens[stream.at];
  const whole = Buffer.from(kStories[stream.id]).subarray(0, token.end).toString();
  const text = whole.endsWith("\ufffd") ? "" : Array.from(whole).slice(stream.sent).join("");
  const logprobs = logprobsOf(stream.id, [token], stream.sent, stream.at);
  stream.sent += Array.from(text).length;
  stream.at += 1;
  const finish_reason = stream.at === stream.tokens.length ? "length" : null;
  return {
    id: "cmpl-1",
    object: "text_completion",
    created: 0,
    model: stream.id,
    choices: [{ index: 0, text, logprobs, finish_reason }],
  };
}

function perplexity({ models, texts }) {
  const results = models.flatMap((id) =>
    texts.map((text, text_index) => {
      const per_token = pieces(text).map((piece, index) => ({
        id: index,
        ...piece,
        nats: nats(id, piece.text, index),
      }));
      const sum = per_token.reduce((total, token) => total + token.nats, 0);
      const [tokens, bytes] = [per_token.length, Buffer.byteLength(text)];
      return {
        model: id,
        text_index,
        tokens,
        scored_tokens: tokens,
        skipped_tokens: 0,
        bytes,
        nats: sum,
        nats_per_token: sum / tokens,
        bits_per_token: sum / tokens / Math.LN2,
        bits_per_byte: sum / bytes / Math.LN2,
        perplexity: Math.exp(sum / tokens),
        per_token,
      };
    }),
  );
  return { convention: "document", results, summary: [] };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = await startMock({ dist: process.argv[2], delay: 30 });
  console.log(mock.url);
}
