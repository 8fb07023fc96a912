import { dayKey } from "../../core/account/day-key.ts";
import { isFileToken, jobOfFile } from "../../core/jobs/file-token.ts";
import { sha256HexOf } from "../../core/text/hash.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { FileStore } from "../../ports/storage/stores.ts";

/**
 * Creates the file store in R2. A name is the day of expiry, so that whole days are deleted, and the hash of the team and
 * the content: it cannot be guessed without the content, and the same picture has the same name until the day changes. The
 * files of a job, whose expiry is not known before its end, lie in the folder of its results: the name has its day and ID.
 */
export function createFileStore(blobs: Blobs): FileStore {
  return {
    async put(file, { teamId, expiresAtMs, job }) {
      const hash = await sha256HexOf(teamId, file.bytes);
      const token = `${job === undefined ? dayKey(expiresAtMs) : `${dayKey(job.createdAtMs)}-${job.id}`}-${hash}`;
      await blobs.put(fileKey(token), file.bytes, {
        contentType: file.contentType,
        metadata: job === undefined ? { expiresAtMs: String(expiresAtMs) } : {},
      });
      return token;
    },

    async find(token, nowMs) {
      if (!isFileToken(token)) return undefined;
      const blob = await blobs.stream(fileKey(token));
      if (blob === undefined) return undefined;
      // Those of jobs name no time.
      if (Number(blob.metadata["expiresAtMs"] ?? Infinity) <= nowMs) {
        await blob.body.cancel();
        return undefined;
      }
      return { body: blob.body, contentType: blob.contentType ?? "application/octet-stream", size: blob.size };
    },
  };
}

function fileKey(token: string): string {
  const jobId = jobOfFile(token);
  if (jobId !== undefined) return `results/${token.slice(0, 10)}/${jobId}/files/${token.slice(-64)}`;
  return `files/${token.slice(0, 10)}/${token.slice(11)}`;
}
