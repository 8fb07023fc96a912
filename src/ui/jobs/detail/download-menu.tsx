import { useState } from "preact/hooks";
import type { Job } from "../job-types.ts";
import type { ApiError } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNotice } from "../../parts/notices.tsx";

const KINDS = [
  ["jsonl", "JSONL", "All pages, one JSON object per line"],
  ["zip", "Markdown", "All pages as Markdown files in a ZIP archive"],
  ["csv", "CSV", "All URLs with outcome and reason"],
] as const;

const ARCHIVE = ["wacz", "WACZ", "The archived responses of all pages, for replay and for other formats"] as const;
type Kind = (typeof KINDS)[number][0] | (typeof ARCHIVE)[0];

/**
 * Buttons that download the results of a crawl or batch as a file.
 * @param hasArchive True for a job that archives the responses of its pages.
 */
export function DownloadMenu({ job, count, hasArchive }: { job: Job; count: number; hasArchive: boolean }) {
  const [progress, setProgress] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const save = async (kind: Kind): Promise<void> => {
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
        {[...KINDS, ...(hasArchive ? [ARCHIVE] : [])].map(([kind, label, title]) => (
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
