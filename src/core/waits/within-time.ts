/**
 * Waits for work, at most `limitMs`. The work itself goes on: what it does later must do no harm.
 * @param late what is returned when the time is over, or throws
 */
export async function withinTime<Result>(work: Promise<Result>, limitMs: number, late: () => Result): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, limitMs));
  });
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
