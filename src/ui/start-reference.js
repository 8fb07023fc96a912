// Runs on /docs, after Scalar's own script. Nothing is asked of anybody but this service.
globalThis.Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  defaultOpenAllTags: false,
  authentication: { preferredSecurityScheme: "bearer" },
});
