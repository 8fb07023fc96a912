// Loaded into wrangler before its own code. By `node --require`: with `--import`, Node would read wrangler, 15 MB of
// source, a second time as a module, and hold both.
import { isMainThread } from "node:worker_threads";

const GRACE_MS = 5_000;

/**
 * Standard input is a pipe that the starting program holds open: when that program ends, however it ends, the pipe closes
 * and wrangler shuts down properly. What is written to it means that the service is up.
 */
function holdOnTo({ stdin }: NodeJS.Process): void {
  stdin.once("close", () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.exit(1), GRACE_MS).unref();
  });
  stdin.on("data", () => {
    // Half of the heap is left over from the start, and Node would keep it.
    globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  });
  stdin.resume();
  // A pipe is a socket here. It must not keep commands alive that have done their work.
  if ("unref" in stdin) stdin.unref();
}

// wrangler's threads load this as well, and their own standard input ends with them.
if (isMainThread) holdOnTo(process);
