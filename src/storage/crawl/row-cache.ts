/** Rows that are kept as objects, some 100 kB each: of one job, and of all jobs of the isolate. */
const OF_A_JOB = 64;
const OF_ALL = 512;

interface Kept<Row> {
  id: number;
  row: Row;
  owner: RowCache<Row>;
}

/** Rows of all jobs, the oldest first. */
const kept = new Set<Kept<unknown>>();

/** The rows of a job's queue that were read or written last. */
export class RowCache<Row> {
  readonly #rows = new Map<number, Kept<Row>>();

  get(id: number): Row | undefined {
    return this.#rows.get(id)?.row;
  }

  set(id: number, row: Row): void {
    const known = this.#rows.get(id);
    if (known !== undefined) {
      known.row = row;
      return;
    }
    const added: Kept<Row> = { id, row, owner: this };
    this.#rows.set(id, added);
    kept.add(added as Kept<unknown>);
    const [oldest] = this.#rows.values();
    if (this.#rows.size > OF_A_JOB && oldest !== undefined) this.#forget(oldest);
    const [oldestOfAll] = kept;
    if (kept.size > OF_ALL && oldestOfAll !== undefined) oldestOfAll.owner.#forget(oldestOfAll);
  }

  clear(): void {
    for (const each of this.#rows.values()) kept.delete(each as Kept<unknown>);
    this.#rows.clear();
  }

  #forget(each: Kept<Row>): void {
    kept.delete(each as Kept<unknown>);
    this.#rows.delete(each.id);
  }
}
