import { expect, test } from "vitest";
import { inject } from "./inject.ts";

test("the service finds everything that it works with", async () => {
  const response = await fetch(`${inject("serviceUrl")}/health/ready`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: "ready",
    checks: { database: "ok", bucket: "ok", durableObjects: "ok", queues: "ok", browser: "ok" },
  });
});
