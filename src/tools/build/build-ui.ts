import { execFile } from "node:child_process";
import { copyFile, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import { buildDocs, DOCS_SOURCE } from "../docs/build-docs.ts";
import { filesBelow, fingerprintOf } from "./fingerprint.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

/** Maximum script of the first view, compressed: the entry, the playground, and the scripts that they import. */
export const MAX_FIRST_VIEW_BYTES = 120_000;
/** Maximum script of all views together, compressed. */
export const MAX_SCRIPT_BYTES = 400_000;
/** Source of the view that is shown after signing in. */
const FIRST_VIEW = "playground/playground.tsx";

const SOURCE = join(PROJECT_ROOT, "src", "ui");
const OUTPUT = join(PROJECT_ROOT, "dist", "ui");
const RECORD = join(PROJECT_ROOT, "dist", "ui.json");
const COMPRESSION_LEVEL = 9;
/** It takes some seconds, on a busy machine a minute. */
const BUNDLE_TIMEOUT_MS = 600_000;

const run = promisify(execFile);

const Record = z.object({
  fingerprint: z.string(),
  scripts: z.array(z.object({ name: z.string(), bytes: z.int(), compressedBytes: z.int(), isFirst: z.boolean() })),
});

/** The part of Vite's manifest that is read. */
const Manifest = z.record(z.string(), z.object({ file: z.string(), imports: z.array(z.string()).optional() }));

export interface UiBuild {
  /** True when it was built now; false when nothing had changed since the last time. */
  isNew: boolean;
  /** Of all scripts together, gzip. */
  scriptBytes: number;
  /** Of the scripts that the first view loads, gzip. */
  firstViewBytes: number;
  /** The largest first. */
  scripts: z.infer<typeof Record>["scripts"];
}

/**
 * Builds the dashboard and the documentation to `dist/ui`, where `wrangler.toml` looks for the static assets. Does nothing when neither its
 * source nor the dependencies have changed since the last build.
 */
export async function buildUi(): Promise<UiBuild> {
  const current = await fingerprint();
  const kept = await readRecord();
  if (kept?.fingerprint === current) return { isNew: false, ...summed(kept.scripts) };
  const draft = `${OUTPUT}.${process.pid}`;
  try {
    const scripts = await measure(draft, await bundle(draft));
    await addReference(draft);
    await buildDocs(draft);
    await replaceFolder(draft, OUTPUT);
    await writeFile(RECORD, `${JSON.stringify({ fingerprint: current, scripts }, undefined, 2)}\n`);
    return { isNew: true, ...summed(scripts) };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Bundles the dashboard in a process of its own: Vite's memory, some 300 MB, stays with the process that has used it.
 * @returns names of the scripts that the first view loads.
 * @throws Error with what Vite printed.
 */
async function bundle(outDir: string): Promise<Set<string>> {
  await run(process.execPath, [join(import.meta.dirname, "bundle-ui.ts"), outDir], {
    maxBuffer: 2 ** 24,
    timeout: BUNDLE_TIMEOUT_MS,
  });
  const path = join(outDir, "manifest.json");
  const manifest = Manifest.parse(JSON.parse(await readFile(path, "utf8")));
  // Not served: it names source files.
  await rm(path);
  return scriptsOf(manifest, ["index.html", FIRST_VIEW]);
}

/** Returns the files of some sources and of everything that they import statically. */
export function scriptsOf(manifest: z.infer<typeof Manifest>, sources: readonly string[]): Set<string> {
  const files = new Set<string>();
  const add = (source: string): void => {
    const chunk = manifest[source];
    if (chunk === undefined) throw new Error(`The dashboard's build has no ${source}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const source of sources) add(source);
  return files;
}

/** The page of `/docs` loads these by name; they are no part of the dashboard, and load when that page is opened. */
async function addReference(outDir: string): Promise<void> {
  const swagger = join(PROJECT_ROOT, "node_modules/swagger-ui-dist");
  await copyFile(join(swagger, "swagger-ui-bundle.js"), join(outDir, "assets", "reference.js"));
  await copyFile(join(swagger, "swagger-ui.css"), join(outDir, "assets", "reference.css"));
  await copyFile(join(SOURCE, "start-reference.js"), join(outDir, "assets", "start-reference.js"));
  await copyFile(join(SOURCE, "start-reference.css"), join(outDir, "assets", "start-reference.css"));
  await copyFile(join(SOURCE, "favicon.svg"), join(outDir, "assets", "favicon.svg"));
}

async function fingerprint(): Promise<string> {
  return await fingerprintOf([
    ...(await filesBelow(SOURCE)),
    ...(await filesBelow(DOCS_SOURCE)),
    join(PROJECT_ROOT, "package-lock.json"),
    fileURLToPath(import.meta.url),
    join(PROJECT_ROOT, "src/tools/build/bundle-ui.ts"),
    join(PROJECT_ROOT, "src/tools/docs/build-docs.ts"),
    join(PROJECT_ROOT, "src/tools/docs/docs-markdown.ts"),
  ]);
}

async function readRecord(): Promise<z.infer<typeof Record> | undefined> {
  try {
    const record = Record.parse(JSON.parse(await readFile(RECORD, "utf8")));
    await readFile(join(OUTPUT, "index.html"));
    return record;
  } catch {
    return undefined;
  }
}

async function measure(folder: string, first: ReadonlySet<string>): Promise<UiBuild["scripts"]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".js"));
  const scripts = names.map(async (name) => {
    const text = await readFile(join(folder, name));
    return {
      name,
      bytes: text.byteLength,
      compressedBytes: gzipSync(text, { level: COMPRESSION_LEVEL }).byteLength,
      isFirst: first.has(name),
    };
  });
  return (await Promise.all(scripts)).toSorted((one, other) => other.compressedBytes - one.compressedBytes);
}

/** Another program may build at the same time: the later one wins, and both have built the same. */
async function replaceFolder(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await rm(to, { recursive: true, force: true });
    try {
      return await rename(from, to);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

function summed(scripts: UiBuild["scripts"]): Omit<UiBuild, "isNew"> {
  const first = scripts.filter(({ isFirst }) => isFirst);
  return { scripts, scriptBytes: sumOf(scripts), firstViewBytes: sumOf(first) };
}

function sumOf(scripts: UiBuild["scripts"]): number {
  return scripts.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0);
}

/** One line for people. */
export function describeUiBuild({ isNew, scriptBytes, firstViewBytes, scripts }: UiBuild): string {
  const first = `${kB(firstViewBytes)} of ${kB(MAX_FIRST_VIEW_BYTES)} kB of script compressed for the first view`;
  const all = `${kB(scriptBytes)} of ${kB(MAX_SCRIPT_BYTES)} kB in ${scripts.length} files`;
  return `Dashboard: ${first}, ${all}${isNew ? "" : ", built before"}`;
}

function kB(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = await buildUi();
  for (const { name, compressedBytes } of built.scripts) console.log(`${String(compressedBytes).padStart(7)} ${name}`);
  console.log(describeUiBuild(built));
}
