// Runs the browser tests: node run.mjs --packages DIR --dist DIR [--serve PROGRAM --make-models PROGRAM]
// Exit 77 (skipped) without Chromium or the packages, unless MESITA_REQUIRE_BROWSER=1.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findChromium } from "./chromium.mjs";

const kSkipped = 77;

const { values: options } = parseArgs({
  options: {
    packages: { type: "string" },
    dist: { type: "string" },
    serve: { type: "string" },
    "make-models": { type: "string" },
  },
});
if (!options.packages || !options.dist) {
  console.error(
    "usage: node run.mjs --packages DIR --dist DIR [--serve PROGRAM --make-models PROGRAM]",
  );
  process.exit(2);
}

if (!findChromium()) {
  miss(
    "no Chromium at /usr/bin/chromium; install it (Debian: apt-get install chromium) or name one in MESITA_CHROMIUM",
  );
}
if (!existsSync(join(options.packages, "installed.lock.json"))) {
  miss(
    `the packages of tests/browser/package.json are not in ${options.packages}; build again with the npm registry in reach`,
  );
}

const files = ["page.test.mjs"];
const models = mkdtempSync(join(tmpdir(), "mesita-browser-models-"));
process.on("exit", () => rmSync(models, { recursive: true, force: true }));
if (options.serve) {
  const made = spawnSync(options["make-models"], [models], { stdio: "inherit" });
  if (made.status !== 0) {
    console.error(
      `mesita: ${options["make-models"]} could not make the models that the tests serve`,
    );
    process.exit(1);
  }
  files.push("served.test.mjs");
}
const here = dirname(fileURLToPath(import.meta.url));
const { status } = spawnSync(
  process.execPath,
  ["--test", ...files.map((file) => join(here, file))],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      MESITA_BROWSER_PACKAGES: resolve(options.packages),
      MESITA_WEB_DIST: resolve(options.dist),
      MESITA_SERVE: options.serve ?? "",
      MESITA_TEST_MODELS: models,
    },
  },
);
process.exit(status ?? 1);

function miss(what) {
  if (process.env.MESITA_REQUIRE_BROWSER === "1") {
    console.error(`mesita: browser tests cannot run: ${what}`);
    process.exit(1);
  }
  console.log(`mesita: browser tests skipped: ${what}`);
  process.exit(kSkipped);
}
