import { Icon } from "../parts/icon.tsx";
import { adviceFor } from "./explain-failure.ts";

/** Why a job failed, with advice. */
export function FailureNotice({ error }: { error: string }) {
  const advice = adviceFor(undefined, error);
  return (
    <div class="notice notice-error" role="status">
      <Icon name="warning" />
      <div>
        <p class="notice-text">{error}</p>
        {advice !== undefined && <p>{advice}</p>}
      </div>
    </div>
  );
}
