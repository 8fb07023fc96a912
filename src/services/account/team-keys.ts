import type { ApiKey } from "../../core/account/api-key.ts";
import type { Caller, Deps } from "../deps.ts";

/** Maximum number of a team's keys that are queried one by one. */
const MAX_KEYS = 1000;
const AT_A_TIME = 50;

/** Returns up to `MAX_KEYS` keys of the caller's team, newest first, including revoked ones: the team did their work. */
async function teamKeys({ keys }: Pick<Deps, "keys">, { key }: Caller): Promise<ApiKey[]> {
  const own = await keys.listByTeam(key.teamId, MAX_KEYS);
  // Without authentication, all callers share one key, which has no row.
  return own.some(({ id }) => id === key.id) ? own : [key, ...own];
}

/** Queries the Durable Object of every key of the team, `AT_A_TIME` at once. */
export async function askTeam<Answer>(
  deps: Pick<Deps, "keys">,
  caller: Caller,
  ask: (key: ApiKey) => Promise<Answer>,
): Promise<{ key: ApiKey; answer: Answer }[]> {
  const keys = (await teamKeys(deps, caller)).slice(0, MAX_KEYS);
  const answers: { key: ApiKey; answer: Answer }[] = [];
  for (let first = 0; first < keys.length; first += AT_A_TIME) {
    const some = keys.slice(first, first + AT_A_TIME);
    answers.push(...(await Promise.all(some.map(async (key) => ({ key, answer: await ask(key) })))));
  }
  return answers;
}
