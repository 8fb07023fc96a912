import { dayKey } from "../../core/account/day-key.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import { firstIdOf } from "../crawl/first-id.ts";
import type { ScrapeRecord, ScrapeStore } from "../../ports/storage/stores.ts";

/** Maximum length of documents stored in the row: one write instead of two. D1 limits rows to 2 MB. */
const MAX_INLINE_CHARS = 100_000;

interface ScrapeRow {
  id: string;
  team_id: string;
  key_id: string;
  api_version: "v1" | "v2";
  endpoint: string;
  target: string;
  credits_used: number;
  created_at_ms: number;
  expires_at_ms: number;
  document: string | null;
  replay: string | null;
}

const resultKey = (record: Pick<ScrapeRecord, "id" | "createdAtMs">) =>
  `results/${dayKey(record.createdAtMs)}/${record.id}.json`;

/** Creates the store of scrapes in D1. Documents too long for a row are in R2, written before the row. */
export function createScrapeStore(db: D1Database, blobs: Blobs): ScrapeStore {
  return {
    async insert(record, documentJson) {
      const isInline = documentJson.length <= MAX_INLINE_CHARS;
      if (!isInline) await blobs.put(resultKey(record), documentJson, { contentType: "application/json" });
      await db
        .prepare("INSERT OR REPLACE INTO scrapes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(
          record.id,
          record.teamId,
          record.keyId,
          record.apiVersion,
          record.endpoint,
          record.target,
          record.creditsUsed,
          record.createdAtMs,
          record.expiresAtMs,
          isInline ? documentJson : null,
          record.replay ?? null,
        )
        .run();
    },

    async find(id, nowMs) {
      const result = await db
        .withSession("first-primary")
        .prepare("SELECT * FROM scrapes WHERE id = ? AND expires_at_ms > ?")
        .bind(id, nowMs)
        .run<ScrapeRow>();
      const row = result.results[0];
      if (row === undefined) return undefined;
      const record = toRecord(row);
      const documentJson = row.document ?? (await blobs.text(resultKey(record)));
      return documentJson === undefined ? undefined : { record, documentJson };
    },

    async pagesOf(host, { teamId, nowMs, limit }) {
      const result = await db
        .prepare(
          `SELECT target AS url, json_extract(document, '$.metadata.title') AS title,
             json_extract(document, '$.metadata.description') AS description
           FROM json_each(?1) AS start CROSS JOIN scrapes
             ON team_id = ?2 AND endpoint = 'scrape' AND target >= start.value AND target < start.value || char(1114111)
           WHERE expires_at_ms > ?3 AND coalesce(json_extract(document, '$.metadata.statusCode'), 200) < 400
           GROUP BY target LIMIT ?4`,
        )
        .bind(JSON.stringify(startsOf(host)), teamId, nowMs, limit)
        .run<{ url: string; title: unknown; description: unknown }>();
      return result.results.map(({ url, title, description }) => ({
        url,
        title: typeof title === "string" ? title : undefined,
        description: typeof description === "string" ? description : undefined,
      }));
    },

    async purge(createdBeforeMs, limit) {
      const result = await db
        .prepare("DELETE FROM scrapes WHERE id IN (SELECT id FROM scrapes WHERE id < ? LIMIT ?)")
        .bind(firstIdOf(createdBeforeMs), limit)
        .run();
      return result.meta.changes;
    },
  };
}

/** Returns the prefixes of a host's URLs as callers write them. The reader drops longer host names that match too. */
function startsOf(host: string): string[] {
  const bare = host.replace(/^www\./, "");
  return ["http://", "https://", ""].flatMap((scheme) => [`${scheme}${bare}`, `${scheme}www.${bare}`]);
}

function toRecord(row: ScrapeRow): ScrapeRecord {
  return {
    id: row.id,
    teamId: row.team_id,
    keyId: row.key_id,
    apiVersion: row.api_version,
    endpoint: row.endpoint,
    target: row.target,
    creditsUsed: row.credits_used,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    ...(row.replay === null ? {} : { replay: row.replay }),
  };
}
