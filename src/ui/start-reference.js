// Runs on /docs, after Swagger UI's own script. It asks nobody but this service for anything.
globalThis.SwaggerUIBundle({
  dom_id: "#reference",
  url: "/openapi.json",
  validatorUrl: null,
  // Each operation's address is /docs#/<tag>/<operationId>, which the dashboard links to.
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
});
