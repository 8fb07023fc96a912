import { z } from "zod";
import { CHECK_STATES, type DeploymentCheck } from "../../core/deployment-check.ts";

const Response = z.object({
  place: z.string().optional(),
  checks: z.array(z.object({ name: z.string(), state: z.enum(CHECK_STATES), detail: z.string(), ms: z.number() })),
});
const Refusal = z.object({ error: z.string(), code: z.string().optional() });

/** The checks take up to a minute. */
const TIME_LIMIT_MS = 90_000;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

export interface CheckOptions {
  /** Address of the deployed service. */
  url: string;
  adminKey: string;
  echoUrl?: string | undefined;
  badCertificateUrl?: string | undefined;
}

/** The checks of a deployed service, and the data centre that ran them. */
export interface ServiceChecks {
  place: string | undefined;
  checks: DeploymentCheck[];
}

/**
 * Makes the deployed service check itself.
 * @throws Error when the service does not answer, refuses the key, or is not of this version; or when the key would be
 * sent without encryption.
 */
export async function checkService({
  url,
  adminKey,
  echoUrl,
  badCertificateUrl,
}: CheckOptions): Promise<ServiceChecks> {
  const target = new URL("/service/check", url);
  if (target.protocol !== "https:" && !LOOPBACK.test(target.hostname)) {
    throw new Error(`${target.origin} is not encrypted: the admin key is sent over https only`);
  }
  const response = await fetch(target, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...(echoUrl === undefined ? {} : { echoUrl }),
      ...(badCertificateUrl === undefined ? {} : { badCertificateUrl }),
    }),
    redirect: "error",
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  }).catch((error: unknown) => {
    throw new Error(`${target.origin} does not answer: ${error instanceof Error ? error.message : String(error)}`);
  });
  const body: unknown = await response.json().catch(() => undefined);
  const parsed = Response.safeParse(body);
  if (response.status === 200 && parsed.success) return { place: parsed.data.place, checks: parsed.data.checks };
  const refusal = Refusal.safeParse(body);
  const reason = refusal.success ? refusal.data.error : "it is no Orbweaver of this version";
  throw new Error(`${target.origin} answered with status ${response.status}: ${reason}`);
}

/** Returns the checks as a table of text. */
export function checkTable({ checks }: Pick<ServiceChecks, "checks">): string {
  const rows = [
    ["check", "result", "ms", "found"],
    ...checks.map(({ name, state, detail, ms }) => [name, state, String(ms), oneLine(detail)]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 2 ? cell.padStart(widths[2] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The details contain headers that sites and proxies have written: control characters are removed. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
