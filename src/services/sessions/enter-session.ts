import { validate as isUuid } from "uuid";
import type { TokenScope } from "../../core/sessions/browser-session.ts";
import { AppError } from "../../core/errors.ts";
import type { Access } from "../../ports/sessions/browser-session.ts";
import type { Deps } from "../deps.ts";

export type Entrance = Extract<Access, { kind: "granted" }>;

/**
 * Admits the holder of a session's token, which counts as use of the session.
 * @throws AppError BROWSER_SESSION_NOT_FOUND, also for a token without the wanted scope, or BROWSER_SESSION_ENDED
 */
export async function enterSession(
  { browserSessions }: Pick<Deps, "browserSessions">,
  { id, token, wanted }: { id: string; token: string; wanted: TokenScope },
): Promise<Entrance> {
  if (browserSessions === undefined || !isUuid(id)) throw new AppError("BROWSER_SESSION_NOT_FOUND");
  const access = await browserSessions.authorize(id, token, wanted);
  if (access.kind === "granted") return access;
  throw new AppError(access.reason === "ended" ? "BROWSER_SESSION_ENDED" : "BROWSER_SESSION_NOT_FOUND");
}
