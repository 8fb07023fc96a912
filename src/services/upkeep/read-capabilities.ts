import { READABLE_KINDS } from "../../content/documents/kind/kind.ts";
import { ENDPOINTS } from "../../core/account/api-key.ts";
import { FORMATS } from "../../formats/index.ts";
import { JOB_KINDS } from "../../jobs/index.ts";
import { STEP_JOB_KINDS } from "../../jobs/step-kinds.ts";
import type { Caller, Deps } from "../deps.ts";
import { ACTIVITY_ENDPOINTS } from "../account/list-activity.ts";
import { MAX_UPLOAD_BYTES } from "../parse/parse-document.ts";

type Uses = Pick<Deps, "ocr" | "engines" | "searchProviders" | "llm" | "browserSessions" | "settings">;

/** Returns the capabilities of this deployment, derived from its parts: none is listed by hand. */
export function readCapabilities(deps: Uses, { key }: Caller) {
  const { ocr, engines, searchProviders, llm, browserSessions, settings } = deps;
  return {
    formats: FORMATS.map(({ type, credits, needs }) => ({
      type,
      credits,
      needs: [...needs],
      available: engines.some(({ provides }) => needs.every((need) => provides.has(need))),
    })),
    engines: engines.map(({ engine, provides }) => ({ name: engine, provides: [...provides] })),
    egressRoutes: Object.entries(settings.egress.routes).map(([name, { kind }]) => ({
      name,
      kind,
      isEnhanced: settings.egress.enhanced.includes(name),
    })),
    search: searchProviders.map(({ name, places, fulfils }) => ({
      name,
      places: [...places],
      fulfils: [...fulfils],
    })),
    models: llm === undefined ? null : { ...llm.names, contextTokens: llm.contextTokens },
    sessions: {
      available: browserSessions !== undefined,
      runsCode: browserSessions !== undefined && settings.runsCode,
    },
    documents: READABLE_KINDS.filter((kind) => kind !== "image" || ocr !== undefined),
    textRecognition: {
      available: ocr !== undefined,
      languages: [...(ocr?.languages ?? [])],
      visionModel: ocr?.visionModel ?? null,
    },
    jobs: [...JOB_KINDS, ...STEP_JOB_KINDS].map(({ name }) => name),
    endpoints: [...(key.scopes.endpoints ?? ENDPOINTS)],
    activity: [...ACTIVITY_ENDPOINTS],
    limits: {
      requestsPerMinute: settings.rateLimitPerMinute,
      requestsPerMinuteByMode: key.limits,
      creditsPerMonth: key.monthlyCredits ?? settings.creditsPerMonth ?? null,
      maxConcurrency: key.maxConcurrency ?? settings.maxConcurrency,
      maxBodyBytes: settings.maxBodyBytes,
      maxUploadBytes: MAX_UPLOAD_BYTES,
      resultRetentionHours: settings.resultRetentionMs / HOUR_MS,
      cacheRetentionHours: settings.cacheRetentionMs / HOUR_MS,
      searchIndexRetentionHours: settings.indexRetentionMs / HOUR_MS,
    },
    zeroDataRetention: settings.zeroDataRetention,
    signsWebhooks: settings.webhookSecret !== undefined,
  };
}

const HOUR_MS = 3_600_000;
