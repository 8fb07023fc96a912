import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { TEST_CERTIFICATE } from "../../../../site/test-certificate.ts";

export interface RoutedWorker {
  ask(body: unknown): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Starts the Worker beside this file in workerd, which trusts the certificates of the tests. */
export async function startRoutedWorker(): Promise<RoutedWorker> {
  const folder = await mkdtemp(join(tmpdir(), "routed-"));
  const wrangler = await readFile(join(import.meta.dirname, "../../../../../wrangler.toml"), "utf8");
  const date = /^compatibility_date = "([\d-]+)"$/m.exec(wrangler)?.[1] ?? "";
  await build({
    entryPoints: [join(import.meta.dirname, "worker.ts")],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    external: ["cloudflare:*", "node:*"],
    plugins: [
      {
        name: "node-modules-of-the-runtime",
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^assert$/ }, ({ path }) => ({ path, namespace: "runtime" }));
          onLoad({ filter: /.*/, namespace: "runtime" }, ({ path }) => ({
            contents: `import whole from "node:${path}"; module.exports = whole;`,
          }));
        },
      },
    ],
  });
  await writeFile(join(folder, "ca.pem"), TEST_CERTIFICATE.authority);
  await writeFile(join(folder, "config.capnp"), configOf(date));
  const workerd = createRequire(import.meta.url).resolve("workerd/bin/workerd");
  const child = spawn(workerd, ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "inherit", "ignore", "pipe"],
  });
  const [line] = (await once(child.stdio[3] as Readable, "data")) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return {
    async ask(body) {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: JSON.stringify(body) });
      return (await response.json()) as Record<string, unknown>;
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configOf(date: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "network", network = (
      allow = ["public", "private"],
      tlsOptions = (trustBrowserCas = true, trustedCertificates = [embed "ca.pem"]),
    )),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${date}",
  globalOutbound = "network",
);
`;
}
