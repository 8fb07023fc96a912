/**
 * Returns the processor time that work takes on its own thread, in ms. Unlike the time on the clock, it does not grow when
 * other programs use the machine.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Returns the smallest of up to three times of work, the first one that is below the limit: contention slows processors down too. */
export async function leastProcessorMs(work: () => unknown, maxMs: number): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < 3 && least >= maxMs; tries++) least = Math.min(least, await processorMs(work));
  return least;
}
