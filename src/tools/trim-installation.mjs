// npm runs this after each installation, on the Node that the machine has (18 or later): plain JavaScript without
// dependencies. It removes the parts of dependencies that neither the service nor its tests load, about 400 MB.
import { readFileSync, readdirSync, rmSync } from "node:fs";
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
  // The service bundles `just-bash/browser` alone: no command line, no Python, no SQLite, no JavaScript.
  ["just-bash", /^vendor$/],
  ["just-bash/dist", /^bin$/],
  ["just-bash/dist/bundle", /^index\.cjs$/],
  ["just-bash/node_modules", /^re2js$/],
  ["@jitl", /./],
  ["quickjs-emscripten", /^dist$/],
  ["sql.js", /^dist$/],
  // The page that recognises text takes one build of each, and the small data of a language.
  ["tesseract.js-core", /^tesseract-core(?!-simd-lstm\.(?:js|wasm)$).*/],
  ["pdfjs-dist", /^(?:legacy|web|cmaps|image_decoders|iccs)$/],
  ["pdfjs-dist/build", /\.map$|sandbox|^pdf\.worker\.mjs$/],
  ["@napi-rs", /^canvas/],
  ...listFolder(join(MODULES, "@tesseract.js-data")).map((name) => [`@tesseract.js-data/${name}`, /^4\.0\.0$/]),
  // The service serves the bundle and its style sheet.
  ["swagger-ui-dist", /-es-bundle|^swagger-ui\.js$|standalone/],
  // The same code once more: for other loaders, for browsers, with the data of other uses.
  ["libphonenumber-js", /^(?:bundle|build|es6-modern|source|max|mobile)$/],
  ["@e965/xlsx", /^(?:dist|bin|xlsx\.js|xlsxworker\.js)$/],
  ["@cloudflare/puppeteer", /^src$/],
  ["@cloudflare/puppeteer/lib", /^cjs$/],
  ["puppeteer-core", /^src$/],
  ["puppeteer-core/lib", /^es5-iife$/],
  ["underscore", /^(?:amd|cjs)$/],
  ["mammoth", /^(?:mammoth\.browser|test$)/],
  ["hash-wasm/dist", /^(?!index\.umd\.js$).*umd/],
  ["tldts/dist", /umd|\.min\.js$/],
  ["tldjs", /^(?:tld\.min\.js|test)$/],
  ["yaml", /^browser$/],
  ["axios/dist", /^(?:browser|axios\..*)$/],
  ["firecrawl-cli/node_modules/axios/dist", /^(?:browser|axios\..*)$/],
  ["@mendable/firecrawl-js/node_modules/axios/dist", /^(?:browser|axios\..*)$/],
  ["@opentelemetry/api/build", /^esnext$/],
  ["lightningcss/node", /\.flow$/],
  ["axe-core", /^(?:axe\.min\.js|locales)$/],
  // miniflare's own images, which the service does not use.
  ["@img", /^sharp-/],
  ["sharp", /^(?:dist|lib)$/],
  // Manuals, examples, tests and their pages, the viewer of traces, and descriptions from which types were made.
  ["ai", /^(?:docs|src)$/],
  ["undici", /^docs$/],
  ["ajv", /^lib$/],
  ["qs", /^test$/],
  ["fast-uri", /^test$/],
  ["@mixmark-io/domino", /^(?:test|\.yarn)$/],
  ["firecrawl-cli/dist", /^__tests__$/],
  ["@modelcontextprotocol/sdk/dist/cjs", /^examples$/],
  ["@modelcontextprotocol/sdk/dist/esm", /^examples$/],
  ["playwright-core/lib", /^vite$/],
  ["puppeteer-core/node_modules/devtools-protocol", /^pdl$/],
  ["devtools-protocol", /^pdl$/],
];
/** Maps and manuals of any package; types for `require`, which nothing here is written with. Licences stay. */
const UNUSED_FILE = /\.map$|\.d\.cts$|^(?!.*(?:licen[cs]e|notice|copying)).*\.(?:md|markdown)$/i;
const ZOD = /[\\/]zod[\\/]/;
/** Fields of a package that name what is loaded of it. */
const ENTRIES = ["main", "module", "exports", "imports", "browser", "types", "typings", "bin"];

for (const [folder, pattern] of UNUSED) {
  for (const name of listFolder(join(MODULES, folder))) {
    if (pattern.test(name)) rmSync(join(MODULES, folder, name), { recursive: true, force: true });
  }
}

trim(MODULES);

/** Removes what no package needs of itself, in a folder and all below it. */
function trim(folder) {
  for (const entry of listEntries(folder)) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (entry.isFile() && isUnusedFile(path, entry.name)) rmSync(path, { force: true });
    } else if (isUnusedFolder(folder, entry.name)) {
      rmSync(path, { recursive: true, force: true });
    } else trim(path);
  }
}

function isUnusedFile(path, name) {
  // Types of a package for `require` lead to those of zod.
  return UNUSED_FILE.test(name) && !(name.endsWith(".d.cts") && ZOD.test(path));
}

/** Sources that no entry of their package names, and native parts for another runtime (Bare). */
function isUnusedFolder(folder, name) {
  if (name === "prebuilds") return /[\\/]bare-[a-z]+$/.test(folder);
  const described = name === "src" ? readPackage(folder) : undefined;
  if (described === undefined) return false;
  const entries = JSON.stringify(ENTRIES.map((field) => described[field]));
  // zod names its sources for those who change it.
  return described.name === "zod" || !/["/]src\//.test(entries);
}

/** Returns the description of the package in a folder; undefined when there is none. */
function readPackage(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return undefined;
  }
}

function listEntries(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Names in a folder; none when it is not there. */
function listFolder(path) {
  return listEntries(path).map(({ name }) => name);
}
