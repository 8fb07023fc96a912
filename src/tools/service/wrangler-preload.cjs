// Loaded into wrangler before its own code. Plain JavaScript by `node --require`: Node's reader of TypeScript would stay
// in wrangler's memory, and with `--import` it would read wrangler, 15 MB of source, a second time as a module.
"use strict";
const { createRequire } = require("node:module");
const { setTimeout: sleep } = require("node:timers/promises");
const { isMainThread } = require("node:worker_threads");

// First of all: what others change is not kept.
require("./lean-sources.cjs");
require("./close-local-paths.cjs");
require("./serve-directly.cjs");
require("../egress/route-egress.cjs");
require("../sandbox-host/bind-reader.cjs");

const GRACE_MS = 5_000;
/** For esbuild's processes to be gone, and their last output with them. */
const ENDING_MS = 500;

// wrangler's threads load this as well, and their own standard input ends with them.
if (isMainThread) holdOnTo(process);

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
