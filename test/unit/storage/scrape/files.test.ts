import { expect, test } from "vitest";
import { jobOfFile } from "../../../../src/core/jobs/file-token.ts";
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

test("a file of a job lies in the folder of its results, and is found by a name that has the job", async () => {
  const blobs = memoryBlobs();
  const store = createFileStore(blobs);
  const [noon, id] = [Date.UTC(2026, 10, 23, 12), "01a1fca9-c0e6-70a0-9c2a-f06008640789"];
  const file = { bytes: new TextEncoder().encode("picture"), contentType: "image/png" };
  const kept = { teamId: "team", expiresAtMs: noon + 86_400_000 };
  const token = await store.put(file, { ...kept, job: { id, createdAtMs: noon } });
  expect(jobOfFile(token)).toBe(id);
  expect(jobOfFile(await store.put(file, kept))).toBeUndefined();
  expect([...blobs.objects.keys()][0]).toMatch(`results/2026-11-23/${id}/files/`);
  // How long it is kept is known from the job alone.
  expect(await store.find(token, noon * 2)).toMatchObject({ contentType: "image/png", size: 7 });
});
