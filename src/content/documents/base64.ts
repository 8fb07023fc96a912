const CHUNK_BYTES = 0x6000;

/** Bytes as standard base64 (RFC 4648 § 4), for files that are handed on unread; a PDF begins with `JVBER`. */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  // A multiple of three, so that the pieces can be joined.
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES)));
  }
  return text;
}
