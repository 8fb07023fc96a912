import { applyD1Migrations, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { JobRuns } from "../../src/worker.ts";
import { chainMethods } from "../platform/call-chain.ts";
import { enforceLimits, enforceObjectLimits } from "../platform/enforce-limits.ts";

// One runtime runs all test files, since starting it takes seconds, with one set of modules, since running those of the
// service takes one. Each file begins without the browsers of the file before, and with empty storage: no objects, and the
// database that the migrations make. The bindings refuse what those of the platform refuse.
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
