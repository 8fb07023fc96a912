import { useState } from "preact/hooks";
import { failureOf, send } from "../../api/client.ts";
import type { ApiError } from "../../api/client.ts";
import { sampleUrl } from "../../api/sample.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import type { Values } from "../request/body.ts";
import { documentsIn } from "../response/documents.ts";
import { DataView } from "../results/data-view.tsx";
import { dataIn } from "../results/result-shapes.ts";

/** The data that a schema gives on a page, without running the request. */
export function SchemaPreview({ schema }: { schema: Values | undefined }) {
  const [url, setUrl] = useState(sampleUrl);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [body, setBody] = useState<unknown>();
  const preview = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const formats = ["markdown", { type: "json", evidence: true, schema }];
      const answer = await send("/v2/scrape", { body: { url, formats } });
      setError(failureOf(answer));
      setBody(answer.body);
    } catch (failure) {
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  const [document] = documentsIn(body);
  const data = dataIn(body, document);
  if (schema === undefined) return <p class="hint">The schema has no fields yet.</p>;
  return (
    <>
      <div class="row">
        <input type="url" aria-label="Page" value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
        <button type="button" class="button" disabled={isBusy || url === ""} onClick={() => void preview()}>
          Preview
        </button>
      </div>
      <p class="hint">Scrapes the page with this schema. It costs 5 credits.</p>
      {error !== undefined && <ErrorNotice error={error} />}
      {data !== undefined && <DataView result={data} url={document?.url} markdown={undefined} />}
      {body !== undefined && data === undefined && error === undefined && (
        <p role="status">No field of the schema was found on this page.</p>
      )}
    </>
  );
}
