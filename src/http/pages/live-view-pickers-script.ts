/**
 * The part of the live view script that replaces native browser controls: drop-down lists, pickers for dates, times and
 * colours, and file choosers.
 */
export const LIVE_VIEW_PICKERS_SCRIPT = String.raw`
function offer({ label, isMultiple, options }) {
  const list = byId("choices-list");
  byId("choices-title").textContent = label || "Choose";
  let group = "";
  list.replaceChildren();
  options.forEach((option, index) => {
    if (option.group !== group) {
      group = option.group;
      const heading = document.createElement("div");
      heading.className = "group";
      heading.textContent = group;
      list.append(heading);
    }
    const line = document.createElement("label"), box = document.createElement("input");
    box.type = isMultiple ? "checkbox" : "radio";
    box.name = "choice"; box.value = index; box.checked = option.isSelected; box.disabled = option.isDisabled;
    line.append(box, option.label);
    list.append(line);
  });
  const dialog = byId("choices");
  dialog.returnValue = "";
  dialog.showModal();
  list.querySelector("input:checked")?.focus();
}
byId("choices").addEventListener("close", () => {
  if (byId("choices").returnValue !== "yes") return;
  send({ type: "choose", indexes: [...byId("choices-list").querySelectorAll("input:checked")].map((box) => Number(box.value)) });
});

function offerField({ label, kind, value, min, max, step }) {
  const input = byId("field-value"), dialog = byId("field");
  byId("field-title").textContent = label || (kind === "color" ? "Choose a colour" : kind === "time" ? "Choose a time" : "Choose a date");
  input.type = kind;
  Object.assign(input, { min, max, step, value });
  input.setAttribute("aria-label", byId("field-title").textContent);
  dialog.returnValue = "";
  dialog.showModal();
}
byId("field").addEventListener("close", () => {
  if (byId("field").returnValue === "yes") send({ type: "fill", value: byId("field-value").value });
});

const PART_BYTES = 600000, MAX_FILE_BYTES = 100000000;
let openChooser;
function offerFiles(chooser) {
  const dialog = byId("files"), key = chooser ? JSON.stringify(chooser) : undefined;
  if (key === openChooser) return;
  openChooser = key;
  if (!chooser) { if (dialog.open) dialog.close(); return; }
  if (!isDriving) return hint("The page requests a file.");
  byId("files-value").multiple = chooser.isMultiple;
  byId("files-value").accept = chooser.accept;
  byId("files-value").value = "";
  byId("files-title").textContent = chooser.isMultiple ? "Select files" : "Select a file";
  dialog.returnValue = "";
  if (!dialog.open) dialog.showModal();
}
byId("files").addEventListener("close", async () => {
  if (openChooser === undefined) return;
  const files = byId("files").returnValue === "yes" ? [...byId("files-value").files] : [];
  const isTooLarge = files.reduce((sum, file) => sum + file.size, 0) > MAX_FILE_BYTES;
  if (isTooLarge) hint("Uploads are limited to 100 MB.");
  try {
    if (!isTooLarge) for (const file of files) await sendFile(file);
    send({ type: "files", isChosen: files.length > 0 && !isTooLarge });
  } catch {
    hint("The file could not be read.");
    send({ type: "files", isChosen: false });
  }
});
async function sendFile(file) {
  for (let at = 0; at === 0 || at < file.size; at += PART_BYTES) {
    const part = await toBase64(file.slice(at, at + PART_BYTES));
    send({ type: "file", name: file.name.slice(0, 255) || "file", mimeType: file.type.slice(0, 255), part, isLast: at + PART_BYTES >= file.size });
    while (socket.bufferedAmount > 4 * PART_BYTES) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
function toBase64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
`;
