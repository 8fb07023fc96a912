import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startService } from "../e2e/service.ts";
import { startSite } from "../site/start-site.ts";
import { createClient, readJson, type Client, type Reply } from "./client.ts";
import { percentile } from "./content/percentile.ts";
import { table } from "./load/table.ts";
import { countProcesses, memoryOfTree } from "./proc.ts";

const USAGE = `npm run bench -- session [flags]

  --sessions 20     sessions of each language, one after the other
  --pause 2000      ms between two sessions, in which a browser for the next one is started
  --warm 1          browsers that stand ready`;

const { values: flags } = parseArgs({
  options: {
    sessions: { type: "string", default: "20" },
    pause: { type: "string", default: "2000" },
    warm: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

interface Life {
  createMs: number;
  firstMs: number;
  secondMs: number;
  deleteMs: number;
}

type Work = { language: "node" | "bash"; code: string };

const WARM_UP: Work = { language: "bash", code: "agent-browser get url" };

async function bench(): Promise<void> {
  const site = await startSite();
  const service = await startService({ settings: { BROWSER_SESSIONS_WARM: flags.warm, BROWSER_SESSIONS: "6" } });
  const client = createClient({ concurrency: 4, key: service.key });
  const target = { client, service: service.url, key: service.key };
  const works: Work[] = [
    { language: "bash", code: `agent-browser open ${site.url}/final` },
    { language: "node", code: `await page.goto("${site.url}/final"); await page.title()` },
  ];
  try {
    // The first session starts the service's parts and the browser that then stands ready.
    await live(target, WARM_UP);
    await sleep(3000);
    console.log(`Memory with one browser that stands ready: ${megabytes(service.pid)}`);
    for (const work of works) {
      const lives: Life[] = [];
      for (let done = 0; done < Number(flags.sessions); done++) {
        await sleep(Number(flags.pause));
        lives.push(await live(target, work));
      }
      print(work.language, lives);
    }
    await sleep(3000);
    console.log(`\nMemory after all sessions: ${megabytes(service.pid)}`);
    console.log(
      `\nBrowsers after all sessions were deleted: ${countBrowsers(service.pid)} (${flags.warm} stands ready)`,
    );
  } finally {
    client.close();
    await service.stop();
    await site.close();
  }
}

interface Target {
  client: Client;
  service: string;
  key: string;
}

async function live({ client, service, key }: Target, work: Work): Promise<Life> {
  const created = ok(await client.post(`${service}/v2/browser`, {}));
  const { id } = readJson(created) as { id: string };
  const first = ok(await client.post(`${service}/v2/browser/${id}/execute`, work));
  if ((readJson(first) as { exitCode: number }).exitCode !== 0) throw new Error(first.body.toString());
  const second = ok(await client.post(`${service}/v2/browser/${id}/execute`, work));
  const startedMs = performance.now();
  const deleted = await fetch(`${service}/v2/browser/${id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${key}` },
  });
  if (deleted.status !== 200) throw new Error(`not deleted: ${deleted.status}`);
  return { createMs: created.ms, firstMs: first.ms, secondMs: second.ms, deleteMs: performance.now() - startedMs };
}

function ok(reply: Reply): Reply {
  if (reply.status !== 200)
    throw new Error(`${reply.status} ${reply.error ?? ""} ${reply.body.toString().slice(0, 300)}`);
  return reply;
}

function print(language: string, lives: Life[]): void {
  const rows: [string, (life: Life) => number][] = [
    ["create", (life) => life.createMs],
    ["first command", (life) => life.firstMs],
    ["create to first command", (life) => life.createMs + life.firstMs],
    ["second command", (life) => life.secondMs],
    ["delete", (life) => life.deleteMs],
  ];
  const figures = rows.map(([name, read]) => {
    const values = lives.map(read);
    return [name, percentile(values, 50), percentile(values, 95), Math.max(...values)];
  });
  console.log(`\n${language}, ${lives.length} sessions, ms\n\n${table(["", "p50", "p95", "max"], figures)}`);
}

const megabytes = (pid: number): string => `${Math.round(memoryOfTree(pid) / 1e6)} MB`;

/** The browsers' main processes: those of pages have a type. */
function countBrowsers(pid: number): number {
  return countProcesses(pid, (line) => line.includes("--remote-debugging-") && !line.includes("--type="));
}

if (flags.help) console.log(USAGE);
else await bench();
