import { describe, expect, test } from "vitest";
import type { Blobs } from "../../src/ports/storage/blobs.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Requirements of every object storage. Each test uses keys of its own. */
export function blobsContract(name: string, makeBlobs: () => Blobs): void {
  const withFolder = () => ({ blobs: makeBlobs(), folder: `contract-${crypto.randomUUID()}` });

  describe(`${name} as object storage`, () => {
    test("returns an object with its content type and metadata", async () => {
      const { blobs, folder } = withFolder();
      await blobs.put(`${folder}/a`, "héllo", { contentType: "text/plain", metadata: { team: "one" } });
      await blobs.put(`${folder}/plain`, bytes("raw"));
      expect(await blobs.text(`${folder}/a`)).toBe("héllo");
      expect(await blobs.get(`${folder}/a`)).toEqual({
        bytes: bytes("héllo"),
        contentType: "text/plain",
        metadata: { team: "one" },
      });
      expect(await blobs.get(`${folder}/plain`)).toEqual({ bytes: bytes("raw"), contentType: undefined, metadata: {} });
    });

    test("replaces an object, and does not change with the caller's bytes", async () => {
      const { blobs, folder } = withFolder();
      const body = bytes("first");
      await blobs.put(`${folder}/a`, body);
      body.fill(0);
      expect(await blobs.text(`${folder}/a`)).toBe("first");
      await blobs.put(`${folder}/a`, "second");
      expect(await blobs.text(`${folder}/a`)).toBe("second");
    });

    test("returns nothing for a key without an object", async () => {
      const { blobs, folder } = withFolder();
      expect(await blobs.get(`${folder}/none`)).toBeUndefined();
      expect(await blobs.text(`${folder}/none`)).toBeUndefined();
      expect(await blobs.stream(`${folder}/none`)).toBeUndefined();
    });

    test("returns a range of an object, up to its end", async () => {
      const { blobs, folder } = withFolder();
      await blobs.put(`${folder}/a`, "0123456789");
      expect(await blobs.text(`${folder}/a`, { offset: 2, length: 3 })).toBe("234");
      expect((await blobs.get(`${folder}/a`, { offset: 8, length: 10 }))?.bytes).toEqual(bytes("89"));
    });

    test("streams an object and states its size", async () => {
      const { blobs, folder } = withFolder();
      await blobs.put(`${folder}/a`, "streamed", { contentType: "text/plain" });
      const found = await blobs.stream(`${folder}/a`);
      expect(found).toMatchObject({ size: 8, contentType: "text/plain", metadata: {} });
      expect(await new Response(found?.body).text()).toBe("streamed");
      const part = await blobs.stream(`${folder}/a`, { offset: 2, length: 3 });
      expect(part?.size).toBe(3);
      const reader = part?.body.getReader({ mode: "byob" });
      const pieces: number[] = [];
      for (let read = await reader?.read(new Uint8Array(2)); read?.value !== undefined && !read.done;) {
        pieces.push(...read.value);
        read = await reader?.read(new Uint8Array(2));
      }
      expect(new TextDecoder().decode(new Uint8Array(pieces))).toBe("rea");
    });

    test("deletes the named objects, and ignores missing ones", async () => {
      const { blobs, folder } = withFolder();
      for (const key of ["a", "b"]) await blobs.put(`${folder}/${key}`, key);
      await blobs.delete([`${folder}/a`, `${folder}/none`]);
      expect(await blobs.text(`${folder}/a`)).toBeUndefined();
      expect(await blobs.text(`${folder}/b`)).toBe("b");
    });

    test("deletes what is under a prefix, and nothing else", async () => {
      const { blobs, folder } = withFolder();
      for (const key of ["day-1/a", "day-1/b", "day-2/a"]) await blobs.put(`${folder}/${key}`, key);
      expect(await blobs.deletePrefix(`${folder}/day-1/`)).toBe(false);
      expect(await blobs.text(`${folder}/day-1/b`)).toBeUndefined();
      expect(await blobs.text(`${folder}/day-2/a`)).toBe("day-2/a");
      expect(await blobs.deletePrefix(`${folder}/none/`)).toBe(false);
    });

    test("lists objects in key order, behind a key and up to a limit, with the time of their writing", async () => {
      const { blobs, folder } = withFolder();
      for (const key of ["c", "a", "b"]) await blobs.put(`${folder}/${key}`, key);
      const first = await blobs.list(`${folder}/`, { after: undefined, limit: 2 });
      expect(first.objects.map(({ key }) => key)).toEqual([`${folder}/a`, `${folder}/b`]);
      expect(first.hasMore).toBe(true);
      for (const { writtenAtMs } of first.objects) expect(Math.abs(Date.now() - writtenAtMs)).toBeLessThan(60_000);
      const rest = await blobs.list(`${folder}/`, { after: `${folder}/b`, limit: 2 });
      expect(rest).toMatchObject({ objects: [{ key: `${folder}/c` }], hasMore: false });
    });

    test("names the folders under a prefix by their whole prefixes, each once", async () => {
      const { blobs, folder } = withFolder();
      for (const key of ["day-2/a", "day-1/a", "day-1/b", "file"]) await blobs.put(`${folder}/${key}`, key);
      expect(await blobs.folders(`${folder}/`)).toEqual([`${folder}/day-1/`, `${folder}/day-2/`]);
    });
  });
}
