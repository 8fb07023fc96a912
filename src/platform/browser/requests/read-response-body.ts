import type { CdpConnection } from "../cdp-connection.ts";

const CHUNK_BYTES = 4_000_000;

/**
 * Returns the decoded body of a paused response, or undefined when it is longer than `maxBytes`. Reads in chunks: an
 * endless body, or one that decompresses to gigabytes, is abandoned as soon as it is too long. Afterwards the request
 * must be fulfilled or failed.
 */
export async function readResponseBody(
  connection: CdpConnection,
  requestId: string,
  { sessionId, maxBytes }: { sessionId: string | undefined; maxBytes: number },
): Promise<Buffer | undefined> {
  const { stream: handle } = await connection.send("Fetch.takeResponseBodyAsStream", { requestId }, sessionId);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for (;;) {
      const { data, base64Encoded, eof } = await connection.send("IO.read", { handle, size: CHUNK_BYTES }, sessionId);
      const chunk = Buffer.from(data, base64Encoded === true ? "base64" : "utf8");
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > maxBytes) return undefined;
      if (eof) return Buffer.concat(chunks);
    }
  } finally {
    connection.send("IO.close", { handle }, sessionId).catch(() => undefined);
  }
}
