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
