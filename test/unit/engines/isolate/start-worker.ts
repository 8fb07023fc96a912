import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";

/** A running Worker, whose requests share one isolate. */
export interface IsolateWorker {
  call(path: string, body?: string): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Starts the Worker beside this file in workerd, with the compatibility date of `wrangler.toml`. The worker tests cannot
 * show what requests do to each other: their pool sets `no_handle_cross_request_promise_resolution`.
 */
export async function startWorker(): Promise<IsolateWorker> {
  const folder = await mkdtemp(join(tmpdir(), "isolate-"));
  const entry = join(import.meta.dirname, "worker.ts");
  await build({ entryPoints: [entry], outfile: join(folder, "worker.js"), bundle: true, format: "esm" });
  await writeFile(join(folder, "config.capnp"), configOf(await compatibilityDate()));
  const workerd = createRequire(import.meta.url).resolve("workerd/bin/workerd");
  const child = spawn(workerd, ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const [line] = (await once(child.stdio[3] as Readable, "data")) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return {
    async call(path, body) {
      const init = body === undefined ? {} : { method: "POST", body };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      return await response.json();
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function compatibilityDate(): Promise<string> {
  const settings = await readFile(join(import.meta.dirname, "../../../../wrangler.toml"), "utf8");
  return /^compatibility_date = "([\d-]+)"$/m.exec(settings)?.[1] ?? "";
}

function configOf(date: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${date}",
);
`;
}
