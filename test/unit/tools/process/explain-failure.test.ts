import { expect, test } from "vitest";
import { explainFailure } from "../../../../src/tools/process/explain-failure.ts";

test.each([
  { says: "write failed: ENOSPC: no space left on device", advice: "The disk is full" },
  { says: "SQLITE_FULL: database or disk is full", advice: "The disk is full" },
  { says: "✘ [ERROR] Address already in use (127.0.0.1:8787)", advice: "Choose another one" },
  { says: "workerd: /lib/libc.so.6: version `GLIBC_2.35' not found", advice: "needs a newer system" },
  { says: 'The package "@cloudflare/workerd-linux-64" could not be found, and is needed', advice: "npm ci" },
  { says: "EACCES: permission denied, mkdir '/srv/state'", advice: "may not write there" },
])("adds advice to: $says", ({ says, advice }) => {
  const explained = explainFailure(new Error(says));
  expect(explained).toContain(says);
  expect(explained).toContain(advice);
});

test("leaves alone what it knows nothing about", () => {
  expect(explainFailure(new Error("The port must be a number"))).toBe("The port must be a number");
  expect(explainFailure("plain text")).toBe("plain text");
});
