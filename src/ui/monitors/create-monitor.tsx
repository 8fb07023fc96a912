import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { sampleUrl } from "../api/sample.ts";
import { toApiError, useLoaded } from "../api/use-loaded.ts";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import { CheckField, ChoiceField, LinesField, TextField } from "../parts/form/form-fields.tsx";
import {
  EVENTS,
  SCHEDULES,
  bodyOf,
  changeOf,
  changedOptions,
  editableTarget,
  emptyMonitorForm,
  formOf,
  linesOf,
  optionsOf,
  problemOf,
} from "./monitor-form.ts";
import type { MonitorForm } from "./monitor-form.ts";
import type { MonitorInfo, WatchedOptions } from "./monitor-types.ts";
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
  const create = async (form: MonitorForm): Promise<string> => {
    const { data } = await ask<{ data: { id: string } }>("/v2/monitor", { body: bodyOf(form) });
    return data.id;
  };
  const first = (): MonitorForm =>
    emptyMonitorForm({ url: url ?? sampleUrl(), timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf("monitors")}>Monitors</a>
      </p>
      <PageHead title="Create monitor" lead="Choose the pages, how they are compared, and when they are checked." />
      <MonitorFields
        first={first}
        save={create}
        action="Create monitor"
        busy="Creating…"
        options={optionsOf}
        hasTarget
      />
    </>
  );
}

/** The form with the settings of a monitor. */
export function EditMonitor({ id }: { id: string }) {
  const path = `/v2/monitor/${encodeURIComponent(id)}`;
  const { value, error, reload } = useLoaded((signal) => ask<{ data: MonitorInfo }>(path, { signal }), [id]);
  const monitor = value?.data;
  const save = async (form: MonitorForm): Promise<string> => {
    if (monitor !== undefined) await ask(path, { method: "PATCH", body: changeOf(form, monitor) });
    return id;
  };
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf("monitors")}>Monitors</a> / <a href={hrefOf("monitors", id)}>{monitor?.name ?? "Monitor"}</a>
      </p>
      <PageHead title="Edit monitor" lead="Changes apply from the next check on." />
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {monitor === undefined && error === undefined && <Loading what="the monitor" />}
      {monitor !== undefined && (
        <MonitorFields
          first={() => formOf(monitor)}
          save={save}
          action="Save changes"
          busy="Saving…"
          hasTarget={editableTarget(monitor) !== undefined}
          options={(form) => changedOptions(form, editableTarget(monitor)?.scrapeOptions)}
        />
      )}
    </>
  );
}

interface FieldsProps {
  first: () => MonitorForm;
  /** Sends the form. @returns the ID of the monitor @throws ApiError */
  save: (form: MonitorForm) => Promise<string>;
  action: string;
  busy: string;
  /** False for a monitor whose targets the form cannot show. */
  hasTarget: boolean;
  /** Returns how the pages are scraped with these settings. */
  options: (form: MonitorForm) => WatchedOptions | undefined;
}

function MonitorFields({ first, save, action, busy, hasTarget, options }: FieldsProps) {
  const [opened] = useState(first);
  const [form, setForm] = useState(opened);
  const [problem, setProblem] = useState<ReturnType<typeof problemOf>>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const set: Change = (change) => {
    setForm((earlier) => ({ ...earlier, ...change }));
    setProblem(undefined);
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const found = problemOf(form, hasTarget, opened);
    setProblem(found);
    if (found !== undefined) return document.getElementById(`monitor-${found.field}`)?.focus();
    setBusy(true);
    setError(undefined);
    try {
      goTo(hrefOf("monitors", await save(form)));
    } catch (failure) {
      setError(toApiError(failure));
      setBusy(false);
    }
  };
  const problemIn = (field: keyof MonitorForm): string | undefined =>
    problem?.field === field ? problem.message : undefined;
  const part = { form, set, problemIn };
  return (
    <div class={hasTarget ? "monitor-columns" : "narrow"}>
      <form class="card fields" onSubmit={(event) => void submit(event)} noValidate aria-label="Monitor">
        {hasTarget ? (
          <TargetFields {...part} />
        ) : (
          <p class="faint">This monitor has searches or several targets. They are changed with the API.</p>
        )}
        <NameField {...part} />
        <ScheduleFields {...part} />
        {hasTarget && <ComparisonFields {...part} />}
        <AlertFields {...part} />
        {error !== undefined && <ErrorNotice error={error} />}
        <button type="submit" class="button button-main" disabled={isBusy}>
          {isBusy ? busy : action}
        </button>
      </form>
      {hasTarget && (
        <PreviewPanel
          url={linesOf(form.urls)[0]}
          options={options(form)}
          rules={form}
          change={set}
          isFields={form.compare !== "text"}
        />
      )}
    </div>
  );
}

function NameField({ form, set }: Part) {
  return (
    <TextField
      id="monitor-name"
      label="Name"
      hint="Default: the host and path of the page."
      value={form.name}
      change={(name) => set({ name })}
    />
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
        hint={form.kind === "crawl" ? "The pages below this URL are checked." : "One per line, at most 100."}
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
          hint="One per line, with an optional type: price: number."
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
    <details class="more" open={form.webhookUrl !== "" || form.goal !== ""}>
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
