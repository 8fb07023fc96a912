// Loaded into wrangler before its own code. Changes the largest sources as they are loaded, and keeps the changed ones: reading and
// changing 21 MB takes a second of each start otherwise.
"use strict";
const { createHash } = require("node:crypto");
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { basename, dirname, join } = require("node:path");
const { registerHooks } = require("node:module");
const { fileURLToPath } = require("node:url");
const { isMainThread } = require("node:worker_threads");

const KEPT = join(dirname(dirname(dirname(__dirname))), "dist", "wrangler");
/** One character beyond Latin-1 makes V8 hold all of a source with two bytes for each of its characters. */
const BEYOND_LATIN_1 = /[^\0-\xff]/g;
const LARGE_SOURCE = 1_000_000;
/**
 * miniflare writes workerd's configuration, which holds the Worker's 6 MB, into one buffer that it copies whole whenever
 * 4 kB more are needed. With a megabyte at a time it is copied some ten times instead of hundreds.
 */
const SMALL_GROWTH = "MIN_SINGLE_SEGMENT_GROWTH = 4096;";
const LARGE_GROWTH = "MIN_SINGLE_SEGMENT_GROWTH = 1048576;";
/** wrangler starts esbuild for each of its warnings, three or more a start, to have it put in colour. */
const FORMATS = "return esbuild.formatMessagesSync([{ text: firstLine, notes }], {";
const FORMATS_HERE = `return require(${JSON.stringify(__filename)}).formatMessages([{ text: firstLine, notes }], {`;

if (isMainThread) registerHooks({ load: loadLean });

/**
 * Large sources in Latin-1: what is beyond it, some quotation marks in messages, is written as escapes. That of miniflare
 * with a buffer that grows faster, that of a serving wrangler with messages as they are.
 * @type {import("node:module").LoadHookSync}
 */
function loadLean(url, context, nextLoad) {
  const kept = keptFile(url);
  const source = kept === undefined ? undefined : readKept(kept);
  if (source !== undefined) return { format: "commonjs", source, shortCircuit: true };
  const loaded = nextLoad(url, context);
  if (typeof loaded.source !== "string" || loaded.source.length < LARGE_SOURCE) return loaded;
  const changed = change(loaded.source);
  // A file that is required has no format of its own.
  if (kept !== undefined && (loaded.format ?? "commonjs") === "commonjs") keep(kept, changed);
  return { ...loaded, source: changed.toString("latin1") };
}

/** @param {string} source */
function change(source) {
  const isServing = process.argv[2] === "dev";
  const plain = isServing ? source.replace(FORMATS, () => FORMATS_HERE) : source;
  // Replacing in a string of two-byte characters gives another two-byte string.
  return Buffer.from(escapeBeyondLatin1(plain.replace(SMALL_GROWTH, LARGE_GROWTH)), "latin1");
}

/** @param {string} text */
function escapeBeyondLatin1(text) {
  return text.replace(BEYOND_LATIN_1, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Returns the file for the changed source of a large file of a package; another one for each content, place and form.
 * @param {string} url
 */
function keptFile(url) {
  if (!url.startsWith("file:") || !url.includes("/node_modules/")) return undefined;
  const path = fileURLToPath(url);
  const { size, mtimeMs } = statSync(path);
  if (size < LARGE_SOURCE) return undefined;
  const own = statSync(__filename).mtimeMs;
  const form = JSON.stringify([path, size, mtimeMs, __filename, own, process.argv[2] === "dev"]);
  const hash = createHash("sha256").update(form).digest("hex").slice(0, 32);
  return join(KEPT, `${basename(path)}.${hash}`);
}

/** @param {string} path */
function readKept(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/**
 * Keeps a changed source in place of older ones. It need not work: the folder may be read-only.
 * @param {string} path @param {Buffer} source
 */
function keep(path, source) {
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(draft, source);
    renameSync(draft, path);
    const [name] = basename(path).split(/\.(?=[^.]*$)/);
    for (const other of olderThanTwo(`${name}.`)) rmSync(other, { force: true });
  } catch {
    rmSync(draft, { force: true });
  }
}

/**
 * Returns the kept sources of a file but for the two latest: of a wrangler that serves, and of one that does not.
 * @param {string} start
 */
function olderThanTwo(start) {
  const kept = readdirSync(KEPT).filter((name) => name.startsWith(start));
  const paths = kept.map((name) => join(KEPT, name)).map((path) => ({ path, mtimeMs: statSync(path).mtimeMs }));
  return paths
    .sort((one, other) => other.mtimeMs - one.mtimeMs)
    .slice(2)
    .map(({ path }) => path);
}

/**
 * Returns messages as esbuild writes them, without colours.
 * @param {{ text: string, notes?: { text: string }[] }[]} messages @param {{ kind: "error" | "warning" }} options
 */
exports.formatMessages = (messages, { kind }) =>
  messages.map(({ text, notes = [] }) => {
    const head = kind === "error" ? "✘ [ERROR]" : "▲ [WARNING]";
    return `${head} ${text}\n\n${notes.map((note) => `  ${note.text}\n`).join("")}`;
  });
