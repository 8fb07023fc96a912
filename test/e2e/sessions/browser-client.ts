import { chromium } from "playwright-core";
import { call, type Answer } from "../client.ts";

/** A session as it was created. */
export interface CreatedSession {
  id: string;
  cdpUrl: string;
  liveViewUrl: string;
  interactiveLiveViewUrl: string;
  expiresAt: string;
}

type Service = { url: string; key: string };

/** Opens a session that must open. */
export async function openSession(body: object = {}, service?: Service): Promise<CreatedSession> {
  const { status, text } = await call("/v2/browser", { body, ...(service === undefined ? {} : { service }) });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as CreatedSession;
}

export function endSession(id: string, service?: Service): Promise<Answer> {
  return call(`/v2/browser/${id}`, { method: "DELETE", ...(service === undefined ? {} : { service }) });
}

/** The session's browser, as Playwright holds it, with its one page. */
export async function holdWithPlaywright(cdpUrl: string) {
  const browser = await chromium.connectOverCDP(cdpUrl);
  const context = browser.contexts()[0];
  const page = context?.pages()[0];
  if (context === undefined || page === undefined) throw new Error("The session shows no page");
  return { browser, context, page };
}
