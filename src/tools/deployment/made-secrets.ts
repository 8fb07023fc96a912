import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { makeBotAuthKey, makeKey } from "../setup/kept-keys.ts";
import type { Secrets } from "./deployment.ts";

const Kept = z.record(z.string(), z.string());

/**
 * Secrets that this machine made up for a deployment, from a file for this user alone: asked again, it gives the same.
 * @throws Error when the file was damaged.
 */
export async function makeUpSecrets(path: string, names: readonly string[]): Promise<Secrets> {
  const kept = await readStored(path);
  const all = { ...kept };
  for (const name of names) all[name] ??= makeUp(name);
  if (JSON.stringify(all) !== JSON.stringify(kept)) await writeStored(path, all);
  return Object.fromEntries(names.map((name) => [name, all[name] ?? ""]));
}

/** Returns the secrets that this machine made up for a deployment. @throws Error when the file was damaged. */
export function keptSecrets(path: string): Promise<Secrets> {
  return readStored(path);
}

/** The service's own keys have a form; everything else is 256 random bits. */
function makeUp(name: string): string {
  if (name === "BOT_AUTH_KEY") return makeBotAuthKey();
  return name === "API_KEY" || name === "ADMIN_KEY" ? makeKey() : randomBytes(32).toString("hex");
}

async function readStored(path: string): Promise<Record<string, string>> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  try {
    return Kept.parse(JSON.parse(text));
  } catch {
    throw new Error(
      `${path} does not hold secrets. Delete it; what the Worker has not been given yet is then made anew.`,
    );
  }
}

async function writeStored(path: string, secrets: Secrets): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(secrets, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}
