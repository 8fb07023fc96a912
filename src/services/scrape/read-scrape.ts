import { validate as isUuid } from "uuid";
import { AppError } from "../../core/errors.ts";
import { jobIdPrefix } from "../../core/scrape/document-id.ts";
import { checkDocument, checkEndpoint } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { readJobDocument } from "../jobs/read-job-document.ts";
import { readPromised } from "./scrape-later.ts";

type ReadDeps = Pick<Deps, "scrapes" | "clock" | "jobs" | "frontiers" | "blobs" | "settings" | "pendingScrapes">;

/**
 * Reads an earlier scrape's document, as the exact JSON text that its caller received.
 * @throws AppError `INVALID_JOB_ID`, or `JOB_NOT_FOUND`, also for another team's; `ENDPOINT_RESTRICTED` or
 * `FORMAT_RESTRICTED` for another key's scrape that the scopes of this key exclude.
 */
export async function readScrape(deps: ReadDeps, { key }: Caller, id: string): Promise<string> {
  if (!isUuid(id)) throw new AppError("INVALID_JOB_ID");
  if (jobIdPrefix(id) !== undefined) return await readJobDocument(deps, { key }, id);
  const found = await deps.scrapes.find(id, { teamId: key.teamId, nowMs: deps.clock.now() });
  if (found === undefined || found.record.teamId !== key.teamId) throw new AppError("JOB_NOT_FOUND");
  if (found.record.keyId !== key.id) {
    checkEndpoint(key, found.record.endpoint === "parse" ? "parse" : "scrape");
    checkDocument(key, found.documentJson);
  }
  return await readPromised(deps, found);
}
