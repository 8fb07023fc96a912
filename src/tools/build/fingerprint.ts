import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { PROJECT_ROOT } from "../service/wrangler.ts";

/** SHA-256 in hexadecimal over names and contents: what was made from the same files need not be made again. */
export async function fingerprintOf(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) {
    hash.update(`${relative(PROJECT_ROOT, path)}\0`).update(await readFile(path));
  }
  return hash.digest("hex");
}

/** Absolute paths of all files in a folder and the folders in it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
