import type { Meter } from "../../core/account/meter.ts";
import { meteredBucket } from "./metered-bucket.ts";
import { meteredDatabase } from "./metered-database.ts";
import { measuredObjects, meteredObjects, type Objects } from "./metered-objects.ts";
import { meteredQueue } from "./metered-queue.ts";
import type { WatchedDatabase } from "./watched-database.ts";

interface Billed {
  DB: D1Database;
  BUCKET: R2Bucket;
  TASKS: Queue;
  MONITORS: Queue;
  SCRAPES: Queue;
  JOBS: Queue;
  KEY_LEDGER: Objects;
  HOST_THROTTLE: Objects;
  BROWSER_POOL: Objects;
  BROWSER_LOADER: Objects;
  BROWSER_SESSION: Objects;
  LIVE_VIEW: Objects;
  CRAWL_FRONTIER: Objects;
  STEP_JOB: Objects;
  PAGE_STORE: Objects;
  SEARCH_INDEX: Objects;
}

/**
 * Returns the bindings with a meter, which counts every operation that the platform bills. The rows that crawls write are
 * part of their jobs' own costs; the rows of the pool, of sessions and of live views are not counted.
 */
export function meterBindings<Bindings extends Billed>(env: Bindings, meter: Meter, room?: WatchedDatabase): Bindings {
  return {
    ...env,
    DB: meteredDatabase(env.DB, meter, room),
    BUCKET: meteredBucket(env.BUCKET, meter),
    TASKS: meteredQueue(env.TASKS, meter),
    MONITORS: meteredQueue(env.MONITORS, meter),
    SCRAPES: meteredQueue(env.SCRAPES, meter),
    JOBS: meteredQueue(env.JOBS, meter),
    KEY_LEDGER: measuredObjects(env.KEY_LEDGER, meter),
    HOST_THROTTLE: measuredObjects(env.HOST_THROTTLE, meter),
    BROWSER_POOL: meteredObjects(env.BROWSER_POOL, meter),
    BROWSER_LOADER: meteredObjects(env.BROWSER_LOADER, meter),
    BROWSER_SESSION: meteredObjects(env.BROWSER_SESSION, meter),
    LIVE_VIEW: meteredObjects(env.LIVE_VIEW, meter),
    CRAWL_FRONTIER: meteredObjects(env.CRAWL_FRONTIER, meter),
    STEP_JOB: measuredObjects(env.STEP_JOB, meter),
    PAGE_STORE: measuredObjects(env.PAGE_STORE, meter),
    SEARCH_INDEX: measuredObjects(env.SEARCH_INDEX, meter),
  };
}
