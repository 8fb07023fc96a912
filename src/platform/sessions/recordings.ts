import type { Recordings } from "../../ports/sessions/recordings.ts";
import type { LiveView } from "../live-view/live-view.ts";

/** Creates the port: each session is recorded by its live view's object. */
export function createRecordings(views: Pick<DurableObjectNamespace<LiveView>, "getByName">): Recordings {
  const stub = (sessionId: string) => {
    return views.getByName(sessionId);
  };
  return {
    start: (sessionId, recording) => stub(sessionId).record({ ...recording, sessionId }),
    finish: (sessionId) => stub(sessionId).finishRecording(),
  };
}
