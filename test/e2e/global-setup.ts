import type { TestProject } from "vitest/node";
import { startSite } from "../site/start-site.ts";
import { startSchemaProxy, type SchemaProxy } from "./schema-proxy.ts";
import { startService } from "./service.ts";

/** A service and a local web site that one test file at a time uses. */
export interface Lane {
  /** Address of the service, without a slash at the end. */
  serviceUrl: string;
  apiKey: string;
  adminKey: string;
  /** Opens the simulator's own paths: the header `X-Orbweaver-Local-Token`. */
  localToken: string;
  /** Two origins of one local web site; counts at `/__hits` (see `test/site`). */
  siteUrl: string;
  otherSiteUrl: string;
}

declare module "vitest" {
  interface ProvidedContext {
    lanes: Lane[];
  }
}

interface RunningLane {
  lane: Lane;
  proxy: SchemaProxy;
  stop(): Promise<void>;
}

/** Starts a service and a site for each lane; tests that stop or configure a service start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running: RunningLane[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(running.map((lane) => lane.stop())));
  try {
    // One after another: the second one finds the Worker bundled.
    while (running.length < lanesOf(project)) running.push(await startLane());
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide(
    "lanes",
    running.map(({ lane }) => lane),
  );
  return async () => {
    await stop();
    const checked = new Set(running.flatMap((lane) => [...lane.proxy.checked.keys()]));
    const violations = new Set(running.flatMap((lane) => [...lane.proxy.violations]));
    console.log(`Compared answers of ${checked.size} operations and statuses with their schemas.`);
    if (violations.size > 0) throw new Error(`Answers differ from their schemas:\n${[...violations].join("\n")}`);
  };
}

/** One lane is enough for a run of one file. */
function lanesOf({ config }: TestProject): number {
  const files = process.argv.filter((word) => word.endsWith(".test.ts"));
  return files.length === 1 ? 1 : config.maxWorkers;
}

async function startLane(): Promise<RunningLane> {
  const site = await startSite();
  const service = await startService({ settings: { PROFILE_ENCRYPTION_KEY: "5a".repeat(32) } });
  const proxy = await startSchemaProxy(service.url);
  return {
    lane: {
      serviceUrl: proxy.url,
      apiKey: service.key,
      adminKey: service.adminKey,
      localToken: service.localToken,
      siteUrl: site.url,
      otherSiteUrl: site.otherUrl,
    },
    proxy,
    stop: async () => {
      await proxy.close();
      await service.stop();
      await site.close();
    },
  };
}
