import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { curlCommand } from "../../web/src/curl";
import { completionRequest, defaultSettings, unescapeLine } from "../../web/src/settings";

test("an empty field leaves the choice to the server", () => {
  const settings = {
    ...defaultSettings,
    maxTokens: "",
    temperature: " ",
    topP: "",
    seed: "",
    stop: "",
  };
  assert.deepEqual(completionRequest(settings), { prompt: settings.prompt, logprobs: 5 });
});

test("typed numbers are sent as they are, also those that the server will refuse", () => {
  const settings = {
    ...defaultSettings,
    maxTokens: "0",
    temperature: "-1.5",
    topP: "2",
    seed: "12",
  };
  const request = completionRequest(settings);
  assert.deepEqual(
    [request.max_tokens, request.temperature, request.top_p, request.seed],
    [0, -1.5, 2, 12],
  );
});

test("a stop string may hold line breaks, tabs and backslashes", () => {
  assert.equal(unescapeLine("\\n\\t\\\\n\\x"), "\n\t\\n\\x");
  assert.equal(completionRequest({ ...defaultSettings, stop: "\\n\\n" }).stop, "\n\n");
});

test("the curl command passes through a shell unchanged and never holds the key", () => {
  const body = { prompt: 'it\'s "$HOME" `x` \\ !\n🐚', n: 1 };
  const command = curlCommand("http://127.0.0.1:1/compare", body, true);
  const echoed = execFileSync("sh", ["-c", command.replace("curl -N", "printf '%s\\0'")], {
    env: { PATH: process.env["PATH"], MESITA_API_KEY: "from the environment" },
  });
  const [url, , content, , authorization, , data] = echoed.toString().split("\0");
  assert.equal(url, "http://127.0.0.1:1/compare");
  assert.equal(content, "Content-Type: application/json");
  assert.equal(authorization, "Authorization: Bearer from the environment");
  assert.deepEqual(JSON.parse(data!), body);
  assert.equal(curlCommand("http://h/", {}, false).includes("Authorization"), false);
});
