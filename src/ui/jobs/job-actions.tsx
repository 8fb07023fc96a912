import { useEffect, useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice, WarningNotice } from "../parts/notices.tsx";
import { operationOf, requestLink } from "../playground/request/request-link.ts";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import { canCancel, hasPages, isUnderWay } from "./job-types.ts";
import type { JobDetails, JobRetried } from "./job-types.ts";

/** The buttons of a job: cancel, run again, open in the playground, retry failed pages, monitor, and a link to it. */
export function JobActions({ details, changed }: { details: JobDetails; changed: () => void }) {
  const { job, request, pages } = details;
  const [error, setError] = useState<ApiError>();
  const [warning, setWarning] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setWarning(undefined);
    await work().catch((failure: unknown) => setError(toApiError(failure)));
    setBusy(false);
  };
  const start = async (path: string, body: unknown): Promise<void> => {
    const { id } = await ask<{ id: string }>(path, { body });
    goTo(hrefOf("jobs", id));
  };
  const retry = async (): Promise<void> => {
    const answer = await ask<JobRetried>(`${job.statusPath}/retry`, { method: "POST" });
    setWarning(answer.warning);
    changed();
  };
  const cancel = async (): Promise<void> => {
    await ask(job.statusPath, { method: "DELETE" });
    changed();
  };
  const hasEnded = !isUnderWay(job);
  const canRetry = hasEnded && hasPages(job) && job.status !== "cancelled" && (pages?.failed ?? 0) > 0;
  const watched = URL.canParse(job.target) && job.kind !== "monitor_check" ? job.target : undefined;
  return (
    <>
      {canCancel(job) && <CancelButton kind={job.kind} cancel={() => void attempt(cancel)} />}
      {canRetry && (
        <button type="button" class="button" disabled={isBusy} onClick={() => void attempt(retry)}>
          <Icon name="reload" /> Retry failed pages
        </button>
      )}
      {hasEnded && request !== null && (
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => void attempt(async () => await start(request.path, request.body))}
        >
          <Icon name="reload" /> Run again
        </button>
      )}
      {hasEnded && hasPages(job) && request?.body["archive"] === true && (
        <a
          class="button"
          href={requestLink({ operation: "post /v2/crawl/{id}/reextract", parameters: { id: job.id } })}
          title="Derive other formats from the archived responses, without a request to the site"
        >
          <Icon name="archive" /> Extract again
        </a>
      )}
      {request !== null && (
        <a class="button" href={requestLink({ ...operationOf(request), body: request.body })}>
          <Icon name="playground" /> Open in playground
        </a>
      )}
      {watched !== undefined && (
        <a class="button" href={hrefOf("monitors", "new", { url: watched })}>
          <Icon name="monitors" /> Make this a monitor
        </a>
      )}
      {job.monitorId !== undefined && (
        <a class="button" href={hrefOf("monitors", job.monitorId, { check: job.id })}>
          <Icon name="monitors" /> Open monitor
        </a>
      )}
      <CopyButton text={() => linkTo(job.id)} label="Copy link" />
      {error !== undefined && <ErrorNotice error={error} />}
      {warning !== undefined && <WarningNotice>{warning}</WarningNotice>}
    </>
  );
}

/** Returns a URL that opens the job for everyone with a key of its team. It contains no key. */
function linkTo(id: string): string {
  return new URL(hrefOf("jobs", id), new URL(location.pathname, location.origin)).href;
}

/** Cancels the job after a second press. */
function CancelButton({ kind, cancel }: { kind: string; cancel: () => void }) {
  const [isConfirming, setConfirming] = useState(false);
  useEffect(() => {
    if (!isConfirming) return undefined;
    const timer = setTimeout(() => setConfirming(false), 5_000);
    return () => clearTimeout(timer);
  }, [isConfirming]);
  const press = (): void => {
    setConfirming(!isConfirming);
    if (isConfirming) cancel();
  };
  return (
    <button type="button" class="button button-danger" onClick={press}>
      <Icon name="stop" /> {isConfirming ? "Confirm cancel" : kind === "crawl" ? "Cancel crawl" : "Cancel job"}
    </button>
  );
}
