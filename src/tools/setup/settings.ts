import { readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { readSettings, SETTINGS } from "../../env.ts";

/** Settings by name, as text. */
export type SettingTexts = Record<string, string>;

/**
 * Settings of the service from `.dev.vars` and the environment; the environment wins.
 * @throws Error that names each value which cannot be used and says what it must be.
 */
export async function collectSettings(options: { env: NodeJS.ProcessEnv; devVarsPath: string }): Promise<SettingTexts> {
  const fromFile = parseEnv(await readIfPresent(options.devVarsPath));
  const settings: SettingTexts = {};
  for (const name of Object.keys(SETTINGS)) {
    const value = options.env[name] || fromFile[name];
    if (value !== undefined && value !== "") settings[name] = value;
  }
  readSettings(settings);
  return settings;
}

/** Writes settings where wrangler reads them: a file for this user's eyes only, since a command line is for everyone's. */
export async function writeEnvFile(path: string, settings: Readonly<SettingTexts>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${quote(name, value)}\n`);
  await writeFile(path, lines.join(""), { mode: 0o600 });
}

/** A dollar sign would name another variable. In single quotes and backticks everything else stands for itself. */
function quote(name: string, value: string): string {
  const mark = ["'", "`", '"'].find((candidate) => !value.includes(candidate));
  if (mark === undefined) throw new Error(`${name} holds all three kinds of quotation marks; leave one of them out.`);
  return `${mark}${value.replaceAll("$", "\\$")}${mark}`;
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
