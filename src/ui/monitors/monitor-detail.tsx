import { useMemo, useRef, useState } from "preact/hooks";
import { ApiError, ask } from "../api/client.ts";
import { NewestFirst } from "../api/read-parts.ts";
import { toApiError, useLoaded } from "../api/use-loaded.ts";
import { toAgo, toCount, toDateTime } from "../parts/format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading, WarningNotice } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import { CheckDetail } from "./check-detail.tsx";
import { CheckList } from "./check-list.tsx";
import { EditRules } from "./edit-rules.tsx";
import { MonitorChip } from "./monitor-list.tsx";
import { isOpen, scheduleInWords, targetInWords } from "./monitor-types.ts";
import type { CheckInfo, MonitorInfo } from "./monitor-types.ts";

const RELOAD_MS = 2_000;
const IDLE_RELOAD_MS = 15_000;
const CHECKS_AT_ONCE = 50;

/** A monitor: its settings, the history of its checks, and one check with its differences. */
export function MonitorDetail({ id, checkId }: { id: string; checkId: string | undefined }) {
  const [isRunning, setRunning] = useState(false);
  const [count, setCount] = useState(CHECKS_AT_ONCE);
  const history = useMemo(() => new NewestFirst<CheckInfo>({ limit: CHECKS_AT_ONCE, isFinal }), [id]);
  const named = useRef<CheckInfo | undefined>(undefined);
  const { value, error, isLoading, reload } = useLoaded(
    async (signal) => {
      const path = `/v2/monitor/${encodeURIComponent(id)}`;
      const [monitor, { items, hasMore }] = await Promise.all([
        ask<{ data: MonitorInfo; warning?: string }>(path, { signal }),
        history.read(
          `${path}/checks`,
          count,
          async (part) => (await ask<{ data: CheckInfo[] }>(part, { signal })).data,
        ),
      ]);
      setRunning(items.some(isOpen));
      const checks = await withCheck(items, { path, checkId, signal, named });
      return { monitor: monitor.data, warning: monitor.warning, checks, hasMore };
    },
    [id, count, checkId],
    isRunning ? RELOAD_MS : IDLE_RELOAD_MS,
  );
  if (error?.status === 404) {
    return (
      <>
        <PageHead title="Monitor" lead={id} />
        <EmptyState icon="monitors" title="This monitor does not exist">
          <p>
            It was deleted, or it belongs to another team. <a href={hrefOf("monitors")}>All monitors</a>
          </p>
        </EmptyState>
      </>
    );
  }
  if (value === undefined) {
    return (
      <>
        <Crumbs />
        <PageHead title="Monitor" />
        {error === undefined ? <Loading what="the monitor" /> : <ErrorNotice error={error} retry={reload} />}
      </>
    );
  }
  const { monitor, warning, checks, hasMore } = value;
  const shown = checks.find((check) => check.id === checkId) ?? checks.find((check) => !isOpen(check)) ?? checks[0];
  return (
    <>
      <Crumbs />
      <PageHead title={monitor.name} lead={monitor.targets.map(targetInWords).join(", ")}>
        <MonitorChip status={monitor.status} isChecking={isRunning} />
        <Actions monitor={monitor} isRunning={isRunning} reload={reload} />
      </PageHead>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {warning !== undefined && <WarningNotice>{warning}</WarningNotice>}
      <div class="stack">
        <Settings monitor={monitor} />
        {shown === undefined ? (
          <EmptyState icon="clock" title="No checks yet">
            <p>Run the monitor now. The first check stores the pages; later ones compare with it.</p>
          </EmptyState>
        ) : (
          <div class="monitor-history">
            <CheckList
              monitor={monitor}
              checks={checks}
              shownId={shown.id}
              loadOlder={hasMore ? () => setCount(count + CHECKS_AT_ONCE) : undefined}
              isLoading={isLoading}
            />
            <CheckDetail key={shown.id} monitor={monitor} check={shown} />
          </div>
        )}
      </div>
    </>
  );
}

function isFinal(check: CheckInfo): boolean {
  return !isOpen(check);
}

interface NamedCheck {
  path: string;
  checkId: string | undefined;
  signal: AbortSignal;
  /** The check that was named last: one that has ended is read once. */
  named: { current: CheckInfo | undefined };
}

/** Returns the checks with the one that a link names, which may be older than those that are listed. */
async function withCheck(checks: CheckInfo[], { path, checkId, signal, named }: NamedCheck): Promise<CheckInfo[]> {
  if (checkId === undefined || checks.some(({ id }) => id === checkId)) return checks;
  if (named.current?.id === checkId && isFinal(named.current)) return [...checks, named.current];
  try {
    const part = `${path}/checks/${encodeURIComponent(checkId)}?limit=1`;
    named.current = (await ask<{ data: CheckInfo }>(part, { signal })).data;
    return [...checks, named.current];
  } catch (error) {
    // The check was deleted: the newest one is shown.
    if (error instanceof ApiError && error.status < 500 && error.status > 0) return checks;
    throw error;
  }
}

function Crumbs() {
  return (
    <p class="crumbs">
      <a href={hrefOf("monitors")}>Monitors</a>
    </p>
  );
}

function Settings({ monitor }: { monitor: MonitorInfo }) {
  const { schedule, nextRunAt, lastRunAt, webhook, retentionDays, estimatedCreditsPerMonth, goal } = monitor;
  return (
    <section class="card" aria-label="Settings">
      <dl class="facts">
        <Fact name="Schedule" value={scheduleInWords(schedule)} />
        <Fact name="Next check" value={nextRunAt === null ? "–" : toDateTime(nextRunAt)} />
        <Fact name="Last check" value={lastRunAt === null ? "–" : toAgo(lastRunAt)} />
        <Fact name="Credits a month" value={toCount(estimatedCreditsPerMonth)} />
        <Fact name="Retention" value={`${retentionDays} days`} />
        <Fact name="Webhook" value={webhook?.url ?? "none"} />
        {goal !== null && <Fact name="Goal" value={goal} />}
      </dl>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Actions({ monitor, isRunning, reload }: { monitor: MonitorInfo; isRunning: boolean; reload: () => void }) {
  const [error, setError] = useState<ApiError>();
  const [open, setOpen] = useState<"rules" | "delete">();
  const isPaused = monitor.status === "paused";
  const path = `/v2/monitor/${monitor.id}`;
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setError(undefined);
    try {
      await work();
      reload();
    } catch (failure) {
      setError(toApiError(failure));
    }
  };
  return (
    <>
      <button
        type="button"
        class="button button-main"
        disabled={isRunning || isPaused}
        onClick={() => void run(() => ask(`${path}/run`, { method: "POST" }))}
      >
        <Icon name="playground" /> {isRunning ? "Checking…" : "Check now"}
      </button>
      <button
        type="button"
        class="button"
        onClick={() => void run(() => ask(path, { method: "PATCH", body: { status: isPaused ? "active" : "paused" } }))}
      >
        {isPaused ? "Resume" : "Pause"}
      </button>
      <a class="button" href={hrefOf("monitors", monitor.id, { edit: "" })}>
        <Icon name="edit" /> Edit
      </a>
      <button type="button" class="button" onClick={() => setOpen("rules")}>
        Noise rules
      </button>
      <button type="button" class="button button-danger" onClick={() => setOpen("delete")}>
        Delete
      </button>
      {error !== undefined && <ErrorNotice error={error} />}
      {open === "rules" && <EditRules monitor={monitor} close={() => setOpen(undefined)} done={reload} />}
      {open === "delete" && <DeleteMonitor monitor={monitor} close={() => setOpen(undefined)} />}
    </>
  );
}

function DeleteMonitor({ monitor, close }: { monitor: MonitorInfo; close: () => void }) {
  const [error, setError] = useState<ApiError>();
  const remove = async (): Promise<void> => {
    try {
      await ask(`/v2/monitor/${monitor.id}`, { method: "DELETE" });
      goTo(hrefOf("monitors"));
    } catch (failure) {
      setError(toApiError(failure));
    }
  };
  return (
    <Dialog title={`Delete ${monitor.name}?`} close={close}>
      <p>The monitor, its checks and their differences are deleted. This cannot be undone.</p>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        <button type="button" class="button button-danger" onClick={() => void remove()}>
          Delete monitor
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
