import { failureOf, send } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toBytes, toCount, toDuration } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice, Loading, WarningNotice } from "../parts/notices.tsx";
import { saveAs } from "../parts/download/save-as.ts";
import { ResponseTabs } from "../playground/response/response-tabs.tsx";
import { FailureNotice } from "./failure-notice.tsx";
import { isUnderWay } from "./job-types.ts";
import type { JobDetails } from "./job-types.ts";

/** The cost and the result of a job without a list of pages: extract, agent, deep research, llms.txt, monitor check. */
export function StepJobDetail({ details }: { details: JobDetails }) {
  const { job, error, warning, receipt, durationMs } = details;
  const {
    value,
    error: failure,
    reload,
  } = useLoaded(
    async (signal) => await send(job.statusPath, { signal }),
    [job.statusPath, job.status],
    isUnderWay(job) ? 3_000 : undefined,
  );
  const facts: [string, string][] = [
    ["Duration", toDuration(durationMs)],
    ["Credits", toCount(receipt?.credits ?? 0)],
    ["Data fetched", toBytes(receipt?.bytesFetched ?? 0)],
    ["Browser time", toDuration(receipt?.browserMs ?? 0)],
  ];
  const refusal = value === undefined ? undefined : failureOf(value);
  return (
    <>
      {error !== undefined && <FailureNotice error={error} />}
      {warning !== undefined && <WarningNotice>{warning}</WarningNotice>}
      {receipt !== undefined && (
        <section class="card" aria-label="Cost">
          <dl class="facts">
            {facts.map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <section class="card stack" aria-label="Result">
        <div class="row spread">
          <h2>Result</h2>
          {value !== undefined && refusal === undefined && (
            <button
              type="button"
              class="button"
              onClick={() => saveAs([value.text], `${job.kind}-${job.id.slice(-6)}.json`, "application/json")}
            >
              <Icon name="download" /> Download JSON
            </button>
          )}
        </div>
        {failure !== undefined && <ErrorNotice error={failure} retry={reload} />}
        {value === undefined && failure === undefined && <Loading what="result" />}
        {value !== undefined && <ResponseTabs answer={value} />}
      </section>
    </>
  );
}
