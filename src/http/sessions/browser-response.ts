import { z } from "@hono/zod-openapi";
import type { SessionTokens } from "../../core/sessions/browser-session.ts";

/** URLs to drive and watch a session; each of the three contains its authorization. */
export const SESSION_LINKS = {
  cdpUrl: z.string().openapi({
    description:
      "WebSocket URL for DevTools clients such as Playwright `connectOverCDP` and Puppeteer `connect`. It contains its own token.",
  }),
  liveViewUrl: z
    .string()
    .openapi({ description: "URL of a page that shows the session without controls. It contains its own token." }),
  interactiveLiveViewUrl: z
    .string()
    .openapi({ description: "URL of a page that shows the session and accepts mouse and keyboard input." }),
};
const SessionLinks = z.object(SESSION_LINKS);

/** Returns a session's URLs, under the address at which the caller reached the service. */
export function sessionLinks(origin: string, id: string, tokens: SessionTokens): z.infer<typeof SessionLinks> {
  const view = `${origin}/view/${id}`;
  return {
    cdpUrl: `${origin.replace(/^http/, "ws")}/v2/browser/${id}/cdp?token=${tokens.cdp}`,
    liveViewUrl: `${view}?token=${tokens.view}`,
    interactiveLiveViewUrl: `${view}?token=${tokens.drive}&interactive=true`,
  };
}
