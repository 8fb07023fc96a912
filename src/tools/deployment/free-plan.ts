/** Parts of `wrangler.toml` that the free plan refuses: more processor time and calls than its own, and loading code at run time. */
const PAID_TABLES = new Set(["limits", "worker_loaders"]);

/** The configuration without what only Workers Paid has. Everything else stays as it is, comments included. */
export function withoutPaidParts(toml: string): string {
  let isPaid = false;
  const kept = toml.split("\n").filter((line) => {
    const table = /^\s*\[\[?\s*([\w.]+)\s*\]\]?/.exec(line)?.[1];
    if (table !== undefined) isPaid = PAID_TABLES.has(table);
    return !isPaid;
  });
  return kept.join("\n");
}
