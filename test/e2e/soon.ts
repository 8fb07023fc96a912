import { expect } from "vitest";

/** Expects something of what a look shows, now or within the time that a busy machine may need. */
export function soon<T>(look: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(look, { timeout: 45_000, interval: 150 });
}
