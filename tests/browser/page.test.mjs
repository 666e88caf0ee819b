// The page against a stand-in for the server, whose answers are known in advance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, open } from "./chromium.mjs";
import { kStories, nats, pieces, startMock } from "./mock_server.mjs";
import { choose, completions, heatRow, scrollsSideways } from "./page_actions.mjs";

const kBoth = ["tinystories-embeddings", "tinystories-full"];
const kText = 'Tom saw a 🐚.\n\tHe said: "Ça va?"';

async function start(t, { server = {}, hash = "", ...view } = {}) {
  const mock = await startMock({ dist: process.env.MESITA_WEB_DIST, ...server });
  t.after(() => mock.close());
  return { mock, ...(await open(t, `${mock.url}/${hash}`, view)) };
}

async function measure(page, text) {
  await page.getByRole("tab", { name: "Measure surprise" }).click();
  await page.getByLabel("Text", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Measure" }).click();
  await page.waitForSelector("#heat-0 .token");
}

test("loads quietly, lists the models, and starts with two kinds side by side", async (t) => {
  const { page, complaints } = await start(t);
  await page.waitForSelector(".card");
  assert.equal(await page.locator(".card").count(), 4);
  assert.deepEqual(await page.locator(".card:has(:checked) .card-name").allTextContents(), [
    "tinystories-full",
    "tinystories-embeddings",
  ]);
  const broken = page.locator(".card", { hasText: "runs/broken" });
  assert.match(await broken.textContent(), /SHA-256 differs/);
  assert.equal(await broken.locator("input").isDisabled(), true);
  assert.match(await page.locator(".card", { hasText: "embeddings" }).textContent(), /19\s%/);
  assert.deepEqual(complaints, []);
});

test("one prompt streams into one column per model, with figures", async (t) => {
  const { page, complaints } = await start(t);
  await choose(page, kBoth);
  await page.getByRole("button", { name: "Complete" }).click();
  await page.waitForSelector('.column[data-state="streaming"]');
  const texts = await completions(page, "done");
  assert.deepEqual(texts, [kStories["tinystories-full"], kStories["tinystories-embeddings"]]);
  for (const column of await page.locator(".column").all()) {
    const [tokens, rate, first] = await column.locator("dd").allTextContents();
    assert.ok(Number(tokens) > 40);
    assert.ok(Number(rate) > 0);
    assert.match(first, /^\d+ ms$|^\d+\.\d+ s$/);
  }
  assert.deepEqual(complaints, []);
});

test("parts of a character are visible when tokens are inspected, and alternatives too", async (t) => {
  const { page } = await start(t);
  await choose(page, ["tinystories-full"]);
  await page.getByRole("button", { name: "Complete" }).click();
  await completions(page, "done");
  await page.getByLabel(/Inspect tokens/).check();
  const row = page.locator("#tokens-A");
  assert.match(await row.textContent(), /⟨F0⟩⟨9F⟩⟨90⟩🐚/);
  await row.locator(".token", { hasText: "shiny" }).click();
  assert.match(await page.locator(".column .details").textContent(), /␣shiny/);
  assert.equal(await page.locator(".alternatives tbody tr").count(), 5);
  assert.equal(await page.locator(".alternatives .taken").count(), 1);
});

test("Esc stops a stream in the middle, and the server notices", async (t) => {
  const { page, mock } = await start(t, { server: { delay: 100 } });
  await choose(page, kBoth);
  await page.getByLabel("Prompt", { exact: true }).press("Control+Enter");
  await page.waitForFunction(() => document.querySelectorAll(".column .token").length > 4);
  await page.keyboard.press("Escape");
  const [text] = await completions(page, "stopped");
  assert.ok(text.length > 0 && text.length < kStories["tinystories-full"].length);
  assert.ok(kStories["tinystories-full"].startsWith(text));
  while (mock.aborted() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(await page.locator(".problem").count(), 0);
});

test("a stream that breaks keeps what came and says what the server said", async (t) => {
  const { page } = await start(t, { server: { breakAfter: 5 } });
  await choose(page, ["tinystories-full"]);
  await page.getByRole("button", { name: "Complete" }).click();
  const [text] = await completions(page, "failed");
  assert.ok(kStories["tinystories-full"].startsWith(text) && text.length > 0);
  assert.equal(await page.getByRole("alert").textContent(), "The model's memory ran out.");
});

test("a refused parameter is shown in the server's words", async (t) => {
  const { page } = await start(t);
  await page.getByLabel("Temperature").fill("3");
  await page.getByRole("button", { name: "Complete" }).click();
  assert.match(await page.getByRole("alert").textContent(), /temperature must be 0 to 2, not 3/);
});

test("the heat map has each token once, with the API's numbers, for any bytes", async (t) => {
  const { page, complaints } = await start(t);
  await choose(page, kBoth);
  await measure(page, kText);
  const expected = pieces(kText);
  for (const [index, model] of ["tinystories-full", "tinystories-embeddings"].entries()) {
    const row = await heatRow(page, index);
    assert.equal(row.length, expected.length);
    row.forEach(([text, number], at) => {
      const { text: spelled } = expected[at];
      const shown = spelled.replace(/^bytes:\\x(..)$/, (_, hex) => `⟨${hex.toUpperCase()}⟩`);
      assert.equal(text, shown);
      assert.equal(number, (nats(model, spelled, at) / Math.LN2).toFixed(1));
    });
    assert.ok(new Set(row.map(([, , color]) => color)).size > 5, "shades differ");
  }
  const difference = await heatRow(page, 2);
  assert.ok(difference.some(([, number]) => number.startsWith("−")));
  assert.deepEqual(complaints, []);
});

test("details follow the place through all rows, and what was expected can be asked for", async (t) => {
  const { page } = await start(t);
  await choose(page, kBoth);
  await measure(page, "She smiled and gave it some milk.");
  await page.locator("#heat-1 .token", { hasText: "gave" }).click();
  const selected = page.locator('.heat [aria-selected="true"]');
  assert.deepEqual(await selected.allTextContents(), [" gave", " gave", " gave"]);
  const bits = await page.locator(".place tbody tr td:nth-child(3)").allTextContents();
  const expected = ["tinystories-full", "tinystories-embeddings"].map((model) =>
    (nats(model, " gave", 3) / Math.LN2).toFixed(2),
  );
  assert.deepEqual(bits, expected);
  await page.getByRole("button", { name: "What did they expect?" }).click();
  await page.waitForSelector(".expected");
  assert.equal(await page.locator(".expected").count(), 2);
  assert.equal(await page.locator(".expected .taken").count(), 2);
});

test("the keyboard alone is enough", async (t) => {
  const { page } = await start(t);
  await page.waitForSelector(".card");
  const focus = async (selector) => {
    for (let presses = 0; presses < 40; ++presses) {
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector))
        return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`Tab never reaches ${selector}`);
  };
  await focus(".card input:not(:checked)");
  await page.keyboard.press("Space");
  await focus("#prompt");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Hello");
  await page.keyboard.press("Control+Enter");
  assert.equal((await completions(page, "done")).length, 3);
  await focus("#tokens-A");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator('#tokens-A [aria-selected="true"]').textContent(), " shiny");

  await page.keyboard.press("Shift+Tab");
  await page.reload();
  await page.waitForSelector(".card");
  await focus('[role="tab"]');
  await page.keyboard.press("ArrowRight");
  await focus("#text");
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#heat-2 .token");
  await focus("#heat-0");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  assert.deepEqual(
    await page.locator('.heat [aria-selected="true"]').allTextContents(),
    Array(4).fill(" bathtub"),
  );
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.id), "heat-1");
  await page.keyboard.press("Home");
  assert.equal(await page.locator('#heat-0 [aria-selected="true"]').textContent(), "The");
});

test("dark and light follow the system until the reader chooses, and the choice stays", async (t) => {
  const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const { page } = await start(t, { scheme: "dark" });
  const dark = await paper(page);
  await page.getByText("Light", { exact: true }).click();
  const light = await paper(page);
  assert.notEqual(dark, light);
  await page.reload();
  await page.waitForSelector(".card");
  assert.equal(await paper(page), light);
  await page.getByText("System", { exact: true }).click();
  assert.equal(await paper(page), dark);
});

for (const [scheme, width] of [
  ["light", 1400],
  ["dark", 360],
]) {
  test(`nothing for axe to find and nothing to scroll sideways: ${scheme}, ${width} px`, async (t) => {
    const { page } = await start(t, { scheme, width });
    await choose(page, kBoth);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Complete" }).click();
    await completions(page, "done");
    await page.getByLabel(/Inspect tokens/).check();
    await page.locator("#tokens-A .token").first().click();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await scrollsSideways(page), false);

    await measure(page, `${kText} ${"unbreakable".repeat(20)}`);
    await page.locator("#heat-0 .token").first().click();
    await page.getByRole("button", { name: "What did they expect?" }).click();
    await page.waitForSelector(".expected");
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await scrollsSideways(page), false);
  });
}

test("a link restores models, prompt, parameters and seed, and names what is missing", async (t) => {
  const { page, mock } = await start(t);
  await choose(page, ["tinystories-full-wide"]);
  await page.getByLabel("Prompt", { exact: true }).fill("A & B # 🐚\n100%");
  await page.getByLabel("Seed").fill("77");
  await page.getByLabel("Temperature").fill("0");
  await page.waitForFunction(
    () => location.hash.includes("seed=77") && location.hash.includes("temperature=0&"),
  );
  const link = page.url();

  const { page: other } = await open(t, link);
  await other.waitForSelector(".card");
  assert.deepEqual(await other.locator(".card:has(:checked) .card-name").allTextContents(), [
    "tinystories-full-wide",
  ]);
  assert.equal(await other.getByLabel("Prompt", { exact: true }).inputValue(), "A & B # 🐚\n100%");
  assert.equal(await other.getByLabel("Seed").inputValue(), "77");
  assert.equal(await other.getByLabel("Temperature").inputValue(), "0");

  await other.goto(`${mock.url}/#view=surprise&model=gone&text=hi`);
  await other.reload();
  assert.match(await other.locator("p.notice").textContent(), /gone/);
  assert.equal(await other.getByLabel("Text", { exact: true }).inputValue(), "hi");
});

test("a key is asked for when the server wants one, and appears in no copied command", async (t) => {
  const { page } = await start(t, { server: { key: "secret" } });
  await page.getByLabel(/API key/).fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByLabel(/API key/).fill("secret");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".card");
  await page.getByRole("button", { name: "Complete" }).click();
  assert.equal((await completions(page, "done")).length, 2);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy as curl" }).first().click();
  await page.getByText("Copied").waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(command, /^curl -N 'http:\/\/127\.0\.0\.1:\d+\/compare'/);
  assert.match(command, /Bearer \$MESITA_API_KEY/);
  assert.doesNotMatch(command, /secret/);
  assert.doesNotMatch(page.url(), /secret/);
});
