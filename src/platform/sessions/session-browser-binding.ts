import { WorkerEntrypoint } from "cloudflare:workers";
import type { BrowserSession } from "./browser-session.ts";

/**
 * The binding that an isolate with a caller's code receives in place of the browser binding. It is bound to one
 * session, whose object connects the browser for active runs and refuses everything else.
 */
export class SessionBrowserBinding extends WorkerEntrypoint<
  { BROWSER_SESSION: DurableObjectNamespace<BrowserSession> },
  { sessionId: string }
> {
  override async fetch(request: Request): Promise<Response> {
    const session = this.env.BROWSER_SESSION.getByName(this.ctx.props.sessionId);
    return session.fetch(request.url, { headers: { Upgrade: request.headers.get("upgrade") ?? "" } });
  }
}
