import { expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { openUpload, receiveUpload, withUpload } from "../../../../src/services/parse/parse-uploads.ts";
import { createUploadStore } from "../../../../src/storage/scrape/uploads.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** The uploads of a team, and what is read of one. */
async function uploads(clock = fixedClock(), memory = new HeldBytes()) {
  const database = nodeD1();
  const deps = testDeps({ clock, memory, blobs: memoryBlobs(), uploads: createUploadStore(database) });
  // Only the team of the key is looked at: hence the cast.
  const caller = { key: { teamId: "team" } } as never;
  const file = { fileName: "a.csv", contentType: "text/csv", declaredBytes: undefined };
  const { id, uploadRef } = await openUpload(deps, caller, file);
  const send = (text: string) => receiveUpload(deps, { id, uploadRef, read: async () => encode(text) });
  const parse = (read: (text: string) => Promise<string>) =>
    withUpload(deps, caller, { uploadRef, read: ({ bytes }) => read(new TextDecoder().decode(bytes)) });
  const stored = async () =>
    (await deps.blobs.list("uploads/", { after: undefined, limit: 10 })).objects.map(({ key }) => key);
  return { deps, database, id, uploadRef, send, parse, stored };
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

const LONG = "tide,berth\n".repeat(10_000);

/** Counts the long files that are in memory at once. */
function countFiles({ deps }: Awaited<ReturnType<typeof uploads>>) {
  const { get } = deps.blobs;
  const files = { now: 0, most: 0 };
  deps.blobs.get = (...args) => {
    files.most = Math.max(files.most, ++files.now);
    return get(...args);
  };
  const read = async (text: string): Promise<string> => {
    await new Promise((resolve) => setImmediate(resolve));
    files.now--;
    return text;
  };
  return { files, read };
}

test("requests for one long upload read it one after the other, and it is forgotten after the last one", async () => {
  const given = await uploads();
  await given.send(LONG);
  const { files, read } = countFiles(given);
  const results = await Promise.allSettled([
    ...Array.from({ length: 6 }, () => given.parse(read)),
    given.parse(async (text) => {
      await read(text);
      throw new AppError("PARSE_UNSUPPORTED_OPTIONS");
    }),
  ]);
  expect(results.map(({ status }) => status)).toEqual([...Array.from({ length: 6 }, () => "fulfilled"), "rejected"]);
  expect(files).toEqual({ now: 0, most: 1 });
  expect(await given.stored()).toEqual([]);
  await expect(given.parse(read)).rejects.toMatchObject({ message: expect.stringContaining("already parsed") });
});

test("the long uploads of a team are read as far as there is room, and short ones at once", async () => {
  const memory = new HeldBytes({ ofTeam: 2.5 * LONG.length, inAll: 10 * LONG.length });
  const given = await uploads(fixedClock(), memory);
  const { deps } = given;
  const caller = { key: { teamId: "team" } } as never;
  const place = async (text: string): Promise<string> => {
    const file = { fileName: "a.csv", contentType: "text/csv", declaredBytes: undefined };
    const { id, uploadRef } = await openUpload(deps, caller, file);
    await receiveUpload(deps, { id, uploadRef, read: async () => encode(text) });
    return uploadRef;
  };
  const refs = [await place(LONG), await place(LONG), await place(LONG), await place(LONG), await place(LONG)];
  const short = await place("tide");
  const { files, read } = countFiles(given);
  const parse = (uploadRef: string) =>
    withUpload(deps, caller, { uploadRef, read: ({ bytes }) => read(new TextDecoder().decode(bytes)) });
  const texts = Promise.all(refs.map(parse));
  expect(await withUpload(deps, caller, { uploadRef: short, read: async ({ bytes }) => bytes.length })).toBe(4);
  expect(await texts).toEqual(refs.map(() => LONG));
  expect(files).toEqual({ now: 0, most: 2 });
  expect(memory.bytesOf("team")).toBe(0);
});

test("a request whose client leaves while it waits for an upload ends, and the others read it", async () => {
  const given = await uploads();
  await given.send(LONG);
  const { read } = countFiles(given);
  const caller = { key: { teamId: "team" } } as never;
  const left = new AbortController();
  const begun = Promise.withResolvers<void>();
  const { uploadRef, deps } = given;
  const first = withUpload({ ...deps, clientLeft: left.signal }, caller, {
    uploadRef,
    read: () => (begun.resolve(), new Promise<string>(() => undefined)),
  });
  await begun.promise;
  const second = given.parse(read);
  left.abort();
  expect(await second).toBe(LONG);
  expect(await given.stored()).toEqual([]);
  expect(await Promise.race([first, "still waiting"])).toBe("still waiting");
});

test("a file that is sent is counted as one of the team that created its upload", async () => {
  const { deps } = await uploads();
  const file = { fileName: "a.csv", contentType: "text/csv", declaredBytes: 70_000 };
  const { id, uploadRef } = await openUpload(deps, { key: { teamId: "team" } } as never, file);
  let asked: unknown;
  const read = async (limits: unknown) => ((asked = limits), encode("tide"));
  await receiveUpload(deps, { id, uploadRef, read });
  expect(asked).toEqual({ maxBytes: 70_000, owner: { teamId: "team", keyId: id } });
});
