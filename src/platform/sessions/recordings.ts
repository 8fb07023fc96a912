import type { Meter } from "../../core/account/meter.ts";
import type { Recordings } from "../../ports/sessions/recordings.ts";
import type { LiveView } from "../live-view/live-view.ts";

/** Creates the port: each session is recorded by its live view's object. */
export function createRecordings(views: Pick<DurableObjectNamespace<LiveView>, "getByName">, meter: Meter): Recordings {
  const stub = (sessionId: string) => {
    meter.add("durableObjectRequests");
    return views.getByName(sessionId);
  };
  return {
    start: (sessionId, recording) => stub(sessionId).record({ ...recording, sessionId }),
    finish: (sessionId) => stub(sessionId).finishRecording(),
  };
}
