import { ask } from "../../api/client.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import type { PlaygroundRequest } from "../request/request.ts";
import { estimateCredits } from "./estimate.ts";
import type { FormatCredits } from "./estimate.ts";

interface Capabilities {
  data: { formats: { type: string; credits: number }[] };
}

let loading: Promise<FormatCredits> | undefined;

/** Loads the credits of formats once. A failed load is repeated on the next call. */
function loadCredits(): Promise<FormatCredits> {
  loading ??= ask<Capabilities>("/v2/capabilities")
    .then(({ data }) => Object.fromEntries(data.formats.map(({ type, credits }) => [type, credits])))
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** The price of a request before it runs, for operations with a price list. */
export function CostEstimate({ request }: { request: PlaygroundRequest }) {
  const { value } = useLoaded(loadCredits, []);
  if (value === undefined) return null;
  const estimate = estimateCredits(request.operation, request.body, value);
  if (estimate === undefined) return null;
  const { credits, isMaximum } = estimate;
  return (
    <span class="cost faint">
      {isMaximum ? "At most " : ""}
      {credits.toLocaleString("en")} {credits === 1 ? "credit" : "credits"}
    </span>
  );
}
