import { AppError } from "../../core/errors.ts";
import { refuseUrl } from "../../core/url/outbound-policy.ts";
import type { Deps } from "../deps.ts";

/**
 * Refuses a webhook whose events could not be delivered: an address or a name that is private, the service itself, or
 * credentials in the URL. Names are not resolved here; each delivery checks the addresses that its name resolves to.
 * @param value the option in the request: a URL or an object with a URL.
 * @throws AppError BAD_REQUEST that names the field.
 */
export function assertPublicWebhook(
  { settings }: Pick<Deps, "settings">,
  value: string | { url: string } | null | undefined,
): void {
  if (value === undefined || value === null) return;
  const isText = typeof value === "string";
  const refusal = refuseUrl(isText ? value : value.url, settings);
  if (refusal === undefined) return;
  const path = isText ? ["webhook"] : ["webhook", "url"];
  const message = `${path.join(".")}: ${refusal.reason}`;
  throw new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path, message }] });
}
