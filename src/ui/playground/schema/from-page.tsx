import { useState } from "preact/hooks";
import { ask } from "../../api/client.ts";
import type { ApiError } from "../../api/client.ts";
import { sampleUrl } from "../../api/sample.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { ErrorNotice } from "../../parts/notices.tsx";

/** Fields that pages often state. Those that the service finds on the page are proposed. */
const COMMON =
  "name, title, price, currency, availability, brand, sku, rating, description, author, published date, location, address, phone, email, opening hours";

interface Scraped {
  data: { json?: unknown; product?: unknown };
}

/** Proposes the fields that a page states. */
export function FromPage({ take }: { take: (example: unknown) => void }) {
  const [url, setUrl] = useState(sampleUrl);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [isEmpty, setEmpty] = useState(false);
  const propose = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setEmpty(false);
    try {
      const formats = [{ type: "deterministicJson", prompt: COMMON }];
      const { json } = (await ask<Scraped>("/v2/scrape", { body: { url, formats } })).data;
      if (json === null || json === undefined) setEmpty(true);
      else take(json);
    } catch (failure) {
      setError(toApiError(failure));
    }
    setBusy(false);
  };
  return (
    <>
      <div class="row">
        <input type="url" aria-label="Page" value={url} onInput={(event) => setUrl(event.currentTarget.value)} />
        <button type="button" class="button" disabled={isBusy || url === ""} onClick={() => void propose()}>
          Propose fields
        </button>
      </div>
      <p class="hint">Scrapes the page and proposes the fields that are found on it. It costs 3 credits.</p>
      {isEmpty && <p role="status">No common fields were found on this page. Add them under Fields.</p>}
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
