import { useState } from "preact/hooks";
import type { Job } from "../job-types.ts";
import type { ApiError } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNotice } from "../../parts/notices.tsx";
import type { Download, DownloadKind } from "./downloads.ts";

interface MenuProps {
  job: Job;
  /** Number of pages. */
  count: number;
  downloads: readonly Download[];
}

/** Buttons that download the results of a crawl or batch as a file. */
export function DownloadMenu({ job, count, downloads }: MenuProps) {
  const [progress, setProgress] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const save = async (kind: DownloadKind): Promise<void> => {
    setError(undefined);
    setProgress("Preparing download…");
    try {
      const { download } = await import("./download.ts");
      await download(kind, { job, onPages: (pages) => setProgress(`${pages} of ${count} pages`) });
    } catch (failure) {
      setError(toApiError(failure));
    }
    setProgress(undefined);
  };
  return (
    <>
      <div class="downloads" role="group" aria-label="Download">
        {downloads.map(({ kind, label, title }) => (
          <button
            key={kind}
            type="button"
            class="button"
            title={title}
            aria-label={`Download ${label}: ${title}`}
            disabled={progress !== undefined}
            onClick={() => void save(kind)}
          >
            <Icon name="download" /> {label}
          </button>
        ))}
      </div>
      <span class="faint" role="status">
        {progress}
      </span>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
