/** Work that yields wherever other requests may run: some 5 to 20 ms apart. Runs to its end at once, or in turns. */
export type Turns<Result> = Generator<undefined, Result>;

/** Runs the work to its end without a pause, where nobody else waits: in a process of its own, or for a small text. */
export function atOnce<Result>(work: Turns<Result>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Runs the work, and lets other requests run wherever it yields. */
export async function inTurns<Result>(work: Turns<Result>): Promise<Result> {
  let step = work.next();
  while (step.done !== true) {
    await nextTurn();
    step = work.next();
  }
  return step.value;
}

/** Lets the other requests run that are ready. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}
