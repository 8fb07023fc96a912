import { toDateTime, toWords } from "../parts/format.ts";
import { CodeBlock } from "../parts/document/code-block.tsx";
import type { JobDetails } from "./job-types.ts";
import { shownOptions } from "./shown-options.ts";

/** The request of a job: its options as a table, and its body as JSON. */
export function JobRequestCard({ details: { job, request } }: { details: JobDetails }) {
  const facts: [string, string][] = [
    ["Started", toDateTime(job.createdAt)],
    ...(job.endedAt === null ? [] : [["Ended", toDateTime(job.endedAt)] satisfies [string, string]]),
    ["Results are deleted", toDateTime(job.expiresAt)],
    ["API version", job.apiVersion],
  ];
  return (
    <section class="card stack" aria-label="Request">
      <h2>Request</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div class="fact-wide">
          <dt>Job ID</dt>
          <dd class="mono breaking">{job.id}</dd>
        </div>
      </dl>
      {request === null ? (
        <p class="faint">The options of this job are not stored.</p>
      ) : (
        <>
          <div class="table-box" tabIndex={0} role="region" aria-label="Options of the request">
            <table class="options">
              <tbody>
                {shownOptions(request.body).map(({ name, value }) => (
                  <tr key={name}>
                    <th scope="row">
                      {toWords(name.split(".").at(-1) ?? name)} <code class="faint">{name}</code>
                    </th>
                    <td class="breaking">{value}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <details>
            <summary>
              Body of <code>POST {request.path}</code>
            </summary>
            <CodeBlock text={JSON.stringify(request.body, undefined, 2)} label="Body of the request" />
          </details>
        </>
      )}
    </section>
  );
}
