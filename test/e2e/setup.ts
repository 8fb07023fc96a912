import { afterAll, inject } from "vitest";
import type { FileContext } from "./file-contexts.ts";
import { provide } from "./inject.ts";

/** Requests this file's context from the global setup. A pool's place is a lane: it runs one file at a time. */
const contextsUrl = inject("contextsUrl");
const { id, context } = await ask<{ id: string; context: FileContext }>(
  "POST",
  String(Number(process.env["VITEST_POOL_ID"]) - 1),
);
provide(context);
afterAll(() => ask("DELETE", id));

async function ask<Body>(method: string, path: string): Promise<Body> {
  const response = await fetch(`${contextsUrl}/${path}`, { method });
  if (!response.ok) throw new Error(`The context of a test file: ${await response.text()}`);
  return (await response.json()) as Body;
}
