import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { saveAs } from "../parts/download/save-as.ts";
import { usageCsv } from "./export-usage.ts";
import { firstDay } from "./measures.ts";
import type { UsageResponse } from "./usage-types.ts";

/** Buttons that save the usage of the period by day, endpoint and key as CSV or JSON. */
export function ExportButtons({ days }: { days: number }) {
  const [error, setError] = useState<ApiError>();
  const save = async (kind: "csv" | "json"): Promise<void> => {
    setError(undefined);
    try {
      const path = `/v2/team/usage?from=${firstDay(days)}&groupBy=day,endpoint,key`;
      const { from, to, data } = await ask<UsageResponse>(path);
      const name = `usage-${from}-${to}.${kind}`;
      if (kind === "csv") saveAs([usageCsv(data)], name, "text/csv");
      else saveAs([JSON.stringify(data, undefined, 2)], name, "application/json");
    } catch (failure) {
      setError(toApiError(failure));
    }
  };
  return (
    <div class="downloads" role="group" aria-label="Export">
      {(["csv", "json"] as const).map((kind) => (
        <button key={kind} type="button" class="button" onClick={() => void save(kind)}>
          <Icon name="download" /> Export {kind.toUpperCase()}
        </button>
      ))}
      {error !== undefined && <ErrorNotice error={error} />}
    </div>
  );
}
