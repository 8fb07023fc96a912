const NONCE_BYTES = 12;
/** First byte of sealed data: the version of the format. */
const VERSION = 1;

/**
 * Compresses and encrypts bytes (gzip, then AES-256-GCM, NIST SP 800-38D, with a random nonce of 96 bits).
 * @param keyHex 32 bytes in hexadecimal
 * @param context identifies the owner of the bytes; `unseal` needs the same context
 */
export async function seal(keyHex: string, plain: Uint8Array, context: string): Promise<Uint8Array> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const packed = await through(plain, new CompressionStream("gzip"));
  const key = await importKey(keyHex, "encrypt");
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm(nonce, context), key, packed));
  const bytes = new Uint8Array(1 + NONCE_BYTES + sealed.length);
  bytes[0] = VERSION;
  bytes.set(nonce, 1);
  bytes.set(sealed, 1 + NONCE_BYTES);
  return bytes;
}

/** Decrypts sealed bytes; undefined when the key or the context differs, or the bytes were changed. */
export async function unseal(keyHex: string, sealed: Uint8Array, context: string): Promise<Uint8Array | undefined> {
  if (sealed[0] !== VERSION) return undefined;
  const nonce = sealed.slice(1, 1 + NONCE_BYTES);
  const key = await importKey(keyHex, "decrypt");
  try {
    const body = sealed.slice(1 + NONCE_BYTES);
    const packed = await crypto.subtle.decrypt(algorithm(nonce, context), key, body);
    return await through(new Uint8Array(packed), new DecompressionStream("gzip"));
  } catch {
    return undefined;
  }
}

function algorithm(nonce: Uint8Array<ArrayBuffer>, context: string) {
  return { name: "AES-GCM", iv: nonce, additionalData: new TextEncoder().encode(context) };
}

function importKey(keyHex: string, use: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const bytes = Uint8Array.from(keyHex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [use]);
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Response(new Uint8Array(bytes)).body;
  if (body === null) return new Uint8Array();
  return new Uint8Array(await new Response(body.pipeThrough(stream)).arrayBuffer());
}
