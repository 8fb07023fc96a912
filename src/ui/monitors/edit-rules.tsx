import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import { linesOf } from "./monitor-form.ts";
import { pageOf } from "./monitor-types.ts";
import type { MonitorInfo, WatchedOptions, WatchedTarget } from "./monitor-types.ts";
import { NoiseRules } from "./noise-rules.tsx";
import type { Rules } from "./noise-rules.tsx";
import { PreviewPanel } from "./preview-panel.tsx";

/** Changes the noise rules of a monitor, by pointing at its page. They apply to all of its pages. */
export function EditRules({ monitor, close, done }: { monitor: MonitorInfo; close: () => void; done: () => void }) {
  const page = pageOf(monitor);
  const { excludeTags = [], includeTags = [] } = page?.target.scrapeOptions ?? {};
  const [rules, setRules] = useState<Rules>({
    excludeTags: excludeTags.join("\n"),
    includeTags: includeTags.join("\n"),
  });
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
      const targets = monitor.targets.map((target) => withRules(target, rules));
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

function withRules(target: WatchedTarget, rules: Rules): WatchedTarget {
  if (target.type === "search") return target;
  return { ...target, scrapeOptions: optionsWith(target.scrapeOptions, rules) };
}

function optionsWith(options: WatchedOptions = {}, rules: Rules): WatchedOptions {
  const { excludeTags: _, includeTags: __, ...others } = options;
  const [excluded, included] = [linesOf(rules.excludeTags), linesOf(rules.includeTags)];
  return {
    ...others,
    ...(excluded.length === 0 ? {} : { excludeTags: excluded }),
    ...(included.length === 0 ? {} : { includeTags: included }),
  };
}
