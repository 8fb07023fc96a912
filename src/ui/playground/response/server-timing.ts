export interface ServerTiming {
  /** Steps with their durations, in header order. */
  steps: { name: string; ms: number }[];
  /** Billed platform operations by name. */
  counts: { name: string; count: string }[];
}

/** Parses a `Server-Timing` header (W3C): `dur` is a duration in milliseconds, `desc` a count. */
export function readServerTiming(header: string | null): ServerTiming {
  const steps: ServerTiming["steps"] = [];
  const counts: ServerTiming["counts"] = [];
  for (const metric of (header ?? "").split(",")) {
    const [name = "", ...parameters] = metric.split(";").map((part) => part.trim());
    const valueOf = (wanted: string): string | undefined =>
      parameters
        .find((parameter) => parameter.startsWith(`${wanted}=`))
        ?.slice(wanted.length + 1)
        .replaceAll('"', "");
    const duration = valueOf("dur");
    const description = valueOf("desc");
    if (name !== "" && duration !== undefined) steps.push({ name, ms: Number(duration) });
    else if (name !== "" && description !== undefined) counts.push({ name, count: description });
  }
  return { steps, counts };
}
