import { waitForGrant } from "../../../../src/core/waits/wait-for-grant.ts";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import { FairConversions } from "../../../../src/engines/fair-conversions.ts";

// A Worker whose requests wait for each other, as those of one isolate do.

const OWNER = { teamId: "team", keyId: "key" };
/** Longer than some intervals of each wait. */
const WATCH_MS = 700;

const admission = new FairAdmission({ places: 1, tickMs: 50, isProcessorBusy: () => true });
let looks = 0;
let converted = 0;
/** Requests that convert a page each. */
const CONVERTING = 4;
const conversions = new FairConversions(() => {
  looks++;
  return 0;
});
let rechecks = 0;
let grant: ((value: string) => void) | undefined;
let endPage = (): void => undefined;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

const ROUTES: Record<string, (request: Request) => Promise<unknown>> = {
  /** Waits for `/grant`, and uses its own timers and its own body afterwards. */
  async "/wait"(request) {
    const value = await waitForGrant<string>({
      everyMs: 20,
      enqueue: (give) => (grant = give),
      withdraw: () => undefined,
      recheck: () => rechecks++,
    });
    const before = rechecks;
    await sleep(WATCH_MS);
    return { value, body: await request.text(), rechecksAfterwards: rechecks - before };
  },
  async "/grant"() {
    grant?.("granted");
    // The request that grants goes on, so that its context could run the other one's work.
    await sleep(50);
    return rechecks;
  },
  async "/rechecks"() {
    return rechecks;
  },
  async "/convert"() {
    await conversions.admit(OWNER);
    converted++;
    await until(() => converted >= CONVERTING);
    await sleep(50);
    const before = looks;
    await sleep(WATCH_MS);
    return looks - before;
  },
  async "/hold-page"() {
    await admission.run(OWNER, async () => {
      let isOver = false;
      endPage = () => (isOver = true);
      await until(() => isOver);
    });
    return "left";
  },
  /** Loads a page after the held one, and works on for longer than some intervals. */
  async "/next-page"() {
    await admission.run(OWNER, () => Promise.resolve());
    await sleep(WATCH_MS);
    let isBegun = false;
    const page = admission.run(OWNER, async () => void (isBegun = true));
    await Promise.resolve();
    const isBegunAtOnce = isBegun;
    await page;
    return isBegunAtOnce;
  },
  async "/end-page"() {
    endPage();
    return "ended";
  },
};

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await ROUTES[new URL(request.url).pathname]?.(request));
  },
};
