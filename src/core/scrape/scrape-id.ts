import { v7 as uuidv7 } from "uuid";
import { hash53 } from "../text/hash.ts";

/** Number of objects that the pages of one team are spread over. Ids contain it: it must not change. */
export const SHARDS = 64;

const PREFIX_VALUES = 2 ** 18;
/** Longest duration of a lookup that fits into an id. */
const MAX_REPEAT_MS = 255;

/** Location of a page's rows: the object, and the first 18 bits of their keys there. */
export interface PagePlace {
  shard: number;
  prefix: number;
}

/** Key of a stored row: two halves of 31 bits, since a JavaScript number cannot hold 62. The lowest six are the shard. */
export interface RowKey {
  high: number;
  low: number;
}

/**
 * Returns the place of a page. All pages of a host (`www.` is ignored) are in one object of their team, so that they can
 * be listed.
 * @param key text that identifies the page and the options of its load.
 */
export function placeOf(key: string, url: string): PagePlace {
  return { shard: shardOfHost(URL.parse(url)?.host ?? url), prefix: hash53(key) % PREFIX_VALUES };
}

/** @param host host name with its port, if there is one. */
export function shardOfHost(host: string): number {
  return hash53(host.toLowerCase().replace(/^www\./, "")) % SHARDS;
}

/**
 * Returns a new id, a UUID of version 7 (RFC 9562 § 5.7). Its last 62 bits are the key of the row that stores the scrape:
 * 18 bits of the place, 38 random bits, 6 bits of the shard, so that a document is found by its id and by its page
 * without an index.
 */
export function newScrapeId(place: PagePlace): string {
  const random = crypto.getRandomValues(new Uint32Array(2));
  const high = place.prefix * 2 ** 13 + ((random[0] ?? 0) >>> 19);
  const low = ((random[1] ?? 0) >>> 7) * SHARDS + place.shard;
  return `${uuidv7().slice(0, 19)}${keyDigits({ high, low })}`;
}

/**
 * Returns the id of a scrape that repeats a stored document: the key of its row, the time of the scrape, and the duration
 * of the lookup (at most 255 ms). The document can be written again from these, so that nothing is stored for it.
 */
export function repeatId(row: RowKey, nowMs: number, lookupMs: number): string {
  const time = nowMs.toString(16).padStart(12, "0");
  const ms = Math.min(MAX_REPEAT_MS, Math.max(0, Math.round(lookupMs)));
  const random = (crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) & 0xf;
  const digits = `${ms.toString(16).padStart(2, "0")}${random.toString(16)}`;
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits}-${keyDigits(row)}`;
}

/** Returns the time of an id in ms since the epoch, and the duration that `repeatId` has put into it. */
export function timesOf(id: string): { createdAtMs: number; lookupMs: number } {
  return {
    createdAtMs: Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16),
    lookupMs: Number.parseInt(id.slice(15, 17), 16),
  };
}

/** Returns the key of the row that an id names, of any UUID. */
export function rowKeyOf(id: string): RowKey {
  const bits = BigInt(`0x${id.slice(19, 23)}${id.slice(24, 36)}`) & 0x3fff_ffff_ffff_ffffn;
  return { high: Number(bits >> 31n), low: Number(bits & 0x7fff_ffffn) };
}

/** Reports whether the key of a row is one of a place. */
export function isAt(row: RowKey, place: PagePlace): boolean {
  const { from, to } = keyRange(place);
  return shardOfRow(row) === place.shard && row.high >= from && row.high <= to;
}

export function shardOfRow({ low }: RowKey): number {
  return low % SHARDS;
}

/** Returns the first and the last upper half of the keys of a place. */
export function keyRange({ prefix }: PagePlace): { from: number; to: number } {
  return { from: prefix * 2 ** 13, to: (prefix + 1) * 2 ** 13 - 1 };
}

/** Returns the last 64 bits of a UUID as text: the variant (`10`) and the key. */
function keyDigits({ high, low }: RowKey): string {
  const bits = (0b10n << 62n) | (BigInt(high) << 31n) | BigInt(low);
  const digits = bits.toString(16).padStart(16, "0");
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}
