// Runs on /docs, after Swagger UI's own script. It sends requests to this service only.
const DESCRIPTION = "/openapi.json";

/**
 * Reads the description as JSON, and resolves its references, which are all local. Swagger UI reads it as YAML, and
 * normalizes the whole of it for each operation that is opened: seconds, every time.
 */
const readsFaster = () => ({
  fn: {
    resolveSubtree: async (spec, path) => ({ spec: resolveIn(spec, valueAt(spec, path)), errors: [] }),
  },
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson: (parse, system) => (text) => {
          try {
            return system.specActions.updateJsonSpec(JSON.parse(text));
          } catch {
            return parse(text);
          }
        },
      },
    },
  },
});

function valueAt(spec, path) {
  return path.reduce((value, name) => value?.[name], spec);
}

/**
 * Returns a value with its references resolved; those to a schema that they are part of remain.
 * @param {readonly string[]} within References that the value is part of.
 */
function resolveIn(spec, value, within = []) {
  if (Array.isArray(value)) return value.map((item) => resolveIn(spec, item, within));
  if (typeof value !== "object" || value === null) return value;
  const { $ref: reference } = value;
  if (typeof reference !== "string") {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolveIn(spec, inner, within)]));
  }
  const path = reference.split("/").slice(1);
  const target = reference.startsWith("#/") && !within.includes(reference) ? valueAt(spec, path) : undefined;
  return target === undefined ? value : { title: path.at(-1), ...resolveIn(spec, target, [...within, reference]) };
}

/** Shows the path of an operation as text: a link has no place in the button that opens the operation. */
const namesWithoutLinks = ({ React }) => ({
  wrapComponents: {
    DeepLink: (Link) => (about) =>
      about.path?.includes("/") === true
        ? React.createElement("span", { className: "nostyle" }, React.createElement("span", null, about.text))
        : React.createElement(Link, about),
  },
});

/** Follows the theme of the dashboard, and the system's without one. */
function followTheme() {
  let theme = null;
  try {
    theme = JSON.parse(localStorage.getItem("orbweaver.theme") ?? "null");
  } catch {
    // The storage is disabled, or holds something else.
  }
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  const isDark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.toggle("dark-mode", isDark);
}
followTheme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", followTheme);

let markLoaded;
/** Resolves when the description is there: before that, Swagger UI forgets the key that it is given. */
const loaded = new Promise((resolve) => (markLoaded = resolve));
const reference = globalThis.SwaggerUIBundle({
  onComplete: () => markLoaded(),
  dom_id: "#reference",
  url: DESCRIPTION,
  validatorUrl: null,
  plugins: [readsFaster, namesWithoutLinks],
  responseInterceptor: (response) => {
    if (response.ok && new URL(response.url, location.href).pathname === DESCRIPTION) listEndpoints(response.text);
    return response;
  },
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

/**
 * Lists all endpoints beside the reference, which draws only those near the window.
 * @param {string} text The OpenAPI document.
 */
function listEndpoints(text) {
  const { tags, paths } = JSON.parse(text);
  const groups = new Map(tags.map(({ name }) => [name, []]));
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { tags: [tag] = [], operationId, summary }] of Object.entries(methods)) {
      const link = document.createElement("a");
      link.href = `#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`;
      link.title = summary;
      const name = document.createElement("span");
      name.textContent = method.toUpperCase();
      link.append(name, ` ${path}`);
      const item = document.createElement("li");
      item.append(link);
      groups.get(tag)?.push(item);
    }
  }
  const parts = [...groups].flatMap(([tag, items]) => {
    const heading = document.createElement("h2");
    heading.textContent = tag;
    const list = document.createElement("ul");
    list.append(...items);
    return [heading, list];
  });
  document.querySelector("#endpoint-list")?.replaceChildren(...parts);
  markEndpoint();
}

function markEndpoint() {
  for (const link of document.querySelectorAll("#endpoint-list a")) {
    if (link.hash === location.hash) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Opens the operation that the URL names, as Swagger UI does when the page is loaded. */
function openEndpoint() {
  reference.layoutActions.parseDeepLinkHash(decodeURIComponent(location.hash));
  markEndpoint();
}

const endpoints = document.querySelector("#endpoints");
if (endpoints !== null) endpoints.open = matchMedia("(min-width: 68rem)").matches;
addEventListener("hashchange", openEndpoint);
document.querySelector("#endpoint-list")?.addEventListener("click", ({ target }) => {
  // Without a change of the URL, such as after the operation was closed, there is no other event.
  if (target instanceof Element && target.closest("a")?.hash === location.hash) openEndpoint();
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
  await loaded;
  reference.preauthorizeApiKey("bearer", key);
  state.textContent = `Requests of this page use the key ${key.slice(0, 7)}…`;
});

/** Gives names to the controls that Swagger UI leaves without one, and lets keys scroll texts, whenever it draws them. */
function completeControls() {
  for (const text of document.querySelectorAll("#reference pre.microlight:not([tabindex])")) text.tabIndex = 0;
  for (const control of document.querySelectorAll("#reference :is(select, input, textarea):not([aria-label])")) {
    const row = control.closest("tr, .opblock-section-request-body, .servers, .filter");
    const label = row?.querySelector(".parameter__name, .opblock-section-header h4")?.textContent?.trim();
    const kind = control.matches("select") ? "Choice" : "Value";
    control.setAttribute("aria-label", (control.id === "servers" && "Server") || label || control.placeholder || kind);
  }
}
new MutationObserver(completeControls).observe(document.querySelector("#reference"), {
  childList: true,
  subtree: true,
});
