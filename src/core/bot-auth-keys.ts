import { z } from "zod";

const part = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be 32 bytes in base64url");

/** A private Ed25519 key (RFC 8037): `d` is the private part, `x` the public one. */
const BotAuthKey = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  d: part,
  x: part,
});
export type BotAuthKey = z.infer<typeof BotAuthKey>;

/** Keys that a directory may list: the current one, and those that verifiers may still see or will see next. */
const MAX_KEYS = 5;

const BotAuthKeys = z.union([BotAuthKey.transform((key) => [key]), z.array(BotAuthKey).min(1).max(MAX_KEYS)]);

/**
 * Reads the value of `BOT_AUTH_KEY`: a private JSON Web Key, or an array of them, of which the first signs and all are
 * published; `off` stands for none.
 * @throws Error that says what the value must be.
 */
export function parseBotAuthKeys(text: string): BotAuthKey[] {
  if (text.trim() === "off") return [];
  try {
    return BotAuthKeys.parse(JSON.parse(text));
  } catch {
    throw new Error(
      `must be "off", or an Ed25519 private key as a JSON Web Key ({"kty":"OKP","crv":"Ed25519","d":"…","x":"…"}), ` +
        `or an array of at most ${MAX_KEYS} of them`,
    );
  }
}
