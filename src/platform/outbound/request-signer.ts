import { directoryResponseHeaders, jwkToKeyID, MediaType, signatureHeaders, type Signer } from "web-bot-auth";
import { helpers, signerFromJWK } from "web-bot-auth/crypto";
import type { BotAuthKey } from "../../core/bot-auth-keys.ts";
import type { Clock } from "../../ports/system.ts";
import type { KeyDirectory, RequestSigner, SignedDirectory } from "../../ports/outbound/request-signer.ts";

/** Clocks of verifiers may be slow: a signature counts as made this long ago. */
const CLOCK_TOLERANCE_MS = 30_000;
/** Verifiers are asked to refuse a signature after this time, so that a recorded one is of little use. */
const LIFETIME_MS = 60_000;
/** How long the directory's own signature, and a copy of the directory, may be used. */
const DIRECTORY_LIFETIME_MS = 3_600_000;

interface SignerOptions {
  /** The first signs, all are published. */
  keys: readonly BotAuthKey[];
  /** Origin of the directory, which requests name in `Signature-Agent`; without it they name the key alone. */
  agent: string | undefined;
  clock: Clock;
}

/**
 * Signs requests as draft-meunier-web-bot-auth-architecture describes: an HTTP message signature (RFC 9421) of the host
 * and of the directory's address, tagged `web-bot-auth`. Create one for an isolate: imported keys are kept.
 */
export class BotIdentity implements RequestSigner, KeyDirectory {
  readonly #options: SignerOptions;
  /** Kept when imported, not while they are: a pending promise belongs to the request that waits for it. */
  #signers: Signer[] | undefined;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  async headersFor(url: string): Promise<Record<string, string>> {
    const [signer] = await this.#signersOf();
    if (signer === undefined) return {};
    const { agent, clock } = this.#options;
    const now = clock.now();
    // A structured string (RFC 8941 § 3.3.3); an origin has no character that must be escaped.
    const named: Record<string, string> = agent === undefined ? {} : { "signature-agent": `"${agent}"` };
    const signed = await signatureHeaders({ method: "GET", url, headers: named }, signer, {
      created: new Date(now - CLOCK_TOLERANCE_MS),
      expires: new Date(now + LIFETIME_MS),
    });
    return { ...named, signature: signed.Signature, "signature-input": signed["Signature-Input"] };
  }

  async directory(url: string): Promise<SignedDirectory | undefined> {
    const signers = await this.#signersOf();
    if (signers.length === 0) return undefined;
    const now = this.#options.clock.now();
    const request = { method: "GET", url, headers: {} };
    const signed = await directoryResponseHeaders({ request, response: { status: 200, headers: {} } }, signers, {
      created: new Date(now - CLOCK_TOLERANCE_MS),
      expires: new Date(now + DIRECTORY_LIFETIME_MS),
    });
    const keys = this.#options.keys.map(({ kty, crv, x }, index) => ({
      kty,
      crv,
      x,
      kid: signers[index]?.keyid ?? "",
      use: "sig" as const,
    }));
    return {
      body: { keys },
      headers: {
        "content-type": MediaType.HTTP_MESSAGE_SIGNATURES_DIRECTORY,
        "cache-control": `public, max-age=${DIRECTORY_LIFETIME_MS / 1_000}`,
        signature: signed.Signature,
        "signature-input": signed["Signature-Input"],
      },
    };
  }

  async #signersOf(): Promise<Signer[]> {
    return (this.#signers ??= await Promise.all(this.#options.keys.map((key) => signerFromJWK({ ...key }))));
  }
}

/** Returns the id of a key: the thumbprint of its public part (RFC 7638). */
export function keyIdOf({ kty, crv, x }: BotAuthKey): Promise<string> {
  return jwkToKeyID({ kty, crv, x }, helpers.WEBCRYPTO_SHA256, helpers.BASE64URL_DECODE);
}
