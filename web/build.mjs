// Bundles the page: node build.mjs --modules DIR --out DIR [--cpp FILE]
// DIR/node_modules holds the pinned tools; --cpp also writes the assets as a C++ source.
import { createRequire } from "node:module";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cppSource } from "./assets_source.mjs";

const { values: options } = parseArgs({
  options: { modules: { type: "string" }, out: { type: "string" }, cpp: { type: "string" } },
});
if (!options.modules || !options.out) {
  console.error("usage: node build.mjs --modules DIR --out DIR [--cpp FILE]");
  process.exit(2);
}

const source = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(options.modules, "package.json"))("esbuild");

mkdirSync(options.out, { recursive: true });
const shared = { bundle: true, minify: true, legalComments: "none", logLevel: "warning" };
await esbuild.build({
  ...shared,
  entryPoints: [join(source, "src/main.tsx")],
  outfile: join(options.out, "app.js"),
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  // The tools lie outside of the source tree, which stays clean.
  nodePaths: [join(options.modules, "node_modules")],
});
await esbuild.build({
  ...shared,
  entryPoints: [join(source, "src/style.css")],
  outfile: join(options.out, "style.css"),
  // The style sheet is written for browsers that know light-dark(); nothing is to be lowered.
  target: ["chrome123", "firefox120", "safari17.5"],
});
for (const name of ["index.html", "favicon.svg"]) {
  copyFileSync(join(source, name), join(options.out, name));
}

if (options.cpp) {
  const assets = [
    ["/", "index.html", "text/html; charset=utf-8"],
    ["/index.html", "index.html", "text/html; charset=utf-8"],
    ["/app.js", "app.js", "text/javascript; charset=utf-8"],
    ["/style.css", "style.css", "text/css; charset=utf-8"],
    ["/favicon.svg", "favicon.svg", "image/svg+xml"],
  ].map(([path, file, contentType]) => ({
    path,
    contentType,
    name: file.replace(/\W/g, "_"),
    content: readFileSync(join(options.out, file)),
  }));
  writeFileSync(options.cpp, cppSource(assets));
}
