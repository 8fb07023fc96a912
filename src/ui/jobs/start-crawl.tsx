import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { sampleUrl } from "../api/sample.ts";
import { toApiError } from "../api/use-loaded.ts";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";

const FIRST_LIMIT = 100;

/** The form to start a crawl with a URL and a limit. The playground has all other options. */
export function StartCrawl() {
  const [url, setUrl] = useState(sampleUrl);
  const [limit, setLimit] = useState(FIRST_LIMIT);
  const [isIncremental, setIncremental] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const pages = Number.isInteger(limit) && limit > 0 ? limit : FIRST_LIMIT;
      const body = { url: url.trim(), limit: pages, ...(isIncremental ? { since: "last" } : {}) };
      const { id } = await ask<{ id: string }>("/v2/crawl", { body });
      goTo(hrefOf("jobs", id));
    } catch (failure) {
      setError(toApiError(failure));
      setBusy(false);
    }
  };
  return (
    <form class="card start-crawl" onSubmit={(event) => void start(event)}>
      <div class="field grow">
        <label for="crawl-url">Start URL</label>
        <input
          id="crawl-url"
          type="url"
          required
          spellcheck={false}
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="crawl-limit">Page limit</label>
        <input
          id="crawl-limit"
          type="number"
          min={1}
          value={limit}
          onInput={(event) => setLimit(event.currentTarget.valueAsNumber)}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={isIncremental}
          onChange={(event) => setIncremental(event.currentTarget.checked)}
        />
        Only what has changed since the last crawl
      </label>
      <button type="submit" class="button button-main" disabled={isBusy}>
        <Icon name="crawls" /> {isBusy ? "Starting…" : "Start crawl"}
      </button>
      <p class="hint">
        For paths, depth, formats and other options,{" "}
        <a href={hrefOf("playground", undefined, { op: "post /v2/crawl" })}>use the playground</a>.
      </p>
      {error !== undefined && <ErrorNotice error={error} />}
    </form>
  );
}
