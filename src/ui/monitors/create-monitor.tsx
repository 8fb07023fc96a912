import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { sampleUrl } from "../api/sample.ts";
import { toApiError } from "../api/use-loaded.ts";
import { ErrorNotice } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import { CheckField, ChoiceField, LinesField, TextField } from "../parts/form/form-fields.tsx";
import { EVENTS, SCHEDULES, bodyOf, emptyMonitorForm, linesOf, optionsOf, problemOf } from "./monitor-form.ts";
import type { MonitorForm } from "./monitor-form.ts";
import { NoiseRules } from "./noise-rules.tsx";
import { PreviewPanel } from "./preview-panel.tsx";

type Change = (change: Partial<MonitorForm>) => void;
interface Part {
  form: MonitorForm;
  set: Change;
  problemIn: (field: keyof MonitorForm) => string | undefined;
}

const KINDS = [
  ["scrape", "Pages"],
  ["crawl", "A site"],
] as const;
const COMPARISONS = [
  ["text", "The text"],
  ["fields", "Fields"],
  ["both", "Text and fields"],
] as const;

/** The form for a new monitor, next to a preview of a check. */
export function CreateMonitor({ url }: { url: string | undefined }) {
  const [form, setForm] = useState<MonitorForm>(() =>
    emptyMonitorForm({ url: url ?? sampleUrl(), timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
  );
  const [problem, setProblem] = useState<ReturnType<typeof problemOf>>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const set: Change = (change) => {
    setForm((earlier) => ({ ...earlier, ...change }));
    setProblem(undefined);
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const found = problemOf(form);
    setProblem(found);
    if (found !== undefined) return document.getElementById(`monitor-${found.field}`)?.focus();
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await ask<{ data: { id: string } }>("/v2/monitor", { body: bodyOf(form) });
      goTo(hrefOf("monitors", data.id));
    } catch (failure) {
      setError(toApiError(failure));
      setBusy(false);
    }
  };
  const problemIn = (field: keyof MonitorForm): string | undefined =>
    problem?.field === field ? problem.message : undefined;
  const part = { form, set, problemIn };
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf("monitors")}>Monitors</a>
      </p>
      <PageHead title="Create monitor" lead="Choose the pages, how they are compared, and when they are checked." />
      <div class="monitor-columns">
        <form class="card fields" onSubmit={(event) => void submit(event)} noValidate aria-label="Monitor">
          <TargetFields {...part} />
          <ScheduleFields {...part} />
          <ComparisonFields {...part} />
          <AlertFields {...part} />
          {error !== undefined && <ErrorNotice error={error} />}
          <button type="submit" class="button button-main" disabled={isBusy}>
            {isBusy ? "Creating…" : "Create monitor"}
          </button>
        </form>
        <PreviewPanel
          url={linesOf(form.urls)[0]}
          options={optionsOf(form)}
          rules={form}
          change={set}
          isFields={form.compare !== "text"}
        />
      </div>
    </>
  );
}

function TargetFields({ form, set, problemIn }: Part) {
  return (
    <>
      <ChoiceField
        id="monitor-kind"
        label="Check"
        value={form.kind}
        choices={KINDS}
        change={(kind) => set({ kind: kind === "crawl" ? "crawl" : "scrape" })}
      />
      <LinesField
        id="monitor-urls"
        label={form.kind === "crawl" ? "URL of the site" : "URLs"}
        hint={form.kind === "crawl" ? "The pages below this URL are checked." : "One on a line, at most 100."}
        value={form.urls}
        problem={problemIn("urls")}
        change={(urls) => set({ urls })}
      />
      {form.kind === "crawl" && (
        <TextField
          id="monitor-limit"
          label="Page limit"
          type="number"
          value={form.limit}
          problem={problemIn("limit")}
          change={(limit) => set({ limit })}
        />
      )}
      <TextField
        id="monitor-name"
        label="Name"
        hint="Default: the host and path of the page."
        value={form.name}
        change={(name) => set({ name })}
      />
    </>
  );
}

function ScheduleFields({ form, set, problemIn }: Part) {
  return (
    <>
      <ChoiceField
        id="monitor-schedule"
        label="Schedule"
        hint={`Time zone: ${form.timezone}`}
        value={form.schedule}
        choices={SCHEDULES}
        change={(schedule) => set({ schedule })}
      />
      {form.schedule === "custom" && (
        <TextField
          id="monitor-customSchedule"
          label="Custom schedule"
          hint="Words such as “daily at 9:30am”, or a cron expression of five fields. At least five minutes apart."
          value={form.customSchedule}
          problem={problemIn("customSchedule")}
          change={(customSchedule) => set({ customSchedule })}
        />
      )}
    </>
  );
}

function ComparisonFields({ form, set, problemIn }: Part) {
  return (
    <>
      <ChoiceField
        id="monitor-compare"
        label="Compare"
        value={form.compare}
        choices={COMPARISONS}
        change={(compare) => set({ compare: compare === "fields" || compare === "both" ? compare : "text" })}
      />
      {form.compare !== "text" && (
        <LinesField
          id="monitor-fields"
          label="Fields to compare"
          hint="One on a line, with an optional type: price: number."
          placeholder="price: number"
          value={form.fields}
          problem={problemIn("fields")}
          change={(fields) => set({ fields })}
        />
      )}
      <CheckField
        label="Take a screenshot at each check"
        isChecked={form.hasPicture}
        change={(hasPicture) => set({ hasPicture })}
      />
      <NoiseRules rules={form} change={set} />
    </>
  );
}

function AlertFields({ form, set }: Part) {
  const toggle = (event: string, isWanted: boolean): void =>
    set({ events: isWanted ? [...form.events, event] : form.events.filter((one) => one !== event) });
  return (
    <details class="more">
      <summary>Alerts and goal</summary>
      <div class="fields spaced">
        <TextField
          id="monitor-webhookUrl"
          label="Webhook URL"
          type="url"
          hint={
            <>
              Receives signed events of this monitor. <a href={hrefOf("webhooks")}>Test an endpoint</a>.
            </>
          }
          value={form.webhookUrl}
          change={(webhookUrl) => set({ webhookUrl })}
        />
        {form.webhookUrl.trim() !== "" && (
          <fieldset class="field">
            <legend>Events</legend>
            <p class="hint">Select none to receive all events.</p>
            {EVENTS.map(([name, label]) => (
              <CheckField
                key={name}
                label={label}
                isChecked={form.events.includes(name)}
                change={(isWanted) => toggle(name, isWanted)}
              />
            ))}
          </fieldset>
        )}
        <TextField
          id="monitor-goal"
          label="Goal"
          hint="The changes that matter, in words. A language model judges each change by it, for 1 credit."
          value={form.goal}
          change={(goal) => set({ goal })}
        />
      </div>
    </details>
  );
}
