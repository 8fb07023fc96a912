import { describe, expect, test } from "vitest";
import type { FileStore } from "../../src/ports/storage/stores.ts";

const NOW = Date.UTC(2026, 5, 15);
const DAY_MS = 86_400_000;

const someFile = () => ({ bytes: new TextEncoder().encode(crypto.randomUUID()), contentType: "image/png" });

/** Requirements of every file store. */
export function fileStoreContract(name: string, makeFiles: () => FileStore): void {
  describe(`${name} as a file store`, () => {
    test("returns a file with its type and size until it expires", async () => {
      const files = makeFiles();
      const file = someFile();
      const token = await files.put(file, { teamId: "team", expiresAtMs: NOW });
      const found = await files.find(token, NOW - 1);
      expect(found).toMatchObject({ contentType: "image/png", size: file.bytes.length });
      expect(new Uint8Array(await new Response(found?.body).arrayBuffer())).toEqual(file.bytes);
      expect(await files.find(token, NOW)).toBeUndefined();
    });

    test("names the same file of a team on one day once, and differently for other teams, contents and days", async () => {
      const files = makeFiles();
      const file = someFile();
      const kept = { teamId: "team", expiresAtMs: NOW };
      const token = await files.put(file, kept);
      expect(await files.put(file, { ...kept, expiresAtMs: NOW + 1000 })).toBe(token);
      const others = [
        await files.put(file, { ...kept, teamId: "another team" }),
        await files.put(someFile(), kept),
        await files.put(file, { ...kept, expiresAtMs: NOW + DAY_MS }),
      ];
      expect(new Set([token, ...others]).size).toBe(4);
    });

    test("finds nothing by a token that it has not given", async () => {
      const files = makeFiles();
      for (const token of ["", "file-1", "../secret", `2026-06-15-${"0".repeat(64)}`]) {
        expect(await files.find(token, NOW)).toBeUndefined();
      }
    });
  });
}
