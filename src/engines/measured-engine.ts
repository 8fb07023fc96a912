import type { EngineOutcome } from "../core/scrape/page.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { Engine } from "./engine.ts";

/** Counts the loads of an engine by outcome, class of the status and error code. */
export function measuredEngine(engine: Engine, telemetry: Telemetry): Engine {
  return {
    ...engine,
    async load(request): Promise<EngineOutcome> {
      const outcome = await telemetry.span(`load ${engine.engine}`, () => engine.load(request));
      const page = outcome.kind === "failed" ? undefined : outcome.page;
      telemetry.count("loads_total", {
        engine: engine.engine,
        outcome: outcome.kind,
        status: page === undefined ? "none" : `${Math.floor(page.statusCode / 100)}xx`,
      });
      if (outcome.kind === "failed") {
        telemetry.count("load_failures_total", { engine: engine.engine, code: outcome.code });
      }
      return outcome;
    },
  };
}
