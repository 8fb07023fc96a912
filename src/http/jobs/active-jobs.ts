import { readReplaceable } from "../../core/stored-state.ts";
import { hiddenOptions } from "../../formats/hidden-options.ts";
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../context.ts";
import { admit } from "../account/rate-limit.ts";
import { EXAMPLE_ID, EXAMPLE_START, OTHER_ID } from "../docs/examples.ts";

export const ActiveResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    crawls: z
      .array(
        z.object({
          id: z.string().describe("ID of the resource."),
          teamId: z.string().describe("ID of the team of the crawl."),
          url: z.string().describe("URL at which the crawl started."),
          created_at: z.string().describe("Time of creation."),
          options: z
            .looseObject({})
            .describe(
              "Options of the crawl. Empty when they have more than 4 kB. Of another key's crawl, values of headers, typed texts and scripts are `(hidden)`.",
            ),
        }),
      )
      .describe("Crawls that are running."),
  })
  .openapi("ActiveCrawls", {
    example: {
      success: true,
      crawls: [
        {
          id: EXAMPLE_ID,
          teamId: OTHER_ID,
          url: "https://example.com",
          created_at: EXAMPLE_START,
          options: { limit: 100 },
        },
      ],
    },
  });

/** Returns the team's running crawls, newest first. */
export async function listActive(c: Context<AppEnv>): Promise<z.infer<typeof ActiveResponse>> {
  await admit(c, { mode: "crawlStatus", credits: 0 });
  const { deps, caller } = c.var;
  const jobs = await deps.jobs.listRunning(caller.key.teamId, "crawl", deps.clock.now());
  return {
    success: true,
    crawls: jobs.map(({ id, teamId, target, createdAtMs, optionsJson, keyId }) => ({
      id,
      teamId,
      url: target,
      created_at: new Date(createdAtMs).toISOString(),
      options: shownOptions(optionsJson, { isOwn: keyId === caller.key.id }),
    })),
  };
}

function shownOptions(optionsJson: string, { isOwn }: { isOwn: boolean }): Record<string, unknown> {
  const options = readReplaceable(z.record(z.string(), z.unknown()), optionsJson) ?? {};
  return isOwn ? options : hiddenOptions(options);
}
