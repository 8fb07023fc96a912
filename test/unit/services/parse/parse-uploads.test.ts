import { expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { openUpload, receiveUpload, withUpload } from "../../../../src/services/parse/parse-uploads.ts";
import { createUploadStore } from "../../../../src/storage/scrape/uploads.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** The uploads of a team, and what is read of one. */
async function uploads(clock = fixedClock()) {
  const database = nodeD1();
  const deps = testDeps({ clock, blobs: memoryBlobs(), uploads: createUploadStore(database) });
  // Only the team of the key is looked at: hence the cast.
  const caller = { key: { teamId: "team" } } as never;
  const file = { fileName: "a.csv", contentType: "text/csv", declaredBytes: undefined };
  const { id, uploadRef } = await openUpload(deps, caller, file);
  const send = (text: string) => receiveUpload(deps, { id, uploadRef, read: async () => encode(text) });
  const parse = (read: (text: string) => Promise<string>) =>
    withUpload(deps, caller, { uploadRef, read: ({ bytes }) => read(new TextDecoder().decode(bytes)) });
  const stored = async () =>
    (await deps.blobs.list("uploads/", { after: undefined, limit: 10 })).objects.map(({ key }) => key);
  return { deps, database, id, send, parse, stored };
}

test("of two files that are sent to an upload at once, the one that is received is read", async () => {
  const { send, parse, stored } = await uploads();
  const outcomes = await Promise.allSettled([send("first"), send("second")]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await stored()).toHaveLength(1);
  const received = outcomes[0].status === "fulfilled" ? "first" : "second";
  expect(await parse(async (text) => text)).toBe(received);
  expect(await stored()).toEqual([]);
});

test("a file that is larger than was declared is refused with 413", async () => {
  const { deps } = await uploads();
  const caller = { key: { teamId: "team" } } as never;
  const file = { fileName: "a.csv", contentType: "text/csv", declaredBytes: 3 };
  const { id, uploadRef } = await openUpload(deps, caller, file);
  const read = () => Promise.reject(new AppError("PAYLOAD_TOO_LARGE"));
  await expect(receiveUpload(deps, { id, uploadRef, read })).rejects.toMatchObject({
    code: "PAYLOAD_TOO_LARGE",
    message: "The file is too large: this upload is for at most 3 bytes",
  });
});

test("a file that an earlier version has received is read and forgotten", async () => {
  const { deps, database, id, parse, stored } = await uploads();
  await deps.blobs.put(`uploads/2026-11-21/${id}`, encode("from before"));
  await database.prepare("UPDATE uploads SET state = 'uploaded' WHERE id = ?").bind(id).run();
  expect(await parse(async (text) => text)).toBe("from before");
  expect(await stored()).toEqual([]);
});

test("uploads that have expired without being parsed make room for others, and their files are deleted", async () => {
  const clock = fixedClock();
  const { deps, send, parse, stored } = await uploads(clock);
  await send("broken");
  await expect(parse(() => Promise.reject(new AppError("SCRAPE_PDF_PREFETCH_FAILED")))).rejects.toThrow();
  const caller = { key: { teamId: "team" } } as never;
  const open = () => openUpload(deps, caller, { fileName: "a.csv", contentType: "text/csv", declaredBytes: undefined });
  for (let more = 0; more < 9; more++) await open();
  await expect(open()).rejects.toMatchObject({ code: "PARSE_UPLOAD_UNPARSED_LIMIT_REACHED" });
  expect(await stored()).toHaveLength(1);
  clock.advance(10 * 60_000);
  await open();
  expect(await stored()).toEqual([]);
});
