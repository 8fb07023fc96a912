import { limits } from "@cloudflare/puppeteer";
import { within } from "./abortable.ts";
import { logEvent } from "../log-event.ts";

/** The pool of the browsers that sessions hold. */
export const SESSION_POOL = "sessions";
/** Time after which the limit of the account is read again. */
const LIMIT_LIFE_MS = 600_000;
/** Time after which a limit that could not be read is read again. */
const LIMIT_RETRY_MS = 15_000;
/** Time for which a count of the account's browsers is used again. */
const COUNT_LIFE_MS = 3_000;
/** A count that takes longer than this counts as failed. */
const COUNT_LIMIT_MS = 5_000;

interface RoomEnv {
  BROWSER: Fetcher;
  BROWSER_POOL: { getByName(name: string): { status(): Promise<{ browsers: string[] }> } };
}

interface Room {
  /** Browsers that the account may run. */
  limit: number;
  /** Browsers of the account, except for those of sessions. */
  browsers: number;
}

/**
 * The limit of the account, and the browsers that page loads may still start in the account. All pools of the account share its limit, and a pool
 * knows only its own browsers: the platform is asked for the number of all.
 */
export class AccountRoom {
  #counting: Promise<Room | undefined> | undefined;
  #room: Room | undefined;
  #countedAtMs = 0;
  #limit: number | undefined;
  #readLimitAtMs = 0;

  /** Browsers that the account may run; undefined until it is known. */
  get limit(): number | undefined {
    return this.#limit;
  }

  get isLimitDue(): boolean {
    return Date.now() >= this.#readLimitAtMs;
  }

  /** Reads the limit of the account. Never fails. @returns true when it is known now */
  async readLimit(binding: Fetcher): Promise<boolean> {
    const nowMs = Date.now();
    this.#readLimitAtMs = nowMs + LIMIT_RETRY_MS;
    try {
      const { maxConcurrentSessions } = await limits(binding);
      if (!Number.isInteger(maxConcurrentSessions)) return false;
      this.#limit = maxConcurrentSessions;
      this.#readLimitAtMs = nowMs + LIMIT_LIFE_MS;
      return true;
    } catch (error) {
      logEvent({ event: "browser_limits_failed", reason: String(error) });
      return false;
    }
  }

  /**
   * Takes the room of one browser. True as well when the platform states no numbers: it refuses by itself then.
   * @param reserved number of browsers that sessions may hold
   * @param least number of browsers that page loads may hold in any case, when the account's limit is low
   */
  async take(env: RoomEnv, { reserved, least }: { reserved: number; least: number }): Promise<boolean> {
    const nowMs = Date.now();
    if (this.#counting === undefined || nowMs - this.#countedAtMs >= COUNT_LIFE_MS) {
      this.#countedAtMs = nowMs;
      this.#counting = countBrowsers(env);
    }
    const room = await this.#counting;
    this.#room = room;
    if (room === undefined) return true;
    if (room.browsers >= Math.max(least, room.limit - reserved)) return false;
    room.browsers += 1;
    return true;
  }

  /** Gives back the room of a browser that has been closed. */
  giveBack(): void {
    if (this.#room !== undefined) this.#room.browsers = Math.max(0, this.#room.browsers - 1);
  }
}

/** Asks the platform and the pool of sessions. @returns undefined when they do not answer */
async function countBrowsers({ BROWSER, BROWSER_POOL }: RoomEnv): Promise<Room | undefined> {
  const counting = Promise.all([limits(BROWSER), BROWSER_POOL.getByName(SESSION_POOL).status()]);
  try {
    const counted = await within(counting, COUNT_LIMIT_MS, undefined);
    if (counted === undefined) throw new Error("The platform did not answer");
    const [{ maxConcurrentSessions, activeSessions }, sessions] = counted;
    if (!Number.isInteger(maxConcurrentSessions) || !Array.isArray(activeSessions)) return undefined;
    const held = new Set(sessions.browsers);
    const browsers = activeSessions.filter(({ id }) => !held.has(id)).length;
    return { limit: maxConcurrentSessions, browsers };
  } catch (error) {
    logEvent({ event: "browser_limits_failed", reason: String(error) });
    return undefined;
  }
}
