import type { Gauge, Samples } from "../../core/metrics/metrics.ts";
import type { BrowserPool } from "../browser/browser-pool.ts";
import { MAX_DATABASE_BYTES } from "../metering/watched-database.ts";

interface Sources {
  BROWSER_POOL: DurableObjectNamespace<BrowserPool>;
  DB: D1Database;
}

/** Reads the state of the browser pools and the size of the database. */
export async function readGauges({ BROWSER_POOL, DB }: Sources, samples: Samples): Promise<Gauge[]> {
  const [pools, { meta }] = await Promise.all([
    Promise.all(
      poolsIn(samples).map(async (region) => ({ region, ...(await BROWSER_POOL.getByName(region).status()) })),
    ),
    DB.prepare("SELECT id FROM api_keys LIMIT 1").run(),
  ]);
  const ofPools = (name: string, help: string, read: (pool: (typeof pools)[number]) => number): Gauge => ({
    name,
    help,
    values: pools.map((pool) => ({ labels: { region: pool.region }, value: read(pool) })),
  });
  return [
    ofPools("browsers", "Browsers that run, by region of the pool.", ({ browsers }) => browsers.length),
    ofPools("browser_leases", "Page loads that hold a browser.", ({ leases }) => leases),
    ofPools("browser_waiters", "Page loads that wait for a browser.", ({ waiters }) => waiters),
    { name: "database_bytes", help: "Size of the D1 database.", values: [{ labels: {}, value: meta.size_after }] },
    {
      name: "database_limit_bytes",
      help: "Size at which D1 refuses writes.",
      values: [{ labels: {}, value: MAX_DATABASE_BYTES }],
    },
  ];
}

/** Returns the regions whose pools have been used; asking another one would create it. */
function poolsIn(samples: Samples): string[] {
  const regions = Object.keys(samples).flatMap(
    (sample) => /^browser_wait_seconds_count\{region="(\w+)"/.exec(sample)?.[1] ?? [],
  );
  return [...new Set(regions)].toSorted();
}
