import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { makeOwnedFolder } from "../../src/tools/process/run-leftovers.ts";
import { PROJECT_ROOT } from "../../src/tools/service/wrangler.ts";
import { makeKey } from "../../src/tools/setup/kept-keys.ts";

export interface ServiceProcess {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  key: string;
  /** The starting program: the ingress and the egress proxy are in it, all other processes of the service below it. */
  pid: number;
  stop(): Promise<void>;
}

/** What `npm start` prints last. */
const IS_READY = /in a browser: the dashboard/;
const MAX_LINES = 40;

/**
 * Starts the service in a process of its own, as `npm start` does, so that all that it takes is in one tree of processes.
 * Its state is empty, and sites on 127.0.0.1 may be scraped.
 * @throws Error with its last lines when it does not come up.
 */
export async function startServiceProcess(): Promise<ServiceProcess> {
  const persistDir = makeOwnedFolder("bench");
  const [key, port] = [makeKey(), await freePort()];
  const words = ["src/tools/bootstrap.mjs", "--service", "src/tools/start.ts"];
  const child = spawn(process.execPath, [...words, "--port", String(port), "--persist", persistDir], {
    cwd: PROJECT_ROOT,
    env: {
      ...process.env,
      API_KEY: key,
      ADMIN_KEY: makeKey(),
      ALLOW_PRIVATE_HOSTS: "127.0.0.1,localhost",
      SEARCH_PROVIDERS: "own-index",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const lines: string[] = [];
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (lines.length > MAX_LINES) lines.shift();
        if (IS_READY.test(line)) resolve();
      });
    }
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    await rm(persistDir, { recursive: true, force: true, maxRetries: 3 });
  };
  const isReady = await Promise.race([ready.then(() => true), ended.then(() => false)]);
  if (!isReady || child.pid === undefined) {
    await stop();
    throw new Error(`The service did not start:\n${lines.join("\n")}`);
  }
  return { url: `http://127.0.0.1:${port}`, key, pid: child.pid, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
