import { ExtractedState, StoredValidators, type PageState } from "../../core/monitors/monitor.ts";
import { PageSource } from "../../core/scrape/page-source.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import type { MonitorStates, TargetRevision } from "../../ports/monitors.ts";
import type { MonitorDatabase, Statement, Value } from "./monitor-database.ts";
import { adoptObject, releaseObjects, UNUSED_MS, type ContentColumns, type StateObjects } from "./state-objects.ts";

interface StateRow extends ContentColumns {
  scrape_id: string | null;
  text_hash: string;
  validators: string | null;
  source: string | null;
}

/** The row of a page without a state. */
type NoRow = Record<keyof StateRow, null>;

/**
 * Returns the statements that store the state of a page in the batch of its result, if a condition holds.
 * @param content its text and data, as `StateObjects` has placed them
 */
export function putState(
  { monitorId, state, content, nowMs }: { monitorId: string; state: PageState; content: ContentColumns; nowMs: number },
  [condition, values]: Statement,
): Statement[] {
  const { targetId, url, scrapeId, textHash, validators, source } = state;
  const { text, extracted, object_key: key } = content;
  const address = [monitorId, targetId, url];
  return [
    releaseObjects([`${IS_STATE} AND ${condition}`, [...address, ...values]], nowMs + UNUSED_MS),
    [
      `INSERT OR REPLACE INTO monitor_states
         (monitor_id, target_id, url, scrape_id, text_hash, text, extracted, validators, object_key, source)
       SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE ${condition}`,
      [...address, scrapeId, textHash, text, extracted, textOf(validators), key, textOf(source), ...values],
    ],
    ...(key === null ? [] : [adoptObject(key, [condition, values])]),
  ];
}

/** Returns the statements that delete the state of a page, if a condition holds. */
export function dropState(
  { monitorId, targetId, url, nowMs }: { monitorId: string; targetId: string; url: string; nowMs: number },
  [condition, values]: Statement,
): Statement[] {
  const dropped: Statement = [`${IS_STATE} AND ${condition}`, [monitorId, targetId, url, ...values]];
  return [releaseObjects(dropped, nowMs + UNUSED_MS), [`DELETE FROM monitor_states WHERE ${dropped[0]}`, dropped[1]]];
}

/** Returns the condition that a monitor has a revision of a target. */
export function isOfRevision(monitorId: string, { targetId, revision }: TargetRevision): Statement {
  const stored = "(SELECT value FROM json_each(config, '$.revisions') WHERE key = ?)";
  const isTarget = "EXISTS (SELECT 1 FROM json_each(config, '$.targets') WHERE json_extract(value, '$.id') = ?)";
  const condition = `EXISTS (SELECT 1 FROM monitors WHERE id = ? AND ${stored} IS ? AND ${isTarget})`;
  return [condition, [monitorId, targetId, revision ?? null, targetId]];
}

const IS_STATE = "monitor_id = ? AND target_id = ? AND url = ?";

/** Creates the store of page states of monitors in D1. */
export function createMonitorStates({ rows, write }: MonitorDatabase, objects: StateObjects): MonitorStates {
  return {
    purgeObjects: objects.purge,
    async state(monitorId, { targetId, revision, url }) {
      const [isCurrent, current] = isOfRevision(monitorId, { targetId, revision });
      const query = `SELECT state.* FROM (SELECT 1 WHERE ${isCurrent}) LEFT JOIN
        (SELECT * FROM monitor_states WHERE ${IS_STATE}) AS state`;
      const [row] = await rows<StateRow | NoRow>(query, ...current, monitorId, targetId, url);
      if (row === undefined) return undefined;
      if (row.text === null) return {};
      const content = await objects.read(row);
      return content === undefined ? {} : { state: toState({ ...row, ...content }, { targetId, url }) };
    },
    async knownUrls(monitorId, targetId, limit) {
      const query = "SELECT url FROM monitor_states WHERE monitor_id = ? AND target_id = ? ORDER BY url LIMIT ?";
      return (await rows<{ url: string }>(query, monitorId, targetId, limit)).map(({ url }) => url);
    },
    async noteSeen({ id, monitorId }, nowMs) {
      const isListed =
        "EXISTS (SELECT 1 FROM monitor_pages AS page WHERE check_id = ? AND page.target_id = state.target_id AND page.url = state.url)";
      // States that an earlier version has stored.
      const isUnknown =
        "NOT EXISTS (SELECT 1 FROM monitor_seen AS seen WHERE seen.monitor_id = state.monitor_id AND seen.target_id = state.target_id AND seen.url = state.url)";
      await write([
        `INSERT INTO monitor_seen (monitor_id, target_id, url, seen_at_ms)
           SELECT monitor_id, target_id, url, ? FROM monitor_states AS state
             WHERE monitor_id = ? AND (${isListed} OR ${isUnknown})
           ON CONFLICT (monitor_id, target_id, url) DO UPDATE SET seen_at_ms = excluded.seen_at_ms`,
        [nowMs, monitorId, id],
      ]);
    },
    async forgetStates(monitorId, { listedAtMs, seenSinceMs, most, limit }) {
      const chosen = `SELECT target_id, url FROM
          (SELECT target_id, url, seen_at_ms, max(seen_at_ms) OVER (PARTITION BY target_id) AS listed_at_ms,
             row_number() OVER (PARTITION BY target_id ORDER BY seen_at_ms DESC, url) AS place
           FROM monitor_seen WHERE monitor_id = ?)
        LEFT JOIN json_each(?) AS most ON most.key = target_id
        WHERE (listed_at_ms = ? AND (seen_at_ms < ? OR place > most.value))
          OR target_id NOT IN (SELECT json_extract(target.value, '$.id') FROM monitors, json_each(config, '$.targets') AS target
            WHERE monitors.id = ?)
        ORDER BY target_id, url LIMIT ?`;
      const range: Value[] = [JSON.stringify(most), listedAtMs, seenSinceMs, monitorId, limit];
      const values: Value[] = [monitorId, monitorId, ...range];
      const isChosen = `monitor_id = ? AND (target_id, url) IN (${chosen})`;
      const [, , forgotten = 0] = await write(
        releaseObjects([isChosen, values], listedAtMs + UNUSED_MS),
        [`DELETE FROM monitor_states WHERE ${isChosen}`, values],
        [`DELETE FROM monitor_seen WHERE ${isChosen}`, values],
      );
      return forgotten;
    },
  };
}

/** Returns the text and the data of a state as they are stored. */
export function contentOf({ text, extracted }: PageState): Pick<ContentColumns, "text" | "extracted"> {
  return { text, extracted: textOf(extracted) };
}

function textOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Data that cannot be read are extracted anew, validators that cannot be read are not sent, and a source is unknown. */
function toState(row: Omit<StateRow, "object_key">, page: Pick<PageState, "targetId" | "url">): PageState {
  const extracted = row.extracted === null ? undefined : readReplaceable(ExtractedState, row.extracted);
  const validators = row.validators === null ? undefined : readReplaceable(StoredValidators, row.validators);
  const source = row.source === null ? undefined : readReplaceable(PageSource, row.source);
  return { ...page, scrapeId: row.scrape_id, textHash: row.text_hash, text: row.text, extracted, validators, source };
}
