import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { filesBelow, fingerprintOf } from "../build/fingerprint.ts";
import { PROJECT_ROOT, runWrangler } from "./wrangler.ts";

/** An index over millions of rows takes minutes. A command that was ended too early would be so at each start. */
const LIMIT_MS = 1_800_000;

/**
 * Brings the local database up to date; does nothing when the same migrations were applied before. A new database is a
 * copy of the empty one that is kept in `dist`, since wrangler takes seconds for each.
 */
export async function applyMigrations(options: { persistDir: string; scratchDir: string }): Promise<void> {
  const { persistDir, scratchDir } = options;
  const record = join(persistDir, "orbweaver", "migrations");
  const databases = join(persistDir, "v3", "d1");
  const wanted = await fingerprintOf([
    ...(await filesBelow(join(PROJECT_ROOT, "migrations"))),
    join(PROJECT_ROOT, "package-lock.json"),
  ]);
  const isNew = !existsSync(databases);
  if (!isNew && existsSync(record) && (await readFile(record, "utf8")) === wanted) return;
  const empty = join(PROJECT_ROOT, "dist", "database", wanted.slice(0, 32));
  if (isNew && existsSync(empty)) {
    await copyWhole(empty, databases);
  } else {
    const words = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", persistDir];
    await runWrangler(words, isNew ? { scratchDir } : { scratchDir, limitMs: LIMIT_MS });
    if (isNew) await copyWhole(databases, empty);
  }
  await writeFile(record, wanted);
}

/** Copies a folder so that it is there whole or not at all. One that is there already stays. */
async function copyWhole(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}`;
  try {
    await mkdir(dirname(to), { recursive: true });
    await cp(from, draft, { recursive: true });
    await rename(draft, to).catch((error: unknown) => {
      if (!existsSync(to)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
