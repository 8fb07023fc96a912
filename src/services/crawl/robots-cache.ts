import type { Robots } from "../../content/crawling/robots.ts";
import type { ErrorCode } from "../../core/errors.ts";

/** The robots.txt of a host. Plain data, which may be stored as JSON. */
export interface HostRobots {
  /** `unreachable`: no page may be loaded until the entry expires and the file is fetched again. */
  kind: "found" | "missing" | "unreachable";
  robots: Robots;
  /** Characters of the file, all of which its rules may keep in memory. */
  chars?: number;
  expiresAtMs: number;
  /** Present when the host gave no response, so that no page of it can be loaded either; `isUnsent` when it was not asked. */
  failure?: { code: ErrorCode; message: string; isUnsent?: true };
}

const MAX_HOSTS = 200;
/** Bytes of all files together: a Worker has 128 MB. A file of 500 KiB may take 13 MB. */
const MAX_BYTES = 16_000_000;
/** Bytes of memory that an empty robots.txt, a group, a rule and a name take beside their characters, prepared for lookups. */
const FILE_BYTES = 1_000;
const GROUP_BYTES = 400;
const RULE_BYTES = 160;
const TEXT_BYTES = 32;

/** The robots.txt files of hosts by origin, within a number and a size. The least recently used ones are evicted first. */
export class RobotsCache {
  readonly #held = new Map<string, { found: HostRobots; bytes: number }>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get(origin: string): HostRobots | undefined {
    const held = this.#held.get(origin);
    if (held === undefined) return undefined;
    this.#held.delete(origin);
    this.#held.set(origin, held);
    return held.found;
  }

  set(origin: string, found: HostRobots): void {
    this.#delete(origin);
    const bytes = bytesOf(found);
    this.#held.set(origin, { found, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#held.keys()) {
      if ((this.#held.size <= MAX_HOSTS && this.#bytes <= MAX_BYTES) || oldest === origin) break;
      this.#delete(oldest);
    }
  }

  #delete(origin: string): void {
    this.#bytes -= this.#held.get(origin)?.bytes ?? 0;
    this.#held.delete(origin);
  }
}

/** Estimates the memory of a robots.txt in bytes. */
function bytesOf({ robots: { groups, sitemaps }, chars = 0 }: HostRobots): number {
  let bytes = FILE_BYTES + 2 * chars;
  for (const { agents, rules } of groups) {
    bytes += GROUP_BYTES;
    for (const agent of agents) bytes += TEXT_BYTES + agent.length;
    for (const { pattern } of rules) bytes += RULE_BYTES + pattern.length;
  }
  for (const sitemap of sitemaps) bytes += TEXT_BYTES + sitemap.length;
  return bytes;
}
