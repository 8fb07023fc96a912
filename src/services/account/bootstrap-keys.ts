import { v4 as uuidv4 } from "uuid";
import { keyPrefix, type ApiKey, type KeyScopes } from "../../core/account/api-key.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import type { ServiceSettings } from "../deps.ts";

/** Team of keys that name no other one. */
export const DEFAULT_TEAM_ID = "00000000-0000-4000-8000-000000000000";

/** A key of the settings. */
export interface BootstrapKey {
  text: string;
  name: string;
  scopes: KeyScopes;
}

/** Returns the bootstrap key with this hash, if there is one. Hashes are compared in constant time. */
export async function bootstrapKeyFor(
  settings: Pick<ServiceSettings, "firstKey" | "adminKey">,
  keyHash: string,
): Promise<BootstrapKey | undefined> {
  const candidates = bootstrapKeys(settings);
  const hashes = await Promise.all(candidates.map(({ text }) => sha256Hex(text)));
  return candidates.find((_candidate, index) => equalInConstantTime(hashes[index] ?? "", keyHash));
}

/** Returns a bootstrap key's row, the same in every isolate: its counters are in one place from the start. */
export function toBootstrapRow({ text, name, scopes }: BootstrapKey, keyHash: string, nowMs: number): ApiKey {
  return {
    id: bootstrapId(keyHash),
    teamId: DEFAULT_TEAM_ID,
    name,
    prefix: keyPrefix(text),
    scopes,
    limits: {},
    monthlyCredits: undefined,
    maxConcurrency: undefined,
    createdAtMs: nowMs,
    expiresAtMs: undefined,
    revokedAtMs: undefined,
  };
}

/** Returns the ID of a bootstrap key's row, which distinguishes it from the row of a created key. */
export function bootstrapId(keyHash: string): string {
  const bytes = Array.from({ length: 16 }, (_, index) => Number.parseInt(keyHash.slice(index * 2, index * 2 + 2), 16));
  return uuidv4({ random: Uint8Array.from(bytes) });
}

/** The admin key comes first: if both settings have one value, that key is an admin key. */
function bootstrapKeys({ firstKey, adminKey }: Pick<ServiceSettings, "firstKey" | "adminKey">): BootstrapKey[] {
  const keys: BootstrapKey[] = [];
  if (adminKey !== undefined) keys.push({ text: adminKey, name: "admin key", scopes: { admin: true } });
  if (firstKey !== undefined) keys.push({ text: firstKey, name: "first key", scopes: { admin: false } });
  return keys;
}

function equalInConstantTime(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
}
