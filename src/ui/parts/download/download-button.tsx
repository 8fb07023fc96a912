import { Icon } from "../icon.tsx";
import { saveFile } from "./save-file.ts";

interface DownloadProps {
  /** The content, or a function that returns it when the button is pressed. */
  content: string | (() => string);
  file: string;
  type?: string;
  label?: string;
}

/** A button that saves a text as a file. */
export function DownloadButton({ content, file, type = "text/plain", label = "Download" }: DownloadProps) {
  const save = (): void => saveFile(typeof content === "string" ? content : content(), file, type);
  return (
    <button type="button" class="button button-quiet" title={file} onClick={save}>
      <Icon name="download" /> {label}
    </button>
  );
}
