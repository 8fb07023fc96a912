import { sha256Hex } from "../../core/text/hash.ts";
import type { CodeRun } from "../../core/sessions/code-run.ts";

export type ProgramName = CodeRun["program"];

/** Texts, not promises: a promise that one request awaits is lost when that request is cancelled. */
const loaded = new Map<ProgramName, string>();
const hashes = new Map<ProgramName, string>();

/**
 * Returns the source of a program that runs in a separate isolate (`src/sandbox`, built by
 * `tools/build/build-sandbox.ts`). It is loaded from the assets on first use, since most isolates of the service never
 * need one: together they are 5 MB.
 * @throws Error when the asset is missing; the next call tries again.
 */
export async function sandboxProgram(assets: Fetcher, name: ProgramName): Promise<string> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const response = await assets.fetch(`https://assets/sandbox/${name}.js`);
  const source = await response.text();
  if (!response.ok) throw new Error(`The program ${name} is not among the deployed assets (${response.status})`);
  loaded.set(name, source);
  return source;
}

/** Returns the hash of a program that `sandboxProgram` has loaded: computed once, since a program has megabytes. */
export async function hashOfProgram(name: ProgramName, source: string): Promise<string> {
  const hash = hashes.get(name) ?? (await sha256Hex(source));
  hashes.set(name, hash);
  return hash;
}
