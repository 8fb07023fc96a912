import { dayKey } from "../../core/account/day-key.ts";
import { randomToken } from "../../core/text/hash.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { FileStore } from "../../ports/storage/stores.ts";

const TOKEN = /^(\d{4}-\d{2}-\d{2})-([0-9a-f]{64})$/;

/** Creates the file store in R2: names have 256 random bits and the day of expiry, so that whole days are deleted. */
export function createFileStore(blobs: Blobs): FileStore {
  return {
    async put(file, expiresAtMs) {
      const token = `${dayKey(expiresAtMs)}-${randomToken()}`;
      await blobs.put(fileKey(token), file.bytes, {
        contentType: file.contentType,
        metadata: { expiresAtMs: String(expiresAtMs) },
      });
      return token;
    },

    async find(token, nowMs) {
      if (!TOKEN.test(token)) return undefined;
      const blob = await blobs.stream(fileKey(token));
      if (blob === undefined) return undefined;
      if (Number(blob.metadata["expiresAtMs"]) <= nowMs) {
        await blob.body.cancel();
        return undefined;
      }
      return { body: blob.body, contentType: blob.contentType ?? "application/octet-stream", size: blob.size };
    },
  };
}

function fileKey(token: string): string {
  return `files/${token.slice(0, 10)}/${token.slice(11)}`;
}
