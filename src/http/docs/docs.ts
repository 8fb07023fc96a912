import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../context.ts";

/** Swagger UI sets styles inline and has images in `data:` URLs; everything else is loaded from this service only. */
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** The scripts are built with the dashboard (`tools/build/build-ui.ts`): Swagger UI, and the few lines that start it. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Orbweaver: reference</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="/assets/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/assets/reference.css" />
    <link rel="stylesheet" href="/assets/start-reference.css" />
  </head>
  <body>
    <header>
      <nav aria-label="Documentation">
        <a href="/docs/">Guides</a>
        <a href="/">Dashboard</a>
        <a href="/openapi.json">OpenAPI document</a>
      </nav>
      <form action="/docs/" role="search">
        <label>Search the guides <input type="search" name="q" /></label>
      </form>
      <button type="button" id="use-key">Use my dashboard key</button>
      <span id="key-state" role="status"></span>
    </header>
    <div class="columns">
      <details id="endpoints">
        <summary>Endpoints</summary>
        <nav id="endpoint-list" aria-label="Endpoints"></nav>
      </details>
      <div id="reference"></div>
    </div>
    <noscript>The reference requires JavaScript. The same description is in /openapi.json.</noscript>
    <script src="/assets/reference.js"></script>
    <script src="/assets/start-reference.js"></script>
  </body>
</html>
`;

/** Serves `/docs`: the OpenAPI document as an interactive page. */
export function docs(app: OpenAPIHono<AppEnv>): void {
  app.get("/docs", (c) => c.body(PAGE, 200, HEADERS));
}
