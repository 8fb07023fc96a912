/** Imported before wrangler: neither usage data nor questions about the machine's place leave it. */
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";
process.env["WRANGLER_SEND_METRICS"] = "false";
