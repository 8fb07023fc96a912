import { useEffect, useState } from "preact/hooks";
import { onOwnOrigin } from "../session-types.ts";
import type { Session } from "../session-types.ts";
import { watchSession } from "./session-watch.ts";
import type { Watched } from "./session-watch.ts";

/** The watched events, and a function that connects again after a loss of the connection. */
export interface WatchedSession {
  watched: Watched | undefined;
  reconnect: () => void;
}

/** Watches an active session once `isWanted` was true. The connection stays open until the view is left. */
export function useSessionWatch(session: Session | undefined, isWanted: boolean): WatchedSession {
  const [watched, setWatched] = useState<Watched>();
  const [tries, setTries] = useState(0);
  const [hasStarted, setStarted] = useState(isWanted);
  if (isWanted && !hasStarted) setStarted(true);
  const cdpUrl = session?.status === "active" ? session.cdpUrl : "";
  useEffect(() => {
    if (!hasStarted || cdpUrl === "") return undefined;
    const watch = watchSession(onOwnOrigin(cdpUrl).replace(/^http/, "ws"), watched);
    setWatched(watch.watched.get());
    const unsubscribe = watch.watched.subscribe(setWatched);
    return () => {
      unsubscribe();
      watch.close();
    };
  }, [hasStarted, cdpUrl, tries]);
  return { watched, reconnect: () => setTries((earlier) => earlier + 1) };
}
