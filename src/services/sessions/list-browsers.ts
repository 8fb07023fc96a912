import type { SessionRow, SessionView } from "../../ports/sessions/browser-session.ts";
import type { Caller, Deps } from "../deps.ts";

/** A listed session, with the state from its Durable Object while it is active. */
export interface ListedBrowser {
  row: SessionRow;
  view: SessionView | undefined;
}

/** Lists the sessions of the caller's team, newest first. */
export async function listBrowsers(
  { browserSessions, sessionStore, clock }: Pick<Deps, "browserSessions" | "sessionStore" | "clock">,
  { key }: Caller,
  status: SessionRow["status"] | undefined,
): Promise<ListedBrowser[]> {
  const rows = await sessionStore.list(key.teamId, { status, nowMs: clock.now() });
  const listed = await Promise.all(
    rows.map(async (row) => ({
      row,
      // One object that does not answer leaves its session in the list, by its row.
      view: row.status === "active" ? await browserSessions?.find(row.id).catch(() => undefined) : undefined,
    })),
  );
  // A session that ended since its row was read is not active any more.
  return listed
    .map(({ row, view }) => (view?.life.end === undefined ? { row, view } : { row: ended(row), view: undefined }))
    .filter(({ row }) => status === undefined || row.status === status);
}

function ended(row: SessionRow): SessionRow {
  return { ...row, status: "destroyed" };
}
