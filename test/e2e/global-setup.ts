import type { TestProject } from "vitest/node";
import { makeBotAuthKey } from "../../src/tools/setup/kept-keys.ts";
import { startFileContexts, type Lane } from "./file-contexts.ts";
import { startSchemaProxy, type SchemaProxy } from "./schema-proxy.ts";
import { startService } from "./service.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of `FileContexts`. */
    contextsUrl: string;
  }
}

interface RunningLane {
  lane: Lane;
  proxy: SchemaProxy;
  stop(): Promise<void>;
}

/** Starts a service for each lane; tests that stop or configure a service start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running: RunningLane[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(running.map((lane) => lane.stop())));
  try {
    // The first one bundles the Worker, which the others find.
    running.push(await startLane());
    const others = await Promise.allSettled(Array.from({ length: lanesOf(project) - 1 }, startLane));
    running.push(...others.flatMap((start) => (start.status === "fulfilled" ? [start.value] : [])));
    const failed = others.find((start) => start.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  } catch (error) {
    await stop();
    throw error;
  }
  const contexts = await startFileContexts(running.map(({ lane }) => lane));
  project.provide("contextsUrl", contexts.url);
  return async () => {
    await contexts.close();
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
  const settings = {
    PROFILE_ENCRYPTION_KEY: "5a".repeat(32),
    BOT_AUTH_KEY: makeBotAuthKey(),
    REQUEST_BODY_SECONDS: "5",
  };
  const service = await startService({ settings });
  const proxy = await startSchemaProxy(service.url);
  const { url: directUrl, adminKey, localToken } = service;
  return {
    lane: { serviceUrl: proxy.url, directUrl, adminKey, localToken },
    proxy,
    stop: async () => {
      await proxy.close();
      await service.stop();
    },
  };
}
