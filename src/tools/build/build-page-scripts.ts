import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { filesBelow, fingerprintOf } from "./fingerprint.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { withEsbuild } from "./with-esbuild.ts";

const SOURCE = join(PROJECT_ROOT, "src/page-scripts");
const OUTPUT = join(PROJECT_ROOT, "dist", "page-scripts.mjs");
/** Programs of pages of the service: their names in the output, and their modules. */
const PROGRAMS = { liveView: "live-view/main.ts", replay: "replay/main.ts" };
const PARAMETERS = "$0,$1,$2";
/** Read by the programs besides their own folder. */
const SHARED_SOURCES = ["core", "sessions"].map((room) => join(PROJECT_ROOT, "src", room));
/** The folders that the build reads. */
export const PAGE_SCRIPT_SOURCES: readonly string[] = [SOURCE, ...SHARED_SOURCES];

/**
 * Writes `dist/page-scripts.mjs`: the modules of `src/page-scripts`, bundled to text that the Worker sends to browsers.
 * Does nothing when neither their sources nor the dependencies have changed.
 */
export async function buildPageScripts(): Promise<void> {
  const mark = `// ${await fingerprint()}\n`;
  const known = await readFile(OUTPUT, "utf8").catch(() => "");
  if (known.startsWith(mark)) return;
  // One process of esbuild for all bundles.
  const text = mark + (await withEsbuild(async () => (await functionTexts()) + (await programTexts())));
  await mkdir(join(PROJECT_ROOT, "dist"), { recursive: true });
  // Written beside and renamed, as several programs may build at once.
  const draft = `${OUTPUT}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, OUTPUT);
}

async function fingerprint(): Promise<string> {
  const sources = await Promise.all(PAGE_SCRIPT_SOURCES.map(filesBelow));
  return await fingerprintOf([...sources.flat(), join(PROJECT_ROOT, "package-lock.json"), import.meta.filename]);
}

async function programTexts(): Promise<string> {
  const texts = Object.entries(PROGRAMS).map(async ([name, path]) => {
    const { text } = await bundle(`import "./${path}";`, { format: "iife" });
    return [name, text] as const;
  });
  return exported("pagePrograms", await Promise.all(texts));
}

/** Each function is bundled on its own: what is sent to a page holds nothing of the others. */
async function functionTexts(): Promise<string> {
  const { exports } = await bundle(`export * from "./index.ts";`, { format: "esm" });
  const texts = exports.map(async (name) => {
    const { text } = await bundle(`export { ${name} as default } from "./index.ts";`, { format: "esm" });
    return [name, toExpression(text)] as const;
  });
  return exported("pageFunctions", await Promise.all(texts));
}

/**
 * Makes an expression of a module whose default export is a function. The parameters are named, since a page may have
 * replaced the iterators that `...` uses.
 * @throws Error when the module does not end with its export
 */
function toExpression(module: string): string {
  const [, body, name] = /^(.*)export ?\{ ?(\S+) as default ?\};?\s*$/s.exec(module) ?? [];
  if (body === undefined || name === undefined) throw new Error(`Not a module with a default export: ${module}`);
  return `function(${PARAMETERS}){"use strict";${body.trim()}return ${name}(${PARAMETERS})}`;
}

function exported(name: string, texts: (readonly [string, string])[]): string {
  const sorted = texts.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `export const ${name} = ${JSON.stringify(Object.fromEntries(sorted), undefined, 2)};\n`;
}

/** @returns the bundle of an entry, and the names that it exports */
async function bundle(
  contents: string,
  { format }: { format: "iife" | "esm" },
): Promise<{ text: string; exports: string[] }> {
  const { outputFiles, metafile } = await withEsbuild(({ build }) =>
    build({
      absWorkingDir: PROJECT_ROOT,
      stdin: { contents, resolveDir: SOURCE },
      bundle: true,
      write: false,
      metafile: true,
      minify: true,
      format,
      platform: "browser",
      target: "es2023",
      legalComments: "none",
      logLevel: "error",
    }),
  );
  const exports = Object.values(metafile.outputs).flatMap((output) => output.exports);
  return { text: outputFiles[0]?.text ?? "", exports };
}
