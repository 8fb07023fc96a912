// Runs on /docs, after Swagger UI's own script. It sends requests to this service only.
const reference = globalThis.SwaggerUIBundle({
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

const KEY_NAME = "orbweaver.keys";
const KEY = /^fc-[0-9a-f]{32}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const WAIT_MS = 400;

/** Returns the key that the dashboard has stored in this tab or this browser. */
function storedKey() {
  for (const storage of [sessionStorage, localStorage]) {
    try {
      const { key } = JSON.parse(storage.getItem(KEY_NAME) ?? "{}") ?? {};
      if (typeof key === "string" && KEY.test(key)) return key;
    } catch {
      // The storage is disabled, or holds something else.
    }
  }
  return undefined;
}

/** Requests the key from the dashboard's open tabs, which are of this origin. */
function keyOfOtherTab() {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(KEY_NAME);
    const send = channel.postMessage.bind(channel);
    const finish = (key) => {
      channel.close();
      resolve(key);
    };
    const timer = setTimeout(finish, WAIT_MS, undefined);
    channel.addEventListener("message", ({ data }) => {
      const key = data?.type === "keys" ? data.keys?.key : undefined;
      if (typeof key !== "string" || !KEY.test(key)) return;
      clearTimeout(timer);
      finish(key);
    });
    send({ type: "request" });
  });
}

const button = document.querySelector("#use-key");
const state = document.querySelector("#key-state");
button?.addEventListener("click", async () => {
  const key = storedKey() ?? (await keyOfOtherTab());
  if (key === undefined) {
    state.textContent = "Sign in to the dashboard first, then try again.";
    return;
  }
  reference.preauthorizeApiKey("bearer", key);
  state.textContent = `Requests of this page use the key ${key.slice(0, 7)}…`;
});

/** Gives names to the controls that Swagger UI leaves without one, whenever it draws them. */
function nameControls() {
  for (const control of document.querySelectorAll("#reference :is(select, input, textarea):not([aria-label])")) {
    const row = control.closest("tr, .opblock-section-request-body, .servers, .filter");
    const label = row?.querySelector(".parameter__name, .opblock-section-header h4")?.textContent?.trim();
    const kind = control.matches("select") ? "Choice" : "Value";
    control.setAttribute("aria-label", (control.id === "servers" && "Server") || label || control.placeholder || kind);
  }
}
new MutationObserver(nameControls).observe(document.querySelector("#reference"), { childList: true, subtree: true });
