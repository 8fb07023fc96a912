// npm runs this after each installation, on the Node that the machine has (18 or later): plain JavaScript without
// dependencies. It removes the parts of dependencies that neither the service nor its tests load, about 240 MB.
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "node_modules");

/** Folders of dependencies, and which of their entries to remove. */
const UNUSED = [
  // C headers, for building native packages. None is built with this Node.
  ...listFolder(join(MODULES, "node", "node_modules")).map((name) => [
    `node/node_modules/${name}`,
    /^(include|share)$/,
  ]),
  // The service bundles `just-bash/browser` alone: no command line, no Python, no SQLite.
  ["just-bash", /^vendor$/],
  ["just-bash/dist", /^bin$/],
  ["sql.js", /^dist$/],
  // The page that recognises text takes one build of each, and the small data of a language.
  ["tesseract.js-core", /^tesseract-core(?!-simd-lstm\.(?:js|wasm)$).*/],
  ["pdfjs-dist", /^(?:legacy|web|cmaps|image_decoders|iccs)$/],
  ["pdfjs-dist/build", /\.map$|sandbox|^pdf\.worker\.mjs$/],
  ["@napi-rs", /^canvas/],
  ...listFolder(join(MODULES, "@tesseract.js-data")).map((name) => [`@tesseract.js-data/${name}`, /^4\.0\.0$/]),
  // The service serves the bundle and its style sheet.
  ["swagger-ui-dist", /\.map$|-es-bundle|^swagger-ui\.js$|standalone/],
];

for (const [folder, pattern] of UNUSED) {
  for (const name of listFolder(join(MODULES, folder))) {
    if (pattern.test(name)) rmSync(join(MODULES, folder, name), { recursive: true, force: true });
  }
}

/** Names in a folder; none when it is not there. */
function listFolder(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
