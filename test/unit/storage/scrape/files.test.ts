import { expect, test } from "vitest";
import { createFileStore } from "../../../../src/storage/scrape/files.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";

test("a file has one name for a team and a day, which its content decides", async () => {
  const store = createFileStore(memoryBlobs());
  const noon = Date.UTC(2026, 10, 23, 12);
  const put = (text: string, teamId = "team", expiresAtMs = noon) =>
    store.put({ bytes: new TextEncoder().encode(text), contentType: "image/png" }, { teamId, expiresAtMs });
  const first = await put("picture");
  expect(first).toMatch(/^2026-11-23-[0-9a-f]{64}$/);
  expect(await put("picture", "team", noon + 1000)).toBe(first);
  const others = await Promise.all([
    put("other"),
    put("picture", "other team"),
    put("picture", "team", noon + 86_400_000),
  ]);
  expect(new Set([first, ...others]).size).toBe(4);
});
