import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { filesBelow, fingerprintOf } from "./fingerprint.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

const SOURCE = join(PROJECT_ROOT, "src/page-scripts");
const OUTPUT = join(PROJECT_ROOT, "dist", "page-scripts.mjs");
/** Programs of pages of the service: their names in the output, and their modules. */
const PROGRAMS = { liveView: "live-view/main.ts", replay: "replay/main.ts" };
/** Read by the programs besides their own folder. */
const SHARED_SOURCES = ["core", "sessions"].map((room) => join(PROJECT_ROOT, "src", room));

/**
 * Writes `dist/page-scripts.mjs`: the modules of `src/page-scripts`, bundled to text that the Worker sends to browsers.
 * Does nothing when neither their sources nor the dependencies have changed.
 */
export async function buildPageScripts(): Promise<void> {
  const mark = `// ${await fingerprint()}\n`;
  const known = await readFile(OUTPUT, "utf8").catch(() => "");
  if (known.startsWith(mark)) return;
  const programs = await Promise.all(Object.entries(PROGRAMS).map(async ([name, path]) => [name, await bundle(path)]));
  const text = `export const pagePrograms = ${JSON.stringify(Object.fromEntries(programs), undefined, 2)};\n`;
  await mkdir(join(PROJECT_ROOT, "dist"), { recursive: true });
  // Written beside and renamed, as several programs may build at once.
  const draft = `${OUTPUT}.${process.pid}`;
  await writeFile(draft, mark + text);
  await rename(draft, OUTPUT);
}

async function fingerprint(): Promise<string> {
  const sources = await Promise.all([SOURCE, ...SHARED_SOURCES].map(filesBelow));
  return await fingerprintOf([...sources.flat(), join(PROJECT_ROOT, "package-lock.json"), import.meta.filename]);
}

async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: PROJECT_ROOT,
    entryPoints: [join(SOURCE, path)],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2023",
    legalComments: "none",
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}
