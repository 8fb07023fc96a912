import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { Meter } from "../../src/core/account/meter.ts";
import { createCheckAlarms } from "../../src/platform/monitors/check-alarm-port.ts";

test("the alarm of a check comes again and again, also after an eviction, until it is told that the check has ended", async () => {
  const checkId = crypto.randomUUID();
  const alarms = createCheckAlarms(env.CHECK_ALARM, new Meter());
  const stub = env.CHECK_ALARM.getByName(checkId);
  await alarms.watch(checkId);
  for (let round = 0; round < 3; round++) {
    await evictDurableObject(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
  }
  await alarms.forget(checkId);
  expect(await runDurableObjectAlarm(stub)).toBe(false);
});
