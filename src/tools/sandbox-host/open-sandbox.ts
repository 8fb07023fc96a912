import type { SettingTexts } from "../setup/settings.ts";
import { startSandboxHost } from "./start-sandbox-host.ts";

/** Where a local service runs code, for the program that starts wrangler. */
export interface Sandbox {
  /** The settings, with the sandbox host where they name none. */
  settings: SettingTexts;
  /** Variables for wrangler: what `bind-reader.cjs` reads. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/** Starts the sandbox host. An empty `SANDBOX_URL` leaves code in the service's own process. */
export async function openSandbox(given: Readonly<SettingTexts>): Promise<Sandbox> {
  if (given["SANDBOX_URL"] !== undefined) return { settings: { ...given }, env: {}, close: () => Promise.resolve() };
  const host = await startSandboxHost();
  return {
    settings: { ...given, SANDBOX_URL: host.url },
    env: { ORBWEAVER_PAGE_READER: `unix:${host.readerSocket}` },
    close: host.close,
  };
}
