import { ISOLATE_FLAGS } from "../../../src/tools/wrangler.ts";

/** Imported before wrangler: neither usage data nor questions about the machine's place leave it. Memory as in service. */
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
process.env["WRANGLER_SEND_METRICS"] = "false";
process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= ISOLATE_FLAGS;
