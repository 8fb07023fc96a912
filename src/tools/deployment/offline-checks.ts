import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { SETTINGS, readSettings } from "../../env.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { configProblems, type WorkerConfig } from "./read-config.ts";
import { MADE_UP_SECRETS, type Secrets, type Wrangler } from "./deployment.ts";

const MEBIBYTE = 1_048_576;
/** Limits of the platform (Cloudflare's documentation, November 2026). */
const MAX_WORKER_BYTES = 64 * MEBIBYTE;
const MAX_ASSET_BYTES = 25 * MEBIBYTE;
const MAX_ASSETS_FREE = 20_000;
const MAX_VARIABLES_FREE = 64;
const MAX_VARIABLE_BYTES = 5_000;

export interface CheckParts {
  wrangler: Wrangler;
  configWords: readonly string[];
  config: WorkerConfig;
  given: Secrets;
}

/** A check that needs no account: its name, and how it says what it found. Rejects with what is wrong. */
export interface OfflineCheck {
  name: string;
  run(parts: CheckParts): Promise<string>;
}

export const OFFLINE_CHECKS: readonly OfflineCheck[] = [
  { name: "Settings", run: checkSettings },
  { name: "Configuration", run: checkConfig },
  { name: "Bundle", run: checkBundle },
  { name: "Assets", run: checkAssets },
  { name: "Migrations", run: checkMigrations },
];

async function checkSettings({ given }: CheckParts): Promise<string> {
  readSettings(given);
  const names = Object.keys(SETTINGS);
  const example = await readFile(join(PROJECT_ROOT, ".dev.vars.example"), "utf8");
  const documented = new Set([...example.matchAll(/^#? ?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name));
  const silent = names.filter((name) => !documented.has(name));
  if (silent.length > 0) throw new Error(`.dev.vars.example does not name ${silent.join(", ")}`);
  readSettings(parseEnv(example));
  const described = Package.parse(JSON.parse(await readFile(join(PROJECT_ROOT, "package.json"), "utf8"))).cloudflare;
  const mute = MADE_UP_SECRETS.filter((name) => described.bindings[name] === undefined);
  if (mute.length > 0) throw new Error(`package.json has no cloudflare.bindings description for ${mute.join(", ")}`);
  const long = Object.entries(given).filter(([, value]) => Buffer.byteLength(value) > MAX_VARIABLE_BYTES);
  if (long.length > 0) throw new Error(`${long.map(([name]) => name).join(", ")}: longer than 5 kB`);
  if (Object.keys(given).length > MAX_VARIABLES_FREE) throw new Error("The free plan has no more than 64 variables");
  return `${names.length} settings, ${Object.keys(given).length} of them given`;
}

const Package = z.object({
  cloudflare: z.object({ bindings: z.record(z.string(), z.object({ description: z.string() })) }),
});

async function checkConfig({ config }: CheckParts): Promise<string> {
  const worker = await readFile(join(PROJECT_ROOT, "src", "worker.ts"), "utf8");
  const exported = [...worker.matchAll(/^export (?:\{ ([\w, ]+) \}|class (\w+))/gm)];
  const exportedClasses = new Set(exported.flatMap(([, list, name]) => (list ?? name ?? "").split(/,\s*/)));
  const problems = configProblems(config, { exportedClasses });
  if (problems.length > 0) throw new Error(problems.join(" "));
  const { producers = [] } = config.queues;
  return `${config.durable_objects.bindings.length} Durable Objects, ${producers.length} queues, dead letters looked at`;
}

async function checkBundle({ wrangler, configWords }: CheckParts): Promise<string> {
  return await inFolder(async (folder) => {
    const { code, output } = await wrangler(["deploy", "--dry-run", "--minify", "--outdir", folder, ...configWords]);
    if (code !== 0) throw new Error(output);
    const files = (await filesBelow(folder)).filter(({ path }) => !/\.map$|README\.md$/.test(path));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes === 0) throw new Error("wrangler wrote no bundle");
    if (bytes > MAX_WORKER_BYTES) throw new Error(`${shown(bytes)}, and the platform takes ${shown(MAX_WORKER_BYTES)}`);
    const compressed = /gzip: ([\d.]+ \w+)/.exec(output)?.[1];
    return `${shown(bytes)} of ${shown(MAX_WORKER_BYTES)}${compressed === undefined ? "" : `, ${compressed} compressed`}`;
  });
}

async function checkAssets(): Promise<string> {
  const files = await filesBelow(join(PROJECT_ROOT, "dist", "ui"));
  const largest = Math.max(0, ...files.map(({ bytes }) => bytes));
  if (files.length === 0) throw new Error("The dashboard was not built");
  if (files.length > MAX_ASSETS_FREE) throw new Error(`${files.length} files; the free plan takes ${MAX_ASSETS_FREE}`);
  if (largest > MAX_ASSET_BYTES) throw new Error(`A file of ${shown(largest)}; the platform takes 25 MiB`);
  return `${files.length} files, the largest ${shown(largest)}`;
}

/** Applies every migration to a new database of this machine's, and once more, when there must be nothing left to do. */
async function checkMigrations({ wrangler, config, configWords }: CheckParts): Promise<string> {
  const database = config.d1_databases[0]?.database_name ?? "DB";
  return await inFolder(async (folder) => {
    const words = ["d1", "migrations", "apply", database, "--local", "--persist-to", folder, ...configWords];
    const first = await wrangler(words);
    if (first.code !== 0) throw new Error(first.output);
    const again = await wrangler(words);
    if (again.code !== 0 || !/No migrations to apply/i.test(again.output)) {
      throw new Error(`Applied twice, they do not come to rest: ${again.output}`);
    }
    const names = (await readdir(join(PROJECT_ROOT, "migrations"))).filter((name) => name.endsWith(".sql"));
    const numbers = names.map((name) => name.slice(0, 4));
    if (new Set(numbers).size < numbers.length) throw new Error("Two migrations have one number");
    return `${names.length} applied to a new database`;
  });
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "orbweaver-deploy-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function filesBelow(folder: string): Promise<{ path: string; bytes: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return await Promise.all(files.map(async (path) => ({ path, bytes: (await stat(path)).size })));
}

function shown(bytes: number): string {
  return bytes < MEBIBYTE ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
