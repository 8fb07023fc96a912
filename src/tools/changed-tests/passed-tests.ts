import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";

/** By test file, the fingerprints under which it passed, the latest first: a change that is taken back was tested before. */
export type PassedTests = ReadonlyMap<string, readonly string[]>;

const MAX_KEPT = 5;
const Kept = z.record(z.string(), z.array(z.string()));

/** Empty when the file is not there or damaged. */
export async function readPassed(file: string): Promise<PassedTests> {
  try {
    return new Map(Object.entries(Kept.parse(JSON.parse(await readFile(file, "utf8")))));
  } catch {
    return new Map();
  }
}

/** Replaces the file at once, so that no other program reads half of it. */
export async function writePassed(file: string, passed: PassedTests): Promise<void> {
  const kept = [...passed].map(([test, fingerprints]) => [test, fingerprints.slice(0, MAX_KEPT)] as const);
  const draft = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(draft, JSON.stringify(Object.fromEntries(kept), null, 1));
  await rename(draft, file);
}
