// Checks the types of the page and of its tests, bundles the tests and runs them:
// node run.mjs --modules DIR --out DIR
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { modules: { type: "string" }, out: { type: "string" } },
});
if (!options.modules || !options.out) {
  console.error("usage: node run.mjs --modules DIR --out DIR");
  process.exit(2);
}

const here = dirname(fileURLToPath(import.meta.url));
const web = resolve(here, "../../web");
const packages = join(resolve(options.modules), "node_modules");
const out = resolve(options.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

// The packages lie outside of the source tree, so both tools are told where.
const config = {
  extends: join(web, "tsconfig.json"),
  compilerOptions: {
    paths: { preact: [join(packages, "preact")], "preact/*": [join(packages, "preact/*")] },
    typeRoots: [join(packages, "@types")],
    types: ["node"],
  },
  include: [join(web, "src"), here],
};
writeFileSync(join(out, "tsconfig.json"), JSON.stringify(config));
run(join(packages, "typescript/bin/tsc"), "--project", out);

const esbuild = createRequire(join(options.modules, "package.json"))("esbuild");
await esbuild.build({
  entryPoints: readdirSync(here)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(here, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  sourcemap: "inline",
  logLevel: "warning",
});
const bundles = readdirSync(out).filter((name) => name.endsWith(".mjs"));
run("--test", ...bundles.map((name) => join(out, name)));

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
