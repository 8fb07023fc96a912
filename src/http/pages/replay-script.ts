/** The player script: loads segments on demand and shows their frames at the right time. */
export const REPLAY_SCRIPT = String.raw`
const byId = (id) => document.getElementById(id);
const canvas = byId("canvas"), stage = byId("stage"), seek = byId("seek");
const context = canvas.getContext("2d", { alpha: false });
const place = new URL(location.href);
const base = place.pathname.replace(/\/$/, "");
const query = "?token=" + encodeURIComponent(place.searchParams.get("token") || "");

let recording, parts = [], startMs = 0, lengthMs = 0, position = 0, isPlaying = false, lastTick = 0, drawn, latestRequest = 0;
let entries = [], rows = [], picture = { width: 0, height: 0 };
const loaded = new Map();
const MAX_LOADED = 12;

function cover(title, text) {
  byId("cover").hidden = title === undefined;
  if (title === undefined) return;
  byId("cover-title").textContent = title;
  byId("cover-text").textContent = text;
  byId("status").textContent = title + ". " + text;
}

function badge(kind, text) { byId("badge").className = "badge " + kind; byId("badge").textContent = text; }

function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000)), rest = String(seconds % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes >= 60 ? Math.floor(minutes / 60) + ":" + String(minutes % 60).padStart(2, "0") + ":" + rest : minutes + ":" + rest;
}

async function start() {
  const answer = await fetch(base + "/recording" + query);
  if (!answer.ok) {
    badge("bad", "Not found");
    if (answer.status === 403) return cover("Invalid link", "The token is invalid or has expired.");
    return cover("Recording not found", "It may have expired or was not stored.");
  }
  recording = await answer.json();
  recording.pages.forEach((page, pageId) => page.segments.forEach((part, index) => parts.push({ ...part, page, pageId, index })));
  parts.sort((a, b) => a.startMs - b.startMs);
  badge(recording.endedMs === null ? "good" : "", recording.endedMs === null ? "Recording in progress" : "Recorded" + (recording.isTruncated ? " (truncated)" : ""));
  byId("har").href = base + "/network.har" + query;
  loadRequests();
  if (parts.length === 0) return cover("No frames", "This recording has no frames yet.");
  startMs = parts[0].startMs;
  lengthMs = Math.max(...parts.map((part) => part.endMs)) - startMs;
  seek.max = String(lengthMs);
  for (const id of ["seek", "play", "back", "forward"]) byId(id).disabled = false;
  drawMarks();
  cover(undefined);
  await show(0);
}

function drawMarks() {
  const share = (ms) => (100 * ms) / Math.max(1, lengthMs) + "%";
  const marks = recording.pages.filter((page) => page.segments.length > 0).map((page) => {
    const mark = document.createElement("i");
    mark.style.left = share(page.startMs - startMs);
    mark.style.width = share(page.endMs - page.startMs);
    return mark;
  });
  const passed = document.createElement("b");
  passed.id = "passed";
  byId("marks").replaceChildren(...marks, passed);
}

/** Returns the frames of a fragment with their times (ISO/IEC 14496-12: moof, traf, trun; then mdat). */
function picturesIn(buffer) {
  const view = new DataView(buffer);
  const find = (name, from, to) => {
    for (let at = from; at + 8 <= to; at += view.getUint32(at)) {
      const type = String.fromCharCode(...new Uint8Array(buffer, at + 4, 4));
      if (type === name) return { at: at + 8, end: at + view.getUint32(at) };
      if (view.getUint32(at) < 8) break;
    }
  };
  const moof = find("moof", 0, buffer.byteLength), traf = find("traf", moof.at, moof.end), run = find("trun", traf.at, traf.end);
  const count = view.getUint32(run.at + 4);
  let from = view.getUint32(run.at + 8), atMs = 0;
  const pictures = [];
  for (let i = 0; i < count; i++) {
    const durationMs = view.getUint32(run.at + 12 + i * 8), size = view.getUint32(run.at + 16 + i * 8);
    pictures.push({ atMs, blob: new Blob([new Uint8Array(buffer, from, size)], { type: "image/jpeg" }) });
    from += size;
    atMs += durationMs;
  }
  return pictures;
}

function load(part) {
  const key = part.pageId + "/" + part.index;
  let loading = loaded.get(key);
  if (loading) { loaded.delete(key); loaded.set(key, loading); return loading; }
  loading = fetch(base + "/film/" + key + ".m4s" + query).then((answer) => {
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.arrayBuffer();
  }).then(picturesIn);
  loading.catch(() => loaded.delete(key));
  loaded.set(key, loading);
  if (loaded.size > MAX_LOADED) loaded.delete(loaded.keys().next().value);
  return loading;
}

function partAt(ms) {
  let found = parts[0];
  for (const part of parts) if (part.startMs <= ms) found = part; else break;
  return found;
}

async function show(ms) {
  position = Math.min(lengthMs, Math.max(0, ms));
  const atMs = startMs + position, part = partAt(atMs), request = ++latestRequest;
  showTime();
  let pictures;
  try { pictures = await load(part); } catch { return badge("bad", "Segment not loaded"); }
  const next = parts[parts.indexOf(part) + 1];
  if (next) load(next).catch(() => undefined);
  if (request !== latestRequest) return;
  let picture = pictures[0];
  for (const one of pictures) if (part.startMs + one.atMs <= atMs) picture = one; else break;
  if (picture === drawn) return;
  drawn = picture;
  const bitmap = await createImageBitmap(picture.blob);
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) { canvas.width = bitmap.width; canvas.height = bitmap.height; }
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  canvas.dataset.pictures = Number(canvas.dataset.pictures || 0) + 1;
  showPage(part.page);
  if (canvas.hidden) { canvas.hidden = false; fit(); }
}

function showPage(page) {
  const title = page.title || page.url;
  byId("title").textContent = title;
  byId("where").textContent = page.url;
  document.title = title + " \u2013 Recording";
  canvas.setAttribute("aria-label", "Recorded page: " + title);
  if (picture.width !== page.width || picture.height !== page.height) { picture = page; fit(); }
}

function showTime() {
  seek.value = String(Math.round(position));
  seek.setAttribute("aria-valuetext", clock(position) + " of " + clock(lengthMs));
  byId("time").value = clock(position) + " / " + clock(lengthMs);
  byId("passed").style.width = (100 * position) / Math.max(1, lengthMs) + "%";
  showRequestsAt();
}

function fit() {
  if (!picture.width) return;
  const style = getComputedStyle(stage);
  const wide = stage.clientWidth - 2 * parseFloat(style.paddingLeft), high = stage.clientHeight - 2 * parseFloat(style.paddingTop);
  const scale = Math.min(wide / picture.width, high / picture.height, 2);
  canvas.style.width = Math.max(1, Math.round(picture.width * scale)) + "px";
  canvas.style.height = Math.max(1, Math.round(picture.height * scale)) + "px";
}

function play(shouldPlay) {
  if (shouldPlay && position >= lengthMs) position = 0;
  isPlaying = shouldPlay;
  const button = byId("play");
  button.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  button.title = isPlaying ? "Pause" : "Play";
  button.querySelector("path").setAttribute("d", isPlaying ? "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z" : "M7 4.5v15l12-7.5z");
  lastTick = performance.now();
  if (isPlaying) requestAnimationFrame(tick);
}

async function tick(now) {
  if (!isPlaying) return;
  const next = position + (now - lastTick) * Number(byId("speed").value);
  lastTick = now;
  await show(next);
  if (position >= lengthMs) return play(false);
  requestAnimationFrame(tick);
}

async function loadRequests() {
  const answer = await fetch(base + "/network.har" + query);
  if (answer.ok) entries = (await answer.json()).log.entries;
  entries.sort((a, b) => a.startedDateTime.localeCompare(b.startedDateTime));
  rows = entries.slice(0, 5000).map((entry) => {
    const item = document.createElement("li"), button = document.createElement("button");
    const at = Date.parse(entry.startedDateTime) - (startMs || recording.startedMs);
    const cell = (name, text) => { const span = document.createElement("span"); span.className = name; span.textContent = text; return span; };
    const url = URL.parse(entry.request.url);
    const status = entry.response.status;
    const kind = status === 0 || status >= 400 ? " bad" : status >= 300 ? " warn" : "";
    const name = url ? (url.pathname.split("/").filter(Boolean).pop() || url.host) + url.search : entry.request.url;
    button.type = "button";
    button.append(cell("at", clock(at)), cell("status" + kind, status || "failed"), cell("name", (entry.request.method === "GET" ? "" : entry.request.method + " ") + name), cell("took", Math.round(entry.time) + " ms"));
    button.title = entry.request.method + " " + entry.request.url + (entry.response._error ? " \u2013 " + entry.response._error : "");
    button.onclick = () => show(at);
    item.append(button);
    return { item, at, text: button.title.toLowerCase() };
  });
  byId("requests").replaceChildren(...rows.map((row) => row.item));
  byId("none").hidden = rows.length > 0;
  showRequestsAt();
}

function showRequestsAt() {
  for (const row of rows) {
    row.item.classList.toggle("later", row.at > position);
    row.item.classList.toggle("now", row.at <= position && row.at > position - 1000);
  }
}

byId("filter").oninput = () => {
  const text = byId("filter").value.toLowerCase();
  for (const row of rows) row.item.hidden = !row.text.includes(text);
  byId("none").hidden = rows.some((row) => !row.item.hidden);
};
byId("toggle").onclick = () => {
  const network = byId("network");
  network.hidden = !network.hidden;
  byId("toggle").setAttribute("aria-pressed", String(!network.hidden));
  fit();
};
byId("play").onclick = () => play(!isPlaying);
byId("back").onclick = () => show(position - 5000);
byId("forward").onclick = () => show(position + 5000);
seek.oninput = () => show(Number(seek.value));
seek.onkeydown = (event) => {
  const step = { ArrowLeft: -1000, ArrowDown: -1000, ArrowRight: 1000, ArrowUp: 1000, PageUp: 10000, PageDown: -10000 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  show(position + step);
};
addEventListener("keydown", (event) => {
  if (event.key !== " " || event.target.closest("input, button, select, a")) return;
  event.preventDefault();
  play(!isPlaying);
});
new ResizeObserver(fit).observe(stage);
start().catch(() => cover("The recording could not be loaded", "Reload the page to try again."));
`;
