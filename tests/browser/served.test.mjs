// The page served by mesita-serve itself, with real models: what it shows is what the API says.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { accessibilityProblems, open } from "./chromium.mjs";
import { choose, completions, heatRow } from "./page_actions.mjs";

const kPrompt = "Once upon a time, there was a little";
const kText = "Tom had a red ball. 🐚\nHe gave it to Ann.";

let server;
let url;
let models;

before(async () => {
  server = spawn(
    process.env.MESITA_SERVE,
    ["--models", process.env.MESITA_TEST_MODELS, "--port", "0"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  for await (const line of createInterface(server.stdout)) {
    url = line.match(/^mesita: listening on (http\S+)/)?.[1];
    break;
  }
  assert.ok(url, "mesita-serve does not listen");
  const { data } = await ask("/v1/models");
  models = data.filter(({ tokenizer }) => tokenizer?.kind === "sentencepiece").slice(0, 2);
  assert.equal(models.length, 2, "the tests need two models with text");
});

after(async () => {
  if (server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGINT");
  await ended;
});

async function ask(path, body) {
  const init = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(url + path, init);
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return response.json();
}

test("the page loads from the server without a complaint and lists its models", async (t) => {
  const { page, complaints } = await open(t, url);
  await page.waitForSelector(".card");
  const listed = (await ask("/v1/models")).data.map(({ id }) => id);
  assert.deepEqual(await page.locator(".card-name").allTextContents(), listed);
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.deepEqual(complaints, []);
});

test("what streams side by side is what each model says alone with the same seed", async (t) => {
  const { page, complaints } = await open(t, url);
  await choose(
    page,
    models.map(({ id }) => id),
  );
  await page.getByLabel("Prompt", { exact: true }).fill(kPrompt);
  await page.getByLabel("Length in tokens").fill("24");
  await page.getByLabel("Seed").fill("11");
  await page.getByRole("button", { name: "Complete" }).click();
  const shown = await completions(page, "done");
  const request = { prompt: kPrompt, max_tokens: 24, temperature: 0.8, top_p: 0.95, seed: 11 };
  for (const [index, { id }] of models.entries()) {
    const { choices } = await ask("/v1/completions", { ...request, model: id });
    assert.equal(shown[index], choices[0].text, id);
  }
  assert.deepEqual(complaints, []);
});

test("stopping in the middle leaves the server free for the next run", async (t) => {
  const { page } = await open(t, url);
  await choose(
    page,
    models.map(({ id }) => id),
  );
  await page.getByLabel("Prompt", { exact: true }).fill(kPrompt);
  // As long as the context allows, so that there is a middle to stop in.
  await page.getByLabel("Length in tokens").fill("100000");
  await page.getByLabel("Prompt", { exact: true }).press("Control+Enter");
  await page.waitForSelector(".column .token");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".column")].every((column) =>
      /stopped|done/.test(column.dataset.state),
    ),
  );
  await page.getByLabel("Length in tokens").fill("3");
  await page.getByRole("button", { name: "Complete" }).click();
  assert.equal((await completions(page, "done")).length, 2);
});

test("the heat map shows the tokens and numbers of /perplexity", async (t) => {
  const { page, complaints } = await open(t, url);
  await choose(
    page,
    models.map(({ id }) => id),
  );
  await page.getByRole("tab", { name: "Measure surprise" }).click();
  await page.getByLabel("Text", { exact: true }).fill(kText);
  await page.getByRole("button", { name: "Measure" }).click();
  await page.waitForSelector("#heat-0 .token");
  const ids = models.map(({ id }) => id);
  const { results } = await ask("/perplexity", { models: ids, texts: [kText], per_token: true });
  const bytes = Buffer.from(kText);
  for (const [index, { per_token, bits_per_byte }] of results.entries()) {
    const row = await heatRow(page, index);
    assert.equal(row.length, per_token.length);
    row.forEach(([text, number], at) => {
      const { start, end, nats } = per_token[at];
      const piece = bytes.subarray(start, end).toString();
      if (!piece.includes("\ufffd")) assert.equal(text, piece);
      assert.equal(number, nats === null ? "–" : (nats / Math.LN2).toFixed(1));
    });
    const figures = await page
      .locator(".summary tbody tr")
      .nth(index)
      .locator("td")
      .allTextContents();
    assert.equal(figures[0], bits_per_byte.toFixed(3));
  }
  await page.locator("#heat-0 .token").nth(1).click();
  await page.getByRole("button", { name: "What did they expect?" }).click();
  await page.waitForSelector(".expected .taken");
  assert.deepEqual(complaints, []);
});
