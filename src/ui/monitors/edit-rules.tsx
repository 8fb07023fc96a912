import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { pageOf } from "./monitor-types.ts";
import type { MonitorInfo } from "./monitor-types.ts";
import { NoiseRules } from "./noise-rules.tsx";
import { PreviewPanel } from "./preview-panel.tsx";
import { optionsWith, withRuleChange } from "./rule-changes.ts";
import type { Rules } from "./rule-changes.ts";

/** Changes the noise rules of a monitor, by pointing at its first page. Each change applies to all of its targets. */
export function EditRules({ monitor, close, done }: { monitor: MonitorInfo; close: () => void; done: () => void }) {
  const page = pageOf(monitor);
  const { excludeTags = [], includeTags = [] } = page?.target.scrapeOptions ?? {};
  const [opened] = useState<Rules>({ excludeTags: excludeTags.join("\n"), includeTags: includeTags.join("\n") });
  const [rules, setRules] = useState(opened);
  const [error, setError] = useState<ApiError>();
  const change = (part: Partial<Rules>): void => setRules((earlier) => ({ ...earlier, ...part }));
  if (page === undefined) {
    return (
      <Dialog title="Noise rules" close={close}>
        <p>A monitor of searches compares the list of results. It has no noise rules.</p>
      </Dialog>
    );
  }
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const targets = monitor.targets.map((target) => withRuleChange(target, { from: opened, to: rules }));
      await ask(`/v2/monitor/${monitor.id}`, { method: "PATCH", body: { targets } });
      done();
      close();
    } catch (failure) {
      setError(toApiError(failure));
    }
  };
  return (
    <Dialog title="Noise rules" close={close} isWide>
      <form class="fields" onSubmit={(event) => void save(event)}>
        <NoiseRules rules={rules} change={change} />
        <p class="hint">The next check compares with the text that earlier rules left, so it may report a change.</p>
        {monitor.targets.filter(({ type }) => type !== "search").length > 1 && (
          <p class="hint">
            These are the rules of the first target. What you add or remove is added to or removed from the rules of
            every target; their other rules stay.
          </p>
        )}
        {error !== undefined && <ErrorNotice error={error} />}
        <button type="submit" class="button button-main">
          Save rules
        </button>
      </form>
      <PreviewPanel
        url={page.url}
        options={optionsWith(page.target.scrapeOptions, rules)}
        rules={rules}
        change={change}
        isFields={false}
      />
    </Dialog>
  );
}
