import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects what a program's start has left over, which Node would keep for as long as little is allocated afterwards. */
export function giveBackMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as NodeJS.GCFunction;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
