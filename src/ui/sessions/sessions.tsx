import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import type { Route } from "../routes.ts";
import { SessionDetail } from "./session-detail.tsx";
import { SessionList } from "./session-list.tsx";
import type { Session } from "./session-types.ts";

const RELOAD_MS = 5_000;

/** The list of browser sessions, or one session. */
export function Sessions({ route }: { route: Route }) {
  const loaded = useLoaded(
    async (signal) => (await ask<{ sessions: Session[] }>("/v2/browser", { signal })).sessions,
    [],
    RELOAD_MS,
  );
  if (route.id === undefined)
    return (
      <SessionList
        loaded={loaded}
        wanted={route.query.has("new") ? "session" : route.query.has("login") ? "login" : undefined}
      />
    );
  return <SessionDetail key={route.id} id={route.id} loaded={loaded} query={route.query} />;
}
