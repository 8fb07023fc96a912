import { createApp } from "../../../src/http/app.ts";
import type { Deps } from "../../../src/services/deps.ts";
import { FIRST_KEY, testDeps } from "./test-deps.ts";

/** The service in-process, with a way to speak to it as a client with a key would. */
export function testApp(deps: Deps = testDeps()) {
  const app = createApp(() => deps);
  const ask = async (
    path: string,
    { key = FIRST_KEY, headers, ...init }: RequestInit & { key?: string; headers?: Record<string, string> } = {},
  ) => app.request(path, { ...init, headers: { Authorization: `Bearer ${key}`, ...headers } });
  return {
    app,
    deps,
    ask,
    post: (path: string, body: unknown, options: { key?: string; headers?: Record<string, string> } = {}) =>
      ask(path, {
        ...options,
        method: "POST",
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json", ...options.headers },
      }),
  };
}
