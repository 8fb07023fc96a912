import { startsWith } from "../../core/stored-state.ts";
import { countPage, NO_PAGE_TIMES } from "../../core/jobs/page-times.ts";
import type { PageResult } from "../../core/crawl/frontier.ts";
import { addAtOnce, type PackedSet } from "./frontier-add.ts";
import { endRow, failItem, letGo, putBack, retryItem, skipItem, type Ending } from "./frontier-end.ts";
import type { Leases } from "./frontier-leases.ts";
import { PENDING, SCRAPED } from "./frontier-tables.ts";
import { post } from "../webhooks/outbox.ts";

/** Result of an item, with its lease. */
export type LeasedResult = PageResult & { leaseId: number };

/** Location of a document in its batch, in a packed row. */
export type BatchEntry = [offset: number, length: number, scrapeId: string, key: string];

export const isBatchEntry = (value: unknown): value is BatchEntry => startsWith(value, ["number", "number", "string"]);

interface Completion extends Ending {
  packed: PackedSet;
  leases: Leases;
  /** Key of the object that holds the documents of this completion. */
  object: string;
  documents: BatchEntry[];
}

/**
 * Completes items. A result counts only while its lease holds the item at that attempt, and removes it from the lease:
 * repeated results, and results after the lease was revoked, have no effect.
 */
export function completeItems(
  ending: Ending & { packed: PackedSet; leases: Leases },
  results: readonly LeasedResult[],
  object: string,
): void {
  if (results.length === 0) return;
  const { leases } = ending;
  const completion: Completion = { ...ending, object, documents: [] };
  for (const result of results) {
    const lease = leases.get(result.leaseId);
    const place = lease?.items.findIndex(([key, attempt]) => key === result.key && attempt === result.attempt) ?? -1;
    if (lease === undefined || place < 0) continue;
    lease.items.splice(place, 1);
    leases.put(lease);
    ending.state.counters.leased--;
    finishItem(completion, result);
  }
  storeBatch(completion);
}

function finishItem(completion: Completion, result: LeasedResult): void {
  const { sql, state, nowMs } = completion;
  const isOver = state.status !== "scraping";
  switch (result.kind) {
    case "scraped":
      return finishScraped(completion, result);
    case "failed":
      if (isOver && result.retryable) return letGo(state);
      if (retryItem(sql, [result.key, result.attempt], { ...result, nowMs })) return;
      return failItem(completion, [result.key, result.attempt], result);
    case "robots":
      return skipItem(completion, result.key, { reason: "robots" });
    case "denied":
      return skipItem(completion, result.key, { reason: "denied", detail: result.error });
    case "deferred":
      return isOver ? letGo(state) : putBack(sql, result.key, result.retryAtMs);
  }
}

function finishScraped(completion: Completion, result: LeasedResult & { kind: "scraped" }): void {
  const { sql, state, nowMs } = completion;
  const original = result.finalKey === undefined ? undefined : claimFinalKey(completion, result, result.finalKey);
  if (original !== undefined) return skipItem(completion, result.key, { reason: "duplicate", detail: original });
  state.counters.pending--;
  state.counters.completed++;
  state.pageTimes = countPage(state.pageTimes ?? NO_PAGE_TIMES, nowMs - state.createdAtMs);
  state.creditsUsed += result.credits;
  endRow(sql, result.key, { state: SCRAPED });
  completion.documents.push([result.offset, result.length, result.scrapeId, result.key]);
  const { offset, length } = result;
  post(completion, "page", { document: { object: completion.object, offset, length } });
}

/**
 * Claims the final URL of a page that redirects. The first result gets it; the other page becomes its duplicate.
 * @returns the URL of the page that already has it; undefined when this result is the first.
 */
function claimFinalKey(
  completion: Completion,
  { key, finalUrl }: { key: string; finalUrl?: string },
  finalKey: string,
): string | undefined {
  const own = readRow(completion, key);
  if (own === undefined) return undefined;
  const row =
    readRow(completion, finalKey) ??
    addFinal(completion, { ...own, key: finalKey, url: finalUrl ?? finalKey }, own.url);
  if (row.state === SCRAPED) return row.url;
  if (row.state !== PENDING) return undefined;
  const isHeld = completion.leases.list().some(({ items }) => items.some(([leased]) => leased === finalKey));
  if (isHeld) return row.url;
  skipItem(completion, finalKey, { reason: "duplicate", detail: own.url, isWaiting: true });
  return undefined;
}

interface Row {
  key: string;
  url: string;
  state: number;
  depth: number;
  external: number;
}

function readRow({ sql }: Completion, key: string): Row | undefined {
  return sql.rows<Row>("SELECT key, url, state, depth, external FROM urls WHERE key = ?", key)[0];
}

function addFinal(completion: Completion, row: Row, parent: string): Row {
  const { key, url, depth, external } = row;
  addAtOnce(completion, { key, url, depth, isExternal: external === 1, parent });
  return { ...row, state: PENDING };
}

function storeBatch({ sql, documents, object }: Completion): void {
  if (documents.length === 0) return;
  const [last] = sql.rows<{ end: number }>("SELECT first + count AS end FROM batches ORDER BY first DESC LIMIT 1");
  sql.rows(
    "INSERT INTO batches (first, object, count, entries) VALUES (?, ?, ?, ?)",
    last?.end ?? 0,
    object,
    documents.length,
    JSON.stringify(documents),
  );
}
