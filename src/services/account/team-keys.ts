import type { ApiKey } from "../../core/account/api-key.ts";
import { nextTurn } from "../../core/in-turns.ts";
import type { Caller, Deps } from "../deps.ts";

/** Maximum number of a team's keys that are queried one by one: an invocation has so many calls. */
const MAX_KEYS = 1000;
/** Longer than usage is stored: a key that ended before has none. */
const USAGE_LIFE_MS = 401 * 86_400_000;
const LEFT_OUT = `The team has more than ${MAX_KEYS} keys: some of them are not counted, revoked and old ones first.`;
const AT_A_TIME = 50;
/** Answers that are added up before other requests run. */
const KEYS_A_TURN = 5;

type KeyDeps = Pick<Deps, "keys" | "clock">;

/**
 * Returns the keys of the caller's team that may have usage, and one more than `MAX_KEYS` at most: those that are not revoked,
 * then revoked ones, since the team did their work, each newest first.
 */
async function teamKeys({ keys, clock }: KeyDeps, { key }: Caller): Promise<ApiKey[]> {
  const endedAfterMs = clock.now() - USAGE_LIFE_MS;
  const own = await keys.listByTeam(key.teamId, { limit: MAX_KEYS + 1, endedAfterMs });
  // Without authentication, all callers share one key, which has no row.
  return own.some(({ id }) => id === key.id) ? own : [key, ...own];
}

/** Queries the Durable Object of every key of the team, for small answers. */
export async function askTeam<Answer>(
  deps: KeyDeps,
  caller: Caller,
  ask: (key: ApiKey) => Promise<Answer>,
): Promise<{ key: ApiKey; answer: Answer }[]> {
  const answers: { key: ApiKey; answer: Answer }[] = [];
  await sumTeam(deps, caller, { ask, add: (key, answer) => void answers.push({ key, answer }) });
  return answers;
}

/**
 * Queries the Durable Object of every key of the team, `AT_A_TIME` at once, and adds up the answers in the order of the
 * keys: none is held for longer, and other requests run between them. @returns a warning where keys are left out
 */
export async function sumTeam<Answer>(
  deps: KeyDeps,
  caller: Caller,
  { ask, add }: { ask: (key: ApiKey) => Promise<Answer>; add: (key: ApiKey, answer: Answer) => void | Promise<void> },
): Promise<{ warning?: string }> {
  const known = await teamKeys(deps, caller);
  const keys = known.slice(0, MAX_KEYS);
  let added = 0;
  for (let first = 0; first < keys.length; first += AT_A_TIME) {
    const some = keys.slice(first, first + AT_A_TIME);
    const answers = await Promise.all(some.map(async (key) => ({ key, answer: await ask(key) })));
    for (const { key, answer } of answers) {
      await add(key, answer);
      if (++added % KEYS_A_TURN === 0) await nextTurn();
    }
  }
  return known.length > MAX_KEYS ? { warning: LEFT_OUT } : {};
}
