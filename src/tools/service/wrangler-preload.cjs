// Loaded into wrangler before its own code. Plain JavaScript by `node --require`: Node's reader of TypeScript would stay
// in wrangler's memory, and with `--import` it would read wrangler, 15 MB of source, a second time as a module.
"use strict";
const { createRequire, registerHooks } = require("node:module");
const { setTimeout: sleep } = require("node:timers/promises");
const { isMainThread } = require("node:worker_threads");

require("./close-local-paths.cjs");
require("./serve-directly.cjs");
require("../egress/route-egress.cjs");
require("../sandbox-host/bind-reader.cjs");

const GRACE_MS = 5_000;
/** For esbuild's processes to be gone, and their last output with them. */
const ENDING_MS = 500;
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

// wrangler's threads load this as well, and their own standard input ends with them.
if (isMainThread) {
  holdOnTo(process);
  registerHooks({ load: loadLean });
}

/**
 * Standard input is a pipe that the starting program holds open: when that program ends, however it ends, the pipe closes
 * and wrangler shuts down properly. What is written to it means that the service is up.
 * @param {NodeJS.Process} process
 */
function holdOnTo({ stdin, pid }) {
  stdin.once("close", () => {
    process.kill(pid, "SIGTERM");
    setTimeout(() => process.exit(1), GRACE_MS).unref();
  });
  stdin.on("data", () => void giveBack());
  stdin.resume();
  // A pipe is a socket here. It must not keep commands alive that have done their work.
  if ("unref" in stdin) stdin.unref();
}

/** A service that is up builds nothing more, and half of the heap is left over from the start: Node would keep it. */
async function giveBack() {
  await createRequire(process.argv[1] ?? "")("esbuild").stop();
  await sleep(ENDING_MS, undefined, { ref: false });
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}

/**
 * Large sources in Latin-1: what is beyond it, some quotation marks in messages, is written as escapes. That of miniflare
 * with a buffer that grows faster, that of a serving wrangler with messages as they are.
 * @type {import("node:module").LoadHookSync}
 */
function loadLean(url, context, nextLoad) {
  const loaded = nextLoad(url, context);
  const { source } = loaded;
  if (typeof source !== "string" || source.length < LARGE_SOURCE) return loaded;
  const isServing = process.argv[2] === "dev";
  const plain = isServing ? source.replace(FORMATS, () => FORMATS_HERE) : source;
  const changed = escapeBeyondLatin1(plain.replace(SMALL_GROWTH, LARGE_GROWTH));
  // Replacing in a string of two-byte characters gives another two-byte string.
  return { ...loaded, source: Buffer.from(changed, "latin1").toString("latin1") };
}

/** @param {string} text */
function escapeBeyondLatin1(text) {
  return text.replace(BEYOND_LATIN_1, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
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
