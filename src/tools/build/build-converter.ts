import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { filesBelow } from "./fingerprint.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

const OUTPUT = join(PROJECT_ROOT, "dist", "converter.mjs");
/** Folders of the code and the models that derive documents from loaded pages. */
export const CONVERTER_SOURCES: readonly string[] = [
  "src/content",
  "src/core",
  "src/formats",
  "src/services/alexandria",
  "src/services/parse",
  "src/services/scrape",
  "src/sandbox",
  "src/platform/bundle",
].map((folder) => join(PROJECT_ROOT, folder));
/** The programs that change libraries which read documents, and this one. */
export const CONVERTER_MAKERS: readonly string[] = [
  "build-converter.ts",
  "build-pdfjs.ts",
  "build-xlsx.ts",
  "counted-copy.ts",
  "pdfjs-head.ts",
  "pdfjs-pages.ts",
  "prune-pdfjs.ts",
].map((name) => join(import.meta.dirname, name));
const HASH_CHARS = 32;

/** The part of npm's lock file that is read. */
const LockFile = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), dev: z.boolean().optional() })),
});

/** Writes `dist/converter.mjs`, which exports the hash of the converter. Does nothing when it has not changed. */
export async function buildConverter(): Promise<void> {
  const text = `export const converterHash = ${JSON.stringify(await hashOfSources())};\n`;
  if ((await readFile(OUTPUT, "utf8").catch(() => "")) === text) return;
  await mkdir(join(PROJECT_ROOT, "dist"), { recursive: true });
  // Written beside and renamed, as several programs may build at once.
  const draft = `${OUTPUT}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, OUTPUT);
}

/** Returns the hash of the converter in the working folder. */
export async function hashOfSources(): Promise<string> {
  const below = await Promise.all(CONVERTER_SOURCES.map(filesBelow));
  const paths = [...below.flat(), ...CONVERTER_MAKERS];
  const files = paths.map(async (path) => {
    const name = relative(PROJECT_ROOT, path).split(sep).join("/");
    return [name, await readFile(path, "utf8")] as const;
  });
  return converterHashOf(await Promise.all(files), await readFile(join(PROJECT_ROOT, "package-lock.json"), "utf8"));
}

/**
 * Returns the hash of files by their names, in any order and with any line endings, and of the versions of the packages
 * of the service.
 */
export function converterHashOf(files: readonly (readonly [name: string, text: string])[], lockFile: string): string {
  const texts = files.map(([name, text]) => [name, text.replaceAll("\r\n", "\n")] as const);
  const { packages } = LockFile.parse(JSON.parse(lockFile));
  const versions = Object.entries(packages).flatMap(([path, { version, dev = false }]) =>
    path === "" || dev ? [] : [[path, version ?? ""] as const],
  );
  const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number =>
    one < other ? -1 : 1;
  const content = JSON.stringify([texts.toSorted(byName), versions.toSorted(byName)]);
  return createHash("sha256").update(content).digest("hex").slice(0, HASH_CHARS);
}
