import { z } from "zod";
import { ENDPOINTS, KeyLimits, KeyScopes, RATE_MODES, type ApiKey } from "../../core/account/api-key.ts";
import { readStored } from "../../core/stored-state.ts";
import type { ApiKeyStore } from "../../ports/storage/stores.ts";

interface ApiKeyRow {
  id: string;
  team_id: string;
  name: string;
  prefix: string;
  scopes: string;
  limits: string;
  monthly_credits: number | null;
  max_concurrency: number | null;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
}

const COLUMNS =
  "id, team_id, name, prefix, scopes, limits, monthly_credits, max_concurrency, created_at_ms, expires_at_ms, revoked_at_ms";

/** Creates the key store in D1. The table has digests, so neither a leak nor the time of a lookup reveals a key. */
export function createApiKeyStore(db: D1Database): ApiKeyStore {
  const find = async (keyHash: string, constraint: "first-unconstrained" | "first-primary") => {
    const { results, meta } = await db
      .withSession(constraint)
      .prepare(`SELECT ${COLUMNS} FROM api_keys WHERE key_hash = ?`)
      .bind(keyHash)
      .run<ApiKeyRow>();
    return { row: results[0], isFromPrimary: meta.served_by_primary === true };
  };

  return {
    async findByHash(keyHash) {
      const nearest = await find(keyHash, "first-unconstrained");
      // A replica may lack a key that was created a moment ago; only the primary is authoritative for missing keys.
      const isFinal = nearest.row !== undefined || nearest.isFromPrimary;
      const { row } = isFinal ? nearest : await find(keyHash, "first-primary");
      return row === undefined ? undefined : toApiKey(row);
    },

    async insert(key, keyHash) {
      await db
        .prepare(
          `INSERT INTO api_keys (key_hash, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        )
        .bind(keyHash, ...toColumns(key))
        .run();
    },

    /** Reads from the primary, so that a revocation applies at once. */
    async findById(id) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(`SELECT key_hash, ${COLUMNS} FROM api_keys WHERE id = ?`)
        .bind(id)
        .run<ApiKeyRow & { key_hash: string }>();
      const [row] = results;
      return row === undefined ? undefined : { key: toApiKey(row), keyHash: row.key_hash };
    },

    /** Reads from the primary, so that a revocation is visible at once. */
    async listByTeam(teamId, { limit, endedAfterMs }) {
      const { results } = await db
        .withSession("first-primary")
        .prepare(
          `SELECT ${COLUMNS} FROM api_keys WHERE team_id = ?1
             AND coalesce(revoked_at_ms, ?2) >= ?2 AND coalesce(expires_at_ms, ?2) >= ?2
           ORDER BY revoked_at_ms IS NOT NULL, created_at_ms DESC, id DESC LIMIT ?3`,
        )
        .bind(teamId, endedAfterMs, limit)
        .run<ApiKeyRow>();
      return results.map(toApiKey);
    },

    /** Reads from the primary, as `listByTeam` does. */
    async listAll() {
      const { results } = await db
        .withSession("first-primary")
        .prepare(`SELECT ${COLUMNS} FROM api_keys ORDER BY created_at_ms DESC, id DESC`)
        .run<ApiKeyRow>();
      return results.map(toApiKey);
    },

    async revoke(id, atMs) {
      const { meta } = await db
        .prepare("UPDATE api_keys SET revoked_at_ms = COALESCE(revoked_at_ms, ?) WHERE id = ?")
        .bind(atMs, id)
        .run();
      return meta.changes > 0;
    },
  };
}

/** Scopes and limits that a later version may have written, with endpoints and modes that this one does not have. */
const StoredScopes = KeyScopes.extend({ endpoints: z.array(z.string()).optional() });
const StoredLimits = z.record(z.string(), KeyLimits.valueType);

/** Returns the values in the order of `COLUMNS`. */
function toColumns(key: ApiKey): (string | number | null)[] {
  return [
    key.id,
    key.teamId,
    key.name,
    key.prefix,
    JSON.stringify(key.scopes),
    JSON.stringify(key.limits),
    key.monthlyCredits ?? null,
    key.maxConcurrency ?? null,
    key.createdAtMs,
    key.expiresAtMs ?? null,
    key.revokedAtMs ?? null,
  ];
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    teamId: row.team_id,
    name: row.name,
    prefix: row.prefix,
    scopes: toScopes(row.scopes),
    limits: toLimits(row.limits),
    monthlyCredits: row.monthly_credits ?? undefined,
    maxConcurrency: row.max_concurrency ?? undefined,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms ?? undefined,
    revokedAtMs: row.revoked_at_ms ?? undefined,
  };
}

/** Drops unknown endpoints. A list that has no other ones stays a list: without it, the key could use all endpoints. */
function toScopes(text: string): KeyScopes {
  const { endpoints, ...others } = readStored(StoredScopes, text, "API key");
  if (endpoints === undefined) return others;
  return { ...others, endpoints: ENDPOINTS.filter((endpoint) => endpoints.includes(endpoint)) };
}

/** Drops the limits of unknown modes. */
function toLimits(text: string): KeyLimits {
  const stored = readStored(StoredLimits, text, "API key");
  const limits: KeyLimits = {};
  for (const mode of RATE_MODES) {
    const limit = stored[mode];
    if (limit !== undefined) limits[mode] = limit;
  }
  return limits;
}
