// Runs on /docs, after Swagger UI's own script. It sends requests to this service only.
globalThis.SwaggerUIBundle({
  dom_id: "#reference",
  url: "/openapi.json",
  validatorUrl: null,
  // Gives each operation the URL /docs#/<tag>/<operationId>, which the dashboard links to.
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
});
