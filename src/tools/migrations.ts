import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PROJECT_ROOT, runWrangler } from "./wrangler.ts";

/** Brings the local database up to date; does nothing when the same migrations were applied before. */
export async function applyMigrations(options: { persistDir: string; scratchDir: string }): Promise<void> {
  const { persistDir, scratchDir } = options;
  const record = join(persistDir, "orbweaver", "migrations");
  const wanted = await fingerprint();
  const isApplied = existsSync(join(persistDir, "v3", "d1")) && existsSync(record);
  if (isApplied && (await readFile(record, "utf8")) === wanted) return;
  await runWrangler(["d1", "migrations", "apply", "DB", "--local", "--persist-to", persistDir], { scratchDir });
  await writeFile(record, wanted);
}

async function fingerprint(): Promise<string> {
  const folder = join(PROJECT_ROOT, "migrations");
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).toSorted()) {
    hash.update(`${name}\0`).update(await readFile(join(folder, name)));
  }
  return hash.digest("hex");
}
