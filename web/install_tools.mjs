// Fetches the pinned packages of a package.json: node install_tools.mjs --package DIR --into DIR
// Nothing is written beside package.json. Quick when the lock file did not change. With --optional
// a failure is only reported: what needs the packages then says so itself.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { package: { type: "string" }, into: { type: "string" }, optional: { type: "boolean" } },
});
if (!options.package || !options.into) {
  console.error("usage: node install_tools.mjs --package DIR --into DIR [--optional]");
  process.exit(2);
}

const lock = join(options.package, "package-lock.json");
const stamp = join(options.into, "installed.lock.json");
const isCurrent = existsSync(stamp) && readFileSync(stamp).equals(readFileSync(lock));
if (!isCurrent) {
  mkdirSync(options.into, { recursive: true });
  rmSync(stamp, { force: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
    copyFileSync(join(options.package, name), join(options.into, name));
  }
  // No package may run code of its own while it is installed; none of ours needs to.
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-progress", "--loglevel=error"], {
    cwd: options.into,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (npm.status !== 0) {
    const reason = npm.error
      ? `npm could not be started (${npm.error.code})`
      : `npm ended with ${npm.status}`;
    console.error(
      `mesita: the packages of ${join(options.package, "package.json")} could not be fetched: ${reason}.`,
    );
    console.error(
      "mesita: they come from the npm registry. Check the network or npm's own settings, then run again.",
    );
    process.exit(options.optional ? 0 : 1);
  }
}
copyFileSync(lock, stamp);
