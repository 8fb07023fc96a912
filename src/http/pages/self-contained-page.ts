/** A page with inline style and script that loads no other resources. */
export interface SelfContainedPage {
  title: string;
  style: string;
  /** A classic script that runs after the markup. */
  script: string;
  /** The HTML of `body`. */
  markup: string;
}

export interface RenderedPage {
  html: string;
  headers: Record<string, string>;
}

/**
 * Renders a page with a Content-Security-Policy that allows only its own style and script (CSP 3, hashes § 8.4) and
 * connections to the service. Its URL holds a token, so it sends no referrer. Other sites may embed it in a frame.
 */
export async function renderPage({ title, style, script, markup }: SelfContainedPage): Promise<RenderedPage> {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${markup}
<script>${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src '${await sha256Source(script)}'`,
    `style-src '${await sha256Source(style)}'`,
    "img-src data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return {
    html,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    },
  };
}

async function sha256Source(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
