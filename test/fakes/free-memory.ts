import { GrowingBytes } from "../../src/core/waits/growing-bytes.ts";
import { HeldBytes } from "../../src/core/waits/held-bytes.ts";

/** Returns the count of one work that has the memory of an isolate for itself. */
export function freeMemory(): GrowingBytes {
  return new GrowingBytes(new HeldBytes(), { teamId: "team", keyId: "key" });
}
