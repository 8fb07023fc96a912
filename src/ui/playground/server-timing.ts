export interface ServerTiming {
  /** Steps that took time, in their order. */
  steps: { name: string; ms: number }[];
  /** What the platform bills, by name. */
  counts: { name: string; count: string }[];
}

/** Reads a `Server-Timing` header (W3C): durations stand in `dur`, counts in `desc`. */
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
