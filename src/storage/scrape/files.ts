import { dayKey } from "../../core/account/day-key.ts";
import { sha256HexOf } from "../../core/text/hash.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { FileStore } from "../../ports/storage/stores.ts";

const TOKEN = /^(\d{4}-\d{2}-\d{2})-([0-9a-f]{64})$/;

/**
 * Creates the file store in R2. A name is the day of expiry, so that whole days are deleted, and the hash of the team and
 * the content: it cannot be guessed without the content, and the same picture has the same name until the day changes.
 */
export function createFileStore(blobs: Blobs): FileStore {
  return {
    async put(file, { teamId, expiresAtMs }) {
      const token = `${dayKey(expiresAtMs)}-${await sha256HexOf(teamId, file.bytes)}`;
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
