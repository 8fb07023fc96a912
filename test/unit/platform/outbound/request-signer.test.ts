import { createPublicKey, generateKeyPairSync, verify as verifyBytes } from "node:crypto";
import { httpbis } from "http-message-signatures";
import { describe, expect, test } from "vitest";
import { parseBotAuthKeys, type BotAuthKey } from "../../../../src/core/bot-auth-keys.ts";
import { BotIdentity, keyIdOf } from "../../../../src/platform/outbound/request-signer.ts";

const newKey = (): BotAuthKey => {
  const [key] = parseBotAuthKeys(JSON.stringify(generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })));
  if (key === undefined) throw new Error("No key");
  return key;
};
const AGENT = "https://robots.example";
const URL_OF_PAGE = "https://shop.example/prices?page=2";

/** Verifies as a site would: with another library, and the keys that it knows. */
async function isAccepted(
  url: string,
  headers: Record<string, string>,
  { keys, fields = ["@authority", "signature-agent"] }: { keys: readonly BotAuthKey[]; fields?: string[] },
): Promise<boolean> {
  const byId = new Map(await Promise.all(keys.map(async (key) => [await keyIdOf(key), key] as const)));
  const verified = await httpbis.verifyMessage(
    {
      requiredParams: ["created", "expires", "keyid", "tag", "nonce"],
      requiredFields: fields,
      keyLookup: async ({ keyid, tag }) => {
        const key = byId.get(String(keyid));
        if (key === undefined || tag !== "web-bot-auth") return null;
        const publicKey = createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: "jwk" });
        return { algs: ["ed25519"], verify: async (data, signed) => verifyBytes(null, data, publicKey, signed) };
      },
    },
    { method: "GET", url, headers },
  );
  return verified === true;
}

describe("signed requests", () => {
  test("are accepted by a verifier that knows the key, and by no other", async () => {
    const key = newKey();
    const headers = await new BotIdentity({ keys: [key], agent: AGENT, clock: Date }).headersFor(URL_OF_PAGE);
    expect(headers["signature-agent"]).toBe(`"${AGENT}"`);
    expect(await isAccepted(URL_OF_PAGE, headers, { keys: [key] })).toBe(true);
    expect(await isAccepted(URL_OF_PAGE, headers, { keys: [newKey()] })).toBe(false);
    expect(await isAccepted("https://other.example/", headers, { keys: [key] })).toBe(false);
    const forged = { ...headers, "signature-agent": '"https://forger.example"' };
    expect(await isAccepted(URL_OF_PAGE, forged, { keys: [key] })).toBe(false);
  });

  test("without a directory address name the key alone", async () => {
    const key = newKey();
    const headers = await new BotIdentity({ keys: [key], agent: undefined, clock: Date }).headersFor(URL_OF_PAGE);
    expect(headers).not.toHaveProperty("signature-agent");
    expect(await isAccepted(URL_OF_PAGE, headers, { keys: [key], fields: ["@authority"] })).toBe(true);
  });

  test("never repeat a nonce", async () => {
    const identity = new BotIdentity({ keys: [newKey()], agent: AGENT, clock: Date });
    const [first, second] = [await identity.headersFor(URL_OF_PAGE), await identity.headersFor(URL_OF_PAGE)];
    expect(first["signature"]).not.toBe(second["signature"]);
  });

  test.each([
    { clock: "20 s ahead", offMs: 20_000, isValid: true },
    { clock: "20 s behind", offMs: -20_000, isValid: true },
    { clock: "10 minutes ahead", offMs: 600_000, isValid: false },
    { clock: "10 minutes behind", offMs: -600_000, isValid: false },
  ])("from a clock that is $clock are accepted: $isValid", async ({ offMs, isValid }) => {
    const key = newKey();
    const clock = { now: () => Date.now() + offMs };
    const headers = await new BotIdentity({ keys: [key], agent: AGENT, clock }).headersFor(URL_OF_PAGE);
    const accepted = isAccepted(URL_OF_PAGE, headers, { keys: [key] }).catch(() => false);
    expect(await accepted).toBe(isValid);
  });

  test("are signed by the first key after a rotation, and both keys are published", async () => {
    const [current, former] = [newKey(), newKey()];
    const identity = new BotIdentity({ keys: [current, former], agent: AGENT, clock: Date });
    const headers = await identity.headersFor(URL_OF_PAGE);
    expect(await isAccepted(URL_OF_PAGE, headers, { keys: [current] })).toBe(true);
    expect(await isAccepted(URL_OF_PAGE, headers, { keys: [former] })).toBe(false);
    const directory = await identity.directory(`${AGENT}/.well-known/http-message-signatures-directory`);
    expect(directory?.body.keys.map(({ kid }) => kid)).toEqual([await keyIdOf(current), await keyIdOf(former)]);
    expect(JSON.stringify(directory)).not.toContain(current.d);
    expect(directory?.headers["content-type"]).toBe("application/http-message-signatures-directory+json");
    expect(directory?.headers["signature-input"]?.match(/http-message-signatures-directory/g)).toHaveLength(2);
  });

  test("are not signed without a key, and there is no directory", async () => {
    const identity = new BotIdentity({ keys: parseBotAuthKeys("off"), agent: AGENT, clock: Date });
    expect(await identity.headersFor(URL_OF_PAGE)).toEqual({});
    expect(await identity.directory(AGENT)).toBeUndefined();
  });
});

test.each(["", "{}", '{"kty":"OKP","crv":"Ed25519","d":"short","x":"short"}', "[]", "null", "secret"])(
  "%j is no value of BOT_AUTH_KEY",
  (text) => expect(() => parseBotAuthKeys(text)).toThrow(/must be "off", or an Ed25519 private key/),
);
