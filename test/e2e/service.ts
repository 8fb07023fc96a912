import { rm } from "node:fs/promises";
import { makeKey } from "../../src/tools/setup/kept-keys.ts";
import { makeOwnedFolder } from "../../src/tools/process/run-leftovers.ts";
import { openIngress } from "../../src/tools/ingress/open-ingress.ts";
import { runService, type ServiceOptions } from "../../src/tools/service/run-service.ts";
import { seedBrowser } from "../../src/tools/browser/seed-browser.ts";

export interface TestService {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  key: string;
  adminKey: string;
  /** The process that all others of the service descend from. */
  pid: number;
  /** Opens the simulator's own paths: the header `X-Orbweaver-Local-Token`. */
  localToken: string;
  /** Shuts the service down and removes its state, unless the state's folder was given. */
  stop(): Promise<void>;
  /** Ends the service as a crash would. A folder that was given stays, so that a new service can go on with it. */
  kill(): Promise<void>;
}

/** The browser of this machine stays the same while tests run. */
let seeded: Promise<unknown> | undefined;

/** Signs the webhooks of each service that is given no other one. */
export const WEBHOOK_SECRET = "a secret of the end-to-end tests";

/**
 * Starts the service as a user runs it: wrangler, workerd, real storage, a real browser, on a free port and with a
 * state of its own. Sites on 127.0.0.1 may be scraped.
 */
export async function startService(
  options: {
    settings?: Record<string, string>;
    persist?: string;
    /** Resolves names instead of this machine. */
    lookup?: NonNullable<ServiceOptions["lookup"]>;
    onLine?: (line: string) => void;
  } = {},
): Promise<TestService> {
  const persistDir = options.persist ?? makeOwnedFolder("test");
  const key = options.settings?.["API_KEY"] ?? makeKey();
  const adminKey = options.settings?.["ADMIN_KEY"] ?? makeKey();
  const tidy = async (): Promise<void> => {
    if (options.persist === undefined) await rm(persistDir, { recursive: true, force: true, maxRetries: 3 });
  };
  await (seeded ??= seedBrowser({ log: console.log }));
  const ingress = await openIngress();
  const service = await runService({
    persistDir,
    ingressPort: ingress.port,
    ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    settings: {
      ALLOW_PRIVATE_HOSTS: "127.0.0.1,localhost",
      // Nothing of a test leaves this machine.
      SEARCH_PROVIDERS: "own-index",
      WEBHOOK_SECRET,
      ...options.settings,
      API_KEY: key,
      ADMIN_KEY: adminKey,
    },
    ...(options.onLine !== undefined
      ? { onLine: options.onLine }
      : process.env["SERVICE_LOG"]
        ? { onLine: console.log }
        : {}),
  }).catch(async (error: unknown) => {
    await ingress.close();
    await tidy();
    throw error;
  });
  ingress.serve(service.port);
  const close = async (): Promise<void> => {
    await ingress.close();
    await tidy();
  };
  return {
    url: `http://127.0.0.1:${ingress.port}`,
    key,
    adminKey,
    pid: service.pid,
    localToken: service.localToken,
    stop: () => service.stop().then(close),
    kill: () => service.kill().then(close),
  };
}
