/**
 * Waits for work, at most `limitMs`. The work itself goes on: what it does later must do no harm.
 * @throws the error that `late` makes when the time is over; errors of the work before that
 */
export async function withinTime<Result>(work: Promise<Result>, limitMs: number, late: () => Error): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
