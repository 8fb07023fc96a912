import { hostOf } from "../../core/crawl/dispatch.ts";
import { pageName, type HostReport } from "../../core/crawl/host-throttle.ts";
import type { Deps } from "../deps.ts";
import type { ItemOutcome } from "../crawl/item-task.ts";

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** Reports whether a host has answered as usual, and not refused the request, failed or broken the connection. */
export function isFine({ failed, statusCode = 0 }: HostReport): boolean {
  return failed !== true && statusCode !== TOO_MANY_REQUESTS && statusCode < SERVER_ERROR;
}

/** Reports to the host throttles each refusal and lost connection, and then the successes of each host at once. */
export async function reportHosts(
  { hostThrottle }: Pick<Deps, "hostThrottle">,
  keyId: string,
  outcomes: readonly ItemOutcome[],
): Promise<void> {
  const successes = new Map<string, number>();
  const failures = outcomes.flatMap(({ report, url }) => {
    if (report === undefined) return [];
    const host = hostOf(url);
    if (!isFine(report)) return [{ host, report: { ...report, keyId, page: pageName(url) } }];
    successes.set(host, (successes.get(host) ?? 0) + 1);
    return [];
  });
  await Promise.all(failures.map(({ host, report }) => hostThrottle.report(host, report)));
  await Promise.all(
    [...successes].map(([host, count]) => hostThrottle.report(host, { keyId, statusCode: 200, count })),
  );
}
