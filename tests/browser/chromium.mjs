// Chromium as the tests drive it: headless, with a profile that lasts for one page.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const kPrograms = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The program to drive, or undefined. */
export function findChromium() {
  return [process.env.MESITA_CHROMIUM, ...kPrograms].find((path) => path && existsSync(path));
}

/** A package that the build fetched. */
function fetched(name) {
  return createRequire(join(process.env.MESITA_BROWSER_PACKAGES, "package.json"))(name);
}

/**
 * A fresh page at `url`, closed when the test `t` ends. Everything that the page logs as an error,
 * or asks of another origin, is in `complaints`.
 */
export async function open(t, url, { width = 1400, scheme = "light" } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "mesita-browser-"));
  const context = await fetched("playwright-core").chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    headless: true,
    args: kFlags,
    colorScheme: scheme,
    viewport: { width, height: 900 },
  });
  t.after(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(20000);
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(request.url());
  });
  await page.goto(url);
  return { page, complaints };
}

/** What axe-core holds against the page as it is, in one line each. */
export async function accessibilityProblems(page) {
  // Evaluated, not added as a script element: the page's content policy forbids the latter.
  await page.evaluate(fetched("axe-core").source);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    }),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
  );
}
