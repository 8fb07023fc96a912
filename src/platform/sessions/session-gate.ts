import { WorkerEntrypoint } from "cloudflare:workers";
import type { BrowserSession } from "./browser-session.ts";

/**
 * What an isolate with somebody's code is given in place of the browser binding. It leads to the one session that it
 * was made for, whose object opens the browser to runs that are going on and refuses everything else.
 */
export class SessionGate extends WorkerEntrypoint<
  { BROWSER_SESSION: DurableObjectNamespace<BrowserSession> },
  { sessionId: string }
> {
  override async fetch(request: Request): Promise<Response> {
    const session = this.env.BROWSER_SESSION.getByName(this.ctx.props.sessionId);
    return session.fetch(request.url, { headers: { Upgrade: request.headers.get("upgrade") ?? "" } });
  }
}
