import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { hrefOf } from "../routes.ts";
import { CrawlDetail } from "./detail/crawl-detail.tsx";
import { JobActions } from "./job-actions.tsx";
import { JobRequestCard } from "./job-request-card.tsx";
import { KIND_WORDS, hasPages } from "./job-types.ts";
import type { JobDetails } from "./job-types.ts";
import { StateChip } from "./state-chip.tsx";
import { StepJobDetail } from "./step-job-detail.tsx";
import { useJob } from "./live/use-job.ts";

/** One job of any kind: its state, actions, results and request. It is updated while the job runs. */
export function JobView({ id }: { id: string }) {
  const watched = useJob(id);
  const { details, error, refresh } = watched;
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
            <CrawlDetail watched={{ ...watched, details }} />
          ) : (
            <StepJobDetail details={details} />
          )}
          <JobRequestCard details={details} />
        </div>
      )}
    </>
  );
}

function titleOf({ job: { kind, target } }: JobDetails): string {
  const host = URL.canParse(target) ? new URL(target).host : "";
  return host === "" ? KIND_WORDS[kind] : `${KIND_WORDS[kind]} of ${host}`;
}
