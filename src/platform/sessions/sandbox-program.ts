import type { CodeRun } from "../../core/sessions/code-run.ts";

export type ProgramName = CodeRun["program"];

/** Texts, not promises: what one request waits for is gone when that request is cancelled. */
const loaded = new Map<ProgramName, string>();

/**
 * The source of a program that runs in an isolate of its own (`src/sandbox`, built by `tools/build/build-sandbox.ts`). It comes
 * from the assets on first use, since most isolates of the service never need one: together they are 5 MB.
 * @throws Error when it is not there; the next call tries again.
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
