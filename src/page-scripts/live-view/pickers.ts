import type { Choices, Field } from "../../sessions/live-view/view-message.ts";
import { byId } from "../page/by-id.ts";
import { send } from "./connection.ts";

const choicesDialog = byId("choices", HTMLDialogElement);
const choicesList = byId("choices-list");
const fieldDialog = byId("field", HTMLDialogElement);
const fieldInput = byId("field-value", HTMLInputElement);

/** Sends the driver's choices in replacements of native drop-down lists and of pickers for dates, times and colours. */
export function listenToPickers(): void {
  choicesDialog.addEventListener("close", () => {
    if (choicesDialog.returnValue !== "yes") return;
    const checked = choicesList.querySelectorAll<HTMLInputElement>("input:checked");
    send({ type: "choose", indexes: [...checked].map((box) => Number(box.value)) });
  });
  fieldDialog.addEventListener("close", () => {
    if (fieldDialog.returnValue === "yes") send({ type: "fill", value: fieldInput.value });
  });
}

/** Offers the options of a drop-down list. */
export function offerChoices({ label, isMultiple, options }: Choices): void {
  byId("choices-title").textContent = label || "Choose";
  let group = "";
  choicesList.replaceChildren();
  for (const [index, option] of options.entries()) {
    if (option.group !== group) {
      ({ group } = option);
      const heading = document.createElement("div");
      heading.className = "group";
      heading.textContent = group;
      choicesList.append(heading);
    }
    choicesList.append(choiceLine(option, { index, isMultiple }));
  }
  choicesDialog.returnValue = "";
  choicesDialog.showModal();
  choicesList.querySelector<HTMLElement>("input:checked")?.focus();
}

function choiceLine(
  { label, isSelected, isDisabled }: Choices["options"][number],
  { index, isMultiple }: { index: number; isMultiple: boolean },
): HTMLElement {
  const box = document.createElement("input");
  box.type = isMultiple ? "checkbox" : "radio";
  box.name = "choice";
  box.value = String(index);
  box.checked = isSelected;
  box.disabled = isDisabled;
  const line = document.createElement("label");
  line.append(box, label);
  return line;
}

/** Offers a picker for the value of a field. */
export function offerField({ label, kind, value, min, max, step }: Field): void {
  const title = label || defaultTitle(kind);
  byId("field-title").textContent = title;
  fieldInput.type = kind;
  Object.assign(fieldInput, { min, max, step, value });
  fieldInput.setAttribute("aria-label", title);
  fieldDialog.returnValue = "";
  fieldDialog.showModal();
}

function defaultTitle(kind: Field["kind"]): string {
  if (kind === "color") return "Choose a colour";
  return kind === "time" ? "Choose a time" : "Choose a date";
}
