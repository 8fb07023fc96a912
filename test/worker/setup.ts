import { applyD1Migrations, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { chainMethods } from "../platform/call-chain.ts";
import { enforceLimits, enforceObjectLimits } from "../platform/enforce-limits.ts";

// One runtime runs all test files, since starting it takes seconds. Each file begins with modules of its own, whose
// variables keep what they have read, without the browsers of the file before, and with empty storage: no objects, and
// the database that the migrations make. The bindings refuse what those of the platform refuse.
vi.resetModules();
const { JobRuns } = await import("../../src/worker.ts");
await closeBrowsers();
await reset();
enforceLimits(env);
await runInDurableObject(env.HOST_THROTTLE.getByName("any"), (_, { storage }) => enforceObjectLimits(storage));
for (const [name, namespace] of Object.entries(env)) {
  // The runner of the tests has an object of its own.
  if (name.startsWith("__") || !String(Object(namespace).constructor.name).endsWith("DurableObjectNamespace")) continue;
  const stub = (namespace as typeof env.HOST_THROTTLE).getByName("any");
  await runInDurableObject(stub, (instance: object) => chainMethods(instance));
}
chainMethods(Object.create(JobRuns.prototype) as object);
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

async function closeBrowsers(): Promise<void> {
  const response = await env.BROWSER?.fetch("https://browser/v1/sessions");
  const { sessions = [] } = (await response?.json<{ sessions: { sessionId: string }[] }>()) ?? {};
  for (const { sessionId } of sessions) {
    const ended = await env.BROWSER?.fetch(`https://browser/v1/devtools/browser/${sessionId}`, { method: "DELETE" });
    await ended?.body?.cancel();
  }
}
