import type { CodeRunner } from "../../ports/sessions/code-runner.ts";
import { operatorFetch } from "../outbound/egress.ts";
import { createDynamicWorkers } from "./dynamic-workers.ts";
import { createSandboxHostRunner } from "./sandbox-host.ts";

interface CodeRunnerEnv {
  LOADER?: WorkerLoader;
  ASSETS?: Fetcher;
  SANDBOX_URL?: string;
  EGRESS?: Fetcher;
}

/** Returns a runner: processes beside a local service, dynamic Workers on the platform; undefined without either. */
export function createCodeRunner(
  env: CodeRunnerEnv,
  browser: () => Fetcher | undefined = () => undefined,
): CodeRunner | undefined {
  const { LOADER, ASSETS, SANDBOX_URL } = env;
  if (SANDBOX_URL) return createSandboxHostRunner({ url: SANDBOX_URL, fetcher: operatorFetch(env).fetcher });
  if (LOADER === undefined || ASSETS === undefined) return undefined;
  return createDynamicWorkers({ loader: LOADER, assets: ASSETS, browser: browser() });
}
