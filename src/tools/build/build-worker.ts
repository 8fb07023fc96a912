import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { toAscii } from "./ascii-source.ts";
import { CONVERTER_MAKERS } from "./build-converter.ts";
import { filesBelow, fingerprintOf } from "./fingerprint.ts";
import { PROJECT_ROOT, runWrangler } from "../service/wrangler.ts";

const KEPT = join(PROJECT_ROOT, "dist", "worker");
/** Parts of `src` that are no part of the Worker, or are made from the rest of it. */
const NOT_WORKER = ["ui", "tools", "sandbox", "docs"];
/** Bundles of sources that have changed since; another program may be about to take a copy of a younger one. */
const MAX_AGE_MS = 3_600_000;
/** The Worker's code, which `wrangler.toml` names among the modules, and the entry, which only exports from it. */
const SERVICE = "service.mjs";
const ENTRY = "worker.js";

/** The part of esbuild's metafile that is read. */
const Metafile = z.object({ outputs: z.record(z.string(), z.object({ exports: z.array(z.string()) })) });

/**
 * Bundles the Worker, as it would be deployed, into a new folder. Bundles are kept in `dist`, and made again only when
 * the source, the configuration or a dependency has changed.
 * @returns path of the entry module.
 */
export async function buildWorker(folder: string, options: { scratchDir: string }): Promise<string> {
  const kept = join(KEPT, (await fingerprintOf(await sources())).slice(0, 32));
  if (!(await isFolder(kept))) {
    await bundle(kept, options);
    await removeOld(kept);
  }
  await cp(kept, folder, { recursive: true });
  return join(folder, ENTRY);
}

async function sources(): Promise<string[]> {
  const source = join(PROJECT_ROOT, "src");
  const files = (await filesBelow(source)).filter(
    (path) => !NOT_WORKER.some((part) => relative(source, path).startsWith(part + sep)),
  );
  const others = [
    "package-lock.json",
    "wrangler.toml",
    "tsconfig.json",
    "src/tools/build/build-worker.ts",
    "src/tools/build/ascii-source.ts",
    "src/tools/build/build-page-scripts.ts",
  ];
  return [...files, ...CONVERTER_MAKERS, ...others.map((name) => join(PROJECT_ROOT, name))];
}

async function bundle(target: string, { scratchDir }: { scratchDir: string }): Promise<void> {
  const draft = `${target}.${process.pid}`;
  await mkdir(KEPT, { recursive: true });
  try {
    const metafile = join(draft, "metafile.json");
    const words = ["deploy", "--dry-run", "--minify", "--outdir", draft, "--metafile", metafile];
    await runWrangler(words, { scratchDir });
    const entry = join(draft, ENTRY);
    await writeFile(join(draft, SERVICE), await toAscii(await readFile(entry, "utf8")));
    await writeFile(entry, await entryModule(metafile));
    // wrangler would hold the source map, three times the size of the bundle, for as long as the service runs.
    await Promise.all([rm(`${entry}.map`, { force: true }), rm(metafile)]);
    await rename(draft, target).catch(async (error: unknown) => {
      // Another program has made the same in the meantime.
      if (!(await isFolder(target))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A module of one line. wrangler parses and prints the entry module twice at each start, to learn its format. */
async function entryModule(metafile: string): Promise<string> {
  const { outputs } = Metafile.parse(JSON.parse(await readFile(metafile, "utf8")));
  const names = Object.values(outputs).flatMap((output) => output.exports);
  return `export { ${names.join(", ")} } from "./${SERVICE}";\n`;
}

async function removeOld(current: string): Promise<void> {
  const before = Date.now() - MAX_AGE_MS;
  for (const name of await readdir(KEPT)) {
    const path = join(KEPT, name);
    if (path === current || (await stat(path)).mtimeMs > before) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
