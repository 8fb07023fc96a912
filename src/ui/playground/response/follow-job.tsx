import { useEffect, useState } from "preact/hooks";
import { send } from "../../api/client.ts";
import type { ApiResponse } from "../../api/client.ts";
import { toWords } from "../../parts/format.ts";
import { hrefOf } from "../../routes.ts";
import { isToFollow, isTransient, isUnderWay } from "./job-link.ts";
import type { JobLink } from "./job-link.ts";

const POLL_MS = 1_200;
/** Wait after a response such as 429 or 503, and without one. */
const RETRY_MS = 5_000;

interface FollowProps {
  job: JobLink;
  /** True where the service deletes what it has handed over: nothing is read before the user asks for it. */
  isForgotten?: boolean;
  update: (answer: ApiResponse) => void;
}

/** Polls a job's status until the job has ended, and shows each status as the response. */
export function FollowJob({ job, isForgotten = false, update }: FollowProps) {
  const [state, setState] = useState<ApiResponse>();
  const [isFollowed, setFollowed] = useState(!isForgotten);
  useEffect(() => {
    if (!isFollowed) return undefined;
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      while (!leaving.signal.aborted) {
        // Without a response, such as while the service restarts, a later attempt can succeed.
        const answer = await send(job.statusPath, { signal: leaving.signal }).catch(() => undefined);
        if (leaving.signal.aborted) return;
        const isLate = answer === undefined || isTransient(answer.status);
        if (!isLate) {
          setState(answer);
          update(answer);
        }
        if (answer !== undefined && !isToFollow(answer)) return;
        await new Promise((resolve) => setTimeout(resolve, isLate ? RETRY_MS : POLL_MS));
      }
    };
    void follow();
    return () => leaving.abort();
  }, [job.statusPath, isFollowed]);
  const { status, completed, total } = (state?.body ?? {}) as { status?: string; completed?: number; total?: number };
  const isRunning = state === undefined || isUnderWay(state.body);
  const resume = isForgotten && state === undefined ? "Read the pages and have them deleted" : "Resume updates";
  return (
    <div class="follow" role="status">
      {isRunning && isFollowed && <span class="spinner" aria-hidden="true" />}
      <span>
        {status === undefined ? "Started" : toWords(status)}
        {total !== undefined && ` · ${completed ?? 0} of ${total} pages`}
      </span>
      {job.crawlView && (
        <a class="button button-main" href={hrefOf("jobs", job.id)}>
          View crawl
        </a>
      )}
      {isRunning && (
        <button type="button" class="button" onClick={() => setFollowed(!isFollowed)}>
          {isFollowed ? "Pause updates" : resume}
        </button>
      )}
    </div>
  );
}
