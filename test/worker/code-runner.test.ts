import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import { createDynamicWorkers } from "../../src/platform/code-runner/dynamic-workers.ts";
import { createSandboxHostRunner } from "../../src/platform/code-runner/sandbox-host.ts";
import type { CodeRunner } from "../../src/ports/code-runner.ts";
import { codeRunnerContract } from "../contracts/code-runner.ts";

function dynamicWorkers(loader: WorkerLoader): CodeRunner {
  const assets = env.ASSETS;
  if (assets === undefined) throw new Error("The configuration has no assets");
  // Assets answer nobody a browser, which is all that the gate is asked for here.
  return createDynamicWorkers({ loader, assets, gate: assets });
}

function loaderOf({ LOADER }: typeof env): WorkerLoader {
  if (LOADER === undefined) throw new Error("The configuration has no worker loader");
  return LOADER;
}

codeRunnerContract("dynamic Workers", () => dynamicWorkers(loaderOf(env)));
codeRunnerContract("the sandbox host", () =>
  createSandboxHostRunner({ url: inject("sandboxUrl"), fetcher: (url, init) => fetch(url, init) }),
);

test("dynamic Workers are loaded with limits, without a network and with the gate alone", async () => {
  const loaded: WorkerLoaderWorkerCode[] = [];
  const watched = {
    load: (code: WorkerLoaderWorkerCode) => {
      loaded.push(code);
      return loaderOf(env).load(code);
    },
  } as unknown as WorkerLoader;
  const base = { runId: "r", sessionId: "s", program: "bash-runner", method: "command", input: undefined } as const;
  await dynamicWorkers(watched)
    .run({ ...base, limitMs: 5_000 }, () => Promise.reject(new Error("unused")))
    .catch(() => undefined);
  expect(loaded).toHaveLength(1);
  expect(loaded[0]).toMatchObject({ limits: { cpuMs: 5_000, subRequests: 50 }, globalOutbound: null });
  expect(Object.keys(loaded[0]?.env ?? {})).toEqual(["BROWSER"]);
});

test.each([
  { said: "Worker exceeded CPU time limit.", reason: "time" },
  { said: "Worker exceeded memory limit.", reason: "memory" },
])("what the platform says of a limit is read as $reason", async ({ said, reason }) => {
  const failing = {
    load: () => ({ getEntrypoint: () => ({ run: () => Promise.reject(new Error(said)) }) }),
  } as unknown as WorkerLoader;
  const run = { runId: "r", sessionId: "s", program: "bash-runner", method: "run", input: {}, limitMs: 5_000 } as const;
  const ended = await dynamicWorkers(failing).run(run, () => Promise.reject(new Error("unused")));
  expect(ended).toEqual({ kind: "stopped", reason });
});
