/** Returns the SHA-256 of a text's UTF-8 bytes, in lower-case hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}

/** Returns the SHA-256 of a label and bytes, in lower-case hexadecimal. */
export async function sha256HexOf(label: string, bytes: Uint8Array): Promise<string> {
  const head = new TextEncoder().encode(`${label}\n`);
  const whole = new Uint8Array(head.byteLength + bytes.byteLength);
  whole.set(head);
  whole.set(bytes, head.byteLength);
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", whole)));
}

/** Encodes bytes in lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns a token of 256 random bits, in hexadecimal. */
export function randomToken(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

/** Returns 53 random bits, for hashes that no site is to know. */
export function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 53);
}

/**
 * Returns a fast 53-bit hash for sets in memory (two multiplicative mixes of 32 bits, after MurmurHash3's finaliser).
 * Not for secrets.
 * @param seed a number up to 53 bits, each of which gives other hashes; also the hash of a text before this one
 */
export function hash53(text: string, seed = 0): number {
  let high = 0x1b873593 ^ Math.floor(seed / 0x1_0000_0000);
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}
