/** Processes the items, at most `atATime` at once; returns the results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await work(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
  return results;
}
