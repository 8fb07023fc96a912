import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { FIGURE_NAMES, type ComparedEstimate } from "../../src/core/account/estimate.ts";
import { startService } from "../e2e/service.ts";
import { SHAPES, type Shape } from "./estimate/shapes.ts";
import { table } from "./load/table.ts";

const USAGE = `npm run bench -- estimate [--only TEXT] [--skip TEXT] [--repeat] [--operations]
Estimates crawls and batches of twenty sites, runs them, and prints estimate and outcome. --repeat does so once more, when there
are receipts of the first run.`;

/** A receipt is final when it has not changed for so long. */
const SETTLED_MS = 2_000;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    skip: { type: "string" },
    repeat: { type: "boolean", default: false },
    operations: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

interface Service {
  url: string;
  key: string;
}

interface Status {
  status: string;
  completed: number;
  receipt: { nanoDollars: number; bytesFetched: number; operations: object };
  estimate?: ComparedEstimate;
}

if (values.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const service = await startService();
  try {
    const results: ComparedEstimate[][] = [];
    for (const shape of SHAPES.filter(isChosen)) {
      const compared = await compare(service, shape);
      results.push(compared);
      for (const [round, estimate] of compared.entries()) console.log(lineOf(shape.name, round, estimate));
    }
    for (let round = 0; round < (values.repeat ? 2 : 1); round++)
      report(
        round,
        results.flatMap((each) => each[round] ?? []),
      );
  } finally {
    await service.stop();
  }
}

function isChosen({ name }: Shape): boolean {
  return name.includes(values.only) && (values.skip === undefined || !name.includes(values.skip));
}

async function compare(service: Service, shape: Shape): Promise<ComparedEstimate[]> {
  const site = await shape.start();
  try {
    const compared: ComparedEstimate[] = [];
    for (let round = 0; round < (values.repeat ? 2 : 1); round++) {
      const body = shape.request(site.url);
      await call(service, shape.path, { ...body, estimate: true });
      const { id } = await call<{ id: string }>(service, shape.path, body);
      compared.push(await outcomeOf(service, `${shape.path}/${id}?limit=1`));
    }
    return compared;
  } finally {
    await site.close();
  }
}

async function outcomeOf(service: Service, path: string): Promise<ComparedEstimate> {
  let last: Status | undefined;
  for (let sinceMs = Date.now(); ;) {
    await sleep(300);
    const status = await call<Status>(service, path);
    if (status.status === "scraping" || status.receipt.nanoDollars !== last?.receipt.nanoDollars) sinceMs = Date.now();
    last = status;
    if (Date.now() - sinceMs < SETTLED_MS) continue;
    if (values.operations) console.log(JSON.stringify(status.receipt.operations), status.receipt.bytesFetched);
    if (status.estimate === undefined) throw new Error(`${path} has no estimate`);
    return status.estimate;
  }
}

async function call<Body>(service: Service, path: string, body?: object): Promise<Body> {
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const response = await fetch(`${service.url}${path}`, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Body;
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer).slice(0, 300)}`);
  return answer;
}

/** Returns the relative error of a figure; undefined where nothing was to be estimated, and nothing was. */
function errorOf({ expected, outcome = 0 }: ComparedEstimate["pages"]): number | undefined {
  if (outcome === 0 && expected === 0) return undefined;
  return outcome === 0 ? 1 : Math.abs(expected - outcome) / outcome;
}

function lineOf(name: string, round: number, estimate: ComparedEstimate): string {
  const figures = FIGURE_NAMES.map((figure) => {
    const { low, expected, high, outcome } = estimate[figure];
    const error = errorOf(estimate[figure]);
    const percent = error === undefined ? "" : ` (${Math.round(error * 100)} %)`;
    return `${figure} ${expected} [${low}–${high}] → ${outcome}${percent}`;
  });
  return `${name}${round === 0 ? "" : ", again"}: ${figures.join("; ")}`;
}

function report(round: number, estimates: readonly ComparedEstimate[]): void {
  const rows = FIGURE_NAMES.map((figure) => {
    const errors = estimates
      .flatMap((estimate) => errorOf(estimate[figure]) ?? [])
      .toSorted((one, other) => one - other);
    const within = estimates.filter((estimate) => {
      const { low, high, outcome = 0 } = estimate[figure];
      return low <= outcome && outcome <= high;
    }).length;
    const at = (share: number): number => (errors[Math.floor((errors.length - 1) * share)] ?? Number.NaN) * 100;
    return [figure, errors.length, at(0.5), at(0.8), at(1), within];
  });
  console.log(`\n${round === 0 ? "Without earlier jobs" : "With receipts of the first round"}`);
  console.log(table(["figure", "sites", "median error, %", "80th, %", "worst, %", "within the range"], rows));
}
