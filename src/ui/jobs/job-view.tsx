import { useRef } from "preact/hooks";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { hrefOf } from "../routes.ts";
import { CrawlDetail } from "./detail/crawl-detail.tsx";
import { JobActions } from "./job-actions.tsx";
import { JobRequestCard } from "./job-request-card.tsx";
import { KIND_WORDS, hasPages, isUnderWay } from "./job-types.ts";
import type { JobDetails } from "./job-types.ts";
import { StateChip } from "./state-chip.tsx";
import { StepJobDetail } from "./step-job-detail.tsx";
import { useJob } from "./live/use-job.ts";

/** One job of any kind: its state, actions, results and request. It is updated while the job runs. */
export function JobView({ id }: { id: string }) {
  const watched = useJob(id);
  const { details, error, refresh } = watched;
  const restarts = useRestarts(details);
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf("jobs")}>Jobs</a>
      </p>
      {details === undefined ? (
        <PageHead title="Job" lead={id} />
      ) : (
        <PageHead title={titleOf(details)} lead={details.job.target === "" ? id : details.job.target}>
          <StateChip status={details.job.status} />
          <JobActions details={details} changed={() => void refresh()} />
        </PageHead>
      )}
      {error !== undefined && <ErrorNotice error={error} retry={() => void refresh()} />}
      {details === undefined && error === undefined && <Loading what="job" />}
      {details !== undefined && (
        <div class="stack">
          {hasPages(details.job) ? (
            <CrawlDetail key={restarts} watched={{ ...watched, details }} />
          ) : (
            <StepJobDetail details={details} />
          )}
          <JobRequestCard details={details} />
        </div>
      )}
    </>
  );
}

/** Returns how often the job has started again since the first view, after which its live pages are followed anew. */
function useRestarts(details: JobDetails | undefined): number {
  const seen = useRef({ isRunning: true, restarts: 0 });
  if (details !== undefined) {
    const isRunning = isUnderWay(details.job);
    const hasRestarted = isRunning && !seen.current.isRunning;
    seen.current = { isRunning, restarts: seen.current.restarts + (hasRestarted ? 1 : 0) };
  }
  return seen.current.restarts;
}

function titleOf({ job: { kind, target } }: JobDetails): string {
  const host = URL.canParse(target) ? new URL(target).host : "";
  return host === "" ? KIND_WORDS[kind] : `${KIND_WORDS[kind]} of ${host}`;
}
