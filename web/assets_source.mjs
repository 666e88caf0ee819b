// Files as a C++ source: string literals in short pieces, which compile in no time, where an array
// of numbers of this size takes seconds.

const kPiece = 96;

/** assets: [{path, contentType, name, content: Buffer}]; equal names share one constant. */
export function cppSource(assets) {
  const constants = new Map(assets.map(({ name, content }) => [name, content]));
  const lines = [
    "// Written by web/build.mjs from the files of web/.",
    '#include "web/assets.h"',
    "",
    "namespace mesita::web {",
    "namespace {",
    "",
  ];
  for (const [name, content] of constants) {
    lines.push(`constexpr char k_${name}[] =`);
    for (let at = 0; at < content.length || at === 0; at += kPiece) {
      lines.push(`    "${escape(content.subarray(at, at + kPiece))}"`);
    }
    lines.push("    ;", "");
  }
  lines.push("constexpr Asset kAssets[] = {");
  for (const { path, contentType, name } of assets) {
    lines.push(`    {"${path}", "${contentType}", {k_${name}, sizeof(k_${name}) - 1}},`);
  }
  lines.push("};", "", "}  // namespace", "");
  lines.push(
    "std::span<const Asset> assets() { return kAssets; }",
    "",
    "}  // namespace mesita::web",
    "",
  );
  return lines.join("\n");
}

/** Bytes outside of printable ASCII as three octal digits, which no following digit can extend. */
function escape(bytes) {
  let text = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === "\\") text += `\\${character}`;
    // "??" starts a trigraph.
    else if (byte < 32 || byte > 126 || character === "?")
      text += `\\${byte.toString(8).padStart(3, "0")}`;
    else text += character;
  }
  return text;
}
