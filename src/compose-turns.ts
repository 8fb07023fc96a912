import { RunShares } from "./core/crawl/run-shares.ts";
import { FairAdmission } from "./core/waits/fair-admission.ts";
import { FairConversions } from "./engines/fair-conversions.ts";
import type { Env, Settings } from "./env.ts";
import { HeldBytes } from "./core/waits/held-bytes.ts";
import { ModelTurns } from "./platform/language-model/model-turns.ts";
import { newSharedReaderState } from "./platform/code-runner/shared-reader.ts";
import { PAGES_APART } from "./services/parse/run-apart.ts";
import { QueuedScrapes } from "./core/scrape/queued-scrapes.ts";

/**
 * Requests of one team that wait for their turn in an isolate. Clients that send requests and leave without an answer, which
 * a Worker is mostly not told, would otherwise fill its memory.
 */
const MOST_WAITING_REQUESTS = 1_000;

const conversions = new FairConversions();
const waiting = new HeldBytes();
/** Memory of requests and jobs beside loaded pages: bodies, files, links of sites, documents on their way. A Worker has 128 MB. */
const ON_PLATFORM = { ofTeam: 24_000_000, inAll: 48_000_000 };
const ON_OWN_MACHINE = { ofTeam: 96_000_000, inAll: 192_000_000 };
/** A client may take as long to read. */
const HELD_MS = 900_000;
let memory: HeldBytes | undefined;
let modelTurns: ModelTurns | undefined;

/** Returns the order of the calls of models: one for the isolate. */
export function modelTurnsOf({ LLM_CONCURRENCY: places }: Pick<Settings, "LLM_CONCURRENCY">): ModelTurns {
  return (modelTurns ??= new ModelTurns(places));
}

/** Returns what the requests and jobs of the isolate hold: one for the isolate. */
export function memoryOf({ EGRESS }: Pick<Env, "EGRESS">): HeldBytes {
  const limits = EGRESS === undefined ? ON_PLATFORM : ON_OWN_MACHINE;
  return (memory ??= new HeldBytes({ ...limits, leavesRest: true, lifeMs: HELD_MS }));
}

const STEPS_ON_PLATFORM = { ofTeam: 24_000_000, inAll: 32_000_000 };
const STEPS_ON_OWN_MACHINE = { ofTeam: 64_000_000, inAll: 128_000_000 };
let stepPages: HeldBytes | undefined;

/** Returns what step jobs keep of their pages: one for the isolate. */
export function stepPagesOf({ EGRESS }: Pick<Env, "EGRESS">): HeldBytes {
  const limits = EGRESS === undefined ? STEPS_ON_PLATFORM : STEPS_ON_OWN_MACHINE;
  return (stepPages ??= new HeldBytes({ ...limits, lifeMs: HELD_MS }));
}

/**
 * Requests to sites that may be open on a machine of one's own, where all leave by 1,024 connections: a site may take minutes to
 * answer. A team's first one is open in any case, so that twice as many may be.
 */
const OPEN_REQUESTS = { ofTeam: 256, inAll: 512, leavesRest: true, lifeMs: 330_000 };

const isProcessorBusy = (): boolean => conversions.isBusy;

/** One of each for the isolate: the requests of all teams share its processor and its memory. */
export const turns = {
  conversions,
  waiting,
  runShares: new RunShares(),
  openRequests: new HeldBytes(OPEN_REQUESTS),
  sharedReader: newSharedReaderState(),
  apart: new FairAdmission({ ...PAGES_APART, isProcessorBusy: () => true }),
  /** Searches of the own index take the processor for some 100 ms each. */
  searches: new FairAdmission({ places: 2, refusesLate: true, isProcessorBusy }),
  /**
   * Without it, dozens of requests of one team would begin at once, and each step of another team's, such as a query, would wait
   * behind theirs. The steps of a request that waits for a distant store leave the processor free for others.
   */
  requests: new FairAdmission({
    places: 3,
    fillsFreeTime: true,
    mostWaiting: MOST_WAITING_REQUESTS,
    isProcessorBusy: () => false,
  }),
  /**
   * Hundreds of checks may run at a time: the pages alone are admitted by `admission`, and their states not. Few are worked on at
   * a time, as of requests.
   */
  checks: new FairAdmission({ places: 3, parkAfterMs: 5_000, isProcessorBusy }),
  /**
   * Checks whose events are sent at a time. A receiver that does not answer holds its place for a minute, with up to twenty
   * requests, and a team may have hundreds of checks with such a receiver.
   */
  monitorEvents: new FairAdmission({ places: 20, isProcessorBusy: () => true }),
  queuedScrapes: new QueuedScrapes(),
  admission: new FairAdmission({ isProcessorBusy, hasRoom: (owner) => waiting.hasRoom(owner) }),
};
