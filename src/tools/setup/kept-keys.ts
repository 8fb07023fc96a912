import { generateKeyPairSync, randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { KEY_BYTES, KEY_PATTERN, keyOf } from "../../core/account/api-key.ts";

const Keys = z.object({
  apiKey: z.string().regex(KEY_PATTERN),
  adminKey: z.string().regex(KEY_PATTERN),
  /** The key that encrypts browser profiles; folders of earlier versions have none. */
  profileKey: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .optional(),
  /** The secret that signs webhooks; folders of earlier versions have none. */
  webhookSecret: z.string().min(1).optional(),
  /** The key that signs requests to sites, as a JSON Web Key, or `off`; folders of earlier versions have none. */
  botAuthKey: z.string().min(1).optional(),
});
export type Keys = z.infer<typeof Keys>;

/** The file of the kept keys inside a state folder. */
export function keysFile(persistDir: string): string {
  return join(persistDir, "orbweaver", "keys.json");
}

export function makeKey(): string {
  return keyOf(randomBytes(KEY_BYTES));
}

/** Makes an Ed25519 key for `BOT_AUTH_KEY`. */
export function makeBotAuthKey(): string {
  return JSON.stringify(generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }));
}

/**
 * The keys of this state folder: made on the first run, the same ever after. Given keys take their place.
 * @throws Error when the file was damaged.
 */
export async function keptKeys(
  persistDir: string,
  given: Partial<Keys> = {},
): Promise<Required<Keys> & { isNew: boolean }> {
  const path = keysFile(persistDir);
  const kept = await readKeys(path);
  const keys = {
    apiKey: given.apiKey ?? kept?.apiKey ?? makeKey(),
    adminKey: given.adminKey ?? kept?.adminKey ?? makeKey(),
    profileKey: given.profileKey ?? kept?.profileKey ?? randomBytes(32).toString("hex"),
    webhookSecret: given.webhookSecret ?? kept?.webhookSecret ?? randomBytes(32).toString("hex"),
    botAuthKey: given.botAuthKey ?? kept?.botAuthKey ?? makeBotAuthKey(),
  };
  if (JSON.stringify(keys) !== JSON.stringify(kept)) await writeKeys(path, keys);
  return { ...keys, isNew: kept === undefined };
}

async function readKeys(path: string): Promise<Keys | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return Keys.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} does not hold two keys. Delete it, and the next start makes new ones.`);
  }
}

async function writeKeys(path: string, keys: Keys): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}
