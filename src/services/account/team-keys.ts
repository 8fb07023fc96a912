import type { ApiKey } from "../../core/account/api-key.ts";
import { nextTurn } from "../../core/in-turns.ts";
import type { Caller, Deps } from "../deps.ts";

/** Maximum number of a team's keys that are queried one by one. */
const MAX_KEYS = 1000;
const AT_A_TIME = 50;
/** Answers that are added up before other requests run. */
const KEYS_A_TURN = 5;

/** Returns up to `MAX_KEYS` keys of the caller's team, newest first, including revoked ones: the team did their work. */
async function teamKeys({ keys }: Pick<Deps, "keys">, { key }: Caller): Promise<ApiKey[]> {
  const own = await keys.listByTeam(key.teamId, MAX_KEYS);
  // Without authentication, all callers share one key, which has no row.
  return own.some(({ id }) => id === key.id) ? own : [key, ...own];
}

/** Queries the Durable Object of every key of the team, for small answers. */
export async function askTeam<Answer>(
  deps: Pick<Deps, "keys">,
  caller: Caller,
  ask: (key: ApiKey) => Promise<Answer>,
): Promise<{ key: ApiKey; answer: Answer }[]> {
  const answers: { key: ApiKey; answer: Answer }[] = [];
  await sumTeam(deps, caller, { ask, add: (key, answer) => void answers.push({ key, answer }) });
  return answers;
}

/**
 * Queries the Durable Object of every key of the team, `AT_A_TIME` at once, and adds up the answers in the order of the
 * keys: none is held for longer, and other requests run between them.
 */
export async function sumTeam<Answer>(
  deps: Pick<Deps, "keys">,
  caller: Caller,
  { ask, add }: { ask: (key: ApiKey) => Promise<Answer>; add: (key: ApiKey, answer: Answer) => void | Promise<void> },
): Promise<void> {
  const keys = (await teamKeys(deps, caller)).slice(0, MAX_KEYS);
  let added = 0;
  for (let first = 0; first < keys.length; first += AT_A_TIME) {
    const some = keys.slice(first, first + AT_A_TIME);
    const answers = await Promise.all(some.map(async (key) => ({ key, answer: await ask(key) })));
    for (const { key, answer } of answers) {
      await add(key, answer);
      if (++added % KEYS_A_TURN === 0) await nextTurn();
    }
  }
}
