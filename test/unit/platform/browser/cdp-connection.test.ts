import { expect, test } from "vitest";
import { CdpConnection } from "../../../../src/platform/browser/cdp-connection.ts";

/** A binding whose calls end in this way, in order; the last way repeats. */
function bindingOf(...ways: ("lost" | number)[]) {
  const asked: string[] = [];
  const socket = { addEventListener: () => undefined, accept: () => undefined, close: () => undefined };
  const binding = {
    fetch: async (url: string) => {
      const way = ways[Math.min(asked.push(url) - 1, ways.length - 1)];
      if (way === "lost") throw new Error("Network connection lost");
      return { status: way, body: null, webSocket: way === 101 ? socket : null };
    },
  } as unknown as Fetcher;
  return { binding, asked };
}

test("a connection that is lost while it opens is opened again, as after a temporary answer", async () => {
  const { binding, asked } = bindingOf("lost", 503, 101);
  await expect(CdpConnection.open(binding, "a b")).resolves.toBeInstanceOf(CdpConnection);
  expect(asked).toEqual(Array(3).fill("https://browser/v1/devtools/browser/a%20b"));
});

test.each([
  { way: 404, tries: 1, message: "answered 404" },
  { way: "lost" as const, tries: 4, message: "cannot be reached" },
])("$way is final after $tries tries", async ({ way, tries, message }) => {
  const { binding, asked } = bindingOf(way);
  await expect(CdpConnection.open(binding, "a")).rejects.toThrow(message);
  expect(asked).toHaveLength(tries);
});
