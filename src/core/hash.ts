/** SHA-256 of a text's UTF-8 bytes, in lower-case hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}

/** Bytes in lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An unguessable name of 256 random bits, in hexadecimal. */
export function randomToken(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}
