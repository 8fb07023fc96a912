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
    <link rel="stylesheet" href="/assets/reference.css" />
    <style>
      nav {
        padding: 0.75rem 1.25rem;
        font: 1rem/1.5 system-ui, sans-serif;
      }
      nav {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 1rem;
        align-items: center;
      }
      nav :is(button, input) {
        font: inherit;
      }
    </style>
  </head>
  <body>
    <nav aria-label="Documentation">
      <a href="/docs/">Guides</a>
      <a href="/">Dashboard</a>
      <form action="/docs/" role="search">
        <label>Search the guides <input type="search" name="q" /></label>
      </form>
      <button type="button" id="use-key">Use my dashboard key</button>
      <span id="key-state" role="status"></span>
    </nav>
    <div id="reference"></div>
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
