// Loaded into wrangler before its own code (`node --import`). Standard input is a pipe that the starting program holds
// open and never writes to: when that program ends, however it ends, the pipe closes and wrangler shuts down properly.
const GRACE_MS = 5_000;

process.stdin.once("close", () => {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.exit(1), GRACE_MS).unref();
});
process.stdin.resume();
// A pipe is a socket here. It must not keep commands alive that have done their work.
if ("unref" in process.stdin) process.stdin.unref();
