import { createServer } from "node:net";
import { expect, test } from "vitest";
import { listenLocally } from "../../../../src/tools/process/listen-locally.ts";

test("goes on when connections cannot be accepted", async () => {
  const server = createServer();
  expect(await listenLocally(server)).toBeGreaterThan(0);
  // As Node reports an `accept` that failed.
  for (let failure = 0; failure < 2; failure++) server.emit("error", new Error("accept ENFILE"));
  expect(server.listening).toBe(true);
  await new Promise((closed) => server.close(closed));
});
