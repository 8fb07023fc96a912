import type { Deps } from "../deps.ts";
import { failPromised } from "../scrape/scrape-later.ts";

const IDS_AT_A_TIME = 1_000;
/** Messages that are read at a time, each of up to 128 kB. */
const MESSAGES_AT_A_TIME = 50;
/** A page that ends the process whenever it is scraped is given up after so many times. */
const MOST_RESENT = 10;

type ResendDeps = Pick<
  Deps,
  "queuedScrapes" | "pendingScrapes" | "tasks" | "scrapes" | "settings" | "clock" | "keyLedger" | "log"
>;

/**
 * Queues pending scrapes again whose messages were lost with an earlier process, and stores the failures of those that were
 * queued too often or have expired. May be repeated: a scrape that has ended is neither run nor charged again.
 */
export async function resendScrapes(deps: ResendDeps): Promise<void> {
  const { queuedScrapes, pendingScrapes } = deps;
  if (queuedScrapes === undefined || pendingScrapes === undefined) return;
  let after = "";
  let ids: string[];
  do {
    ids = await pendingScrapes.ids({ after, limit: IDS_AT_A_TIME });
    const lost = ids.filter((id) => !queuedScrapes.knows(id));
    for (let at = 0; at < lost.length; at += MESSAGES_AT_A_TIME)
      await resend(deps, await pendingScrapes.find(lost.slice(at, at + MESSAGES_AT_A_TIME)));
    after = ids.at(-1) ?? after;
  } while (ids.length === IDS_AT_A_TIME);
}

type Pending = Awaited<ReturnType<NonNullable<Deps["pendingScrapes"]>["find"]>>;

async function resend(deps: ResendDeps, pending: Pending): Promise<void> {
  const { queuedScrapes, pendingScrapes, tasks, settings, clock, log } = deps;
  const oldestMs = clock.now() - settings.resultRetentionMs;
  const again = [];
  for (const { id, task, resent, createdAtMs } of pending) {
    if (task === undefined) {
      log({ event: "pending_scrape_unreadable", id });
      await pendingScrapes?.remove([id]);
    } else if (resent >= MOST_RESENT || createdAtMs <= oldestMs) {
      // One that cannot be ended now does not keep others from being queued.
      await failPromised(deps, task).catch((error: unknown) =>
        log({ event: "pending_scrape_not_ended", id, message: String(error) }),
      );
    } else again.push(task);
  }
  if (again.length === 0) return;
  await pendingScrapes?.noteResent(again.map(({ request }) => request.id));
  const withdrawals = again.map(({ request, key }) => queuedScrapes?.expect(key.teamId, [request.id]));
  await tasks.sendAll(again).catch((error: unknown) => {
    // Those that were sent all the same are known again when they are delivered.
    for (const withdraw of withdrawals) withdraw?.();
    throw error;
  });
}
