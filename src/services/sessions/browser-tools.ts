import { z } from "zod";
import type { KnownAddresses } from "../../jobs/research/known-addresses.ts";
import type { JsonSchemaObject, ModelTool, ModelToolCall } from "../../ports/language-model.ts";

/** A tool call, as a command of `agent-browser`. */
export type ToolCommand =
  | { kind: "command"; args: string[]; changesPage: boolean; shown: string }
  | { kind: "invalid"; message: string }
  /** The model wants to open a URL that neither the user nor a page has named. */
  | { kind: "unknown_address" };

interface Tool {
  description: string;
  input: z.ZodType;
  changesPage: boolean;
  args(input: Record<string, string>): string[];
}

const element = z.string().min(1).describe("A reference such as @e1, or a CSS selector");
const nothing = z.object({});

/** Tools of the model. Every value is a string, so that `args` does not distinguish types. */
const TOOLS: Record<string, Tool> = {
  open: {
    description: "Go to an address",
    input: z.object({ url: z.string().min(1) }),
    changesPage: true,
    args: ({ url = "" }) => ["open", url],
  },
  snapshot: {
    description: "See the whole page as its accessibility tree, with references",
    input: nothing,
    changesPage: false,
    args: () => ["snapshot", "-c"],
  },
  read: {
    description: "Read the text of the page, or of one element",
    input: z.object({ element: element.optional() }),
    changesPage: false,
    args: ({ element = "body" }) => ["get", "text", element],
  },
  click: {
    description: "Click an element",
    input: z.object({ element }),
    changesPage: true,
    args: ({ element = "" }) => ["click", element],
  },
  fill: {
    description: "Replace the value of a field",
    input: z.object({ element, text: z.string() }),
    changesPage: true,
    args: ({ element = "", text = "" }) => ["fill", element, text],
  },
  press: {
    description: "Press a key, such as Enter or Escape",
    input: z.object({ key: z.string().min(1) }),
    changesPage: true,
    args: ({ key = "" }) => ["press", key],
  },
  select: {
    description: "Choose an option of a list, by its value or label",
    input: z.object({ element, option: z.string() }),
    changesPage: true,
    args: ({ element = "", option = "" }) => ["select", element, option],
  },
  hover: {
    description: "Move the mouse onto an element",
    input: z.object({ element }),
    changesPage: true,
    args: ({ element = "" }) => ["hover", element],
  },
  scroll: {
    description: "Scroll the page",
    input: z.object({ direction: z.enum(["up", "down"]) }),
    changesPage: true,
    args: ({ direction = "down" }) => ["scroll", direction],
  },
  wait: {
    description: "Wait until a text appears",
    input: z.object({ text: z.string().min(1) }),
    changesPage: true,
    args: ({ text = "" }) => ["wait", "--text", text, "--timeout", "10000"],
  },
  back: { description: "Go back to the previous page", input: nothing, changesPage: true, args: () => ["back"] },
  tabs: { description: "List the open tabs", input: nothing, changesPage: false, args: () => ["tab", "list"] },
  switch_tab: {
    description: "Go to another tab, by its number in the list",
    input: z.object({ number: z.string() }),
    changesPage: true,
    args: ({ number = "" }) => ["tab", number],
  },
};

/** Tools in the form that is sent to the model. */
export const BROWSER_TOOLS: ModelTool[] = Object.entries(TOOLS).map(([name, { description, input }]) => ({
  name,
  description,
  // A JSON Schema is an object.
  inputSchema: z.toJSONSchema(input) as JsonSchemaObject,
}));

/**
 * @param known URLs that the user has named, or that a page has shown. Others are not opened: a page could have
 * instructed the model to send data out in one.
 */
export function toCommand({ toolName, input }: ModelToolCall, known: KnownAddresses): ToolCommand {
  const tool = Object.hasOwn(TOOLS, toolName) ? TOOLS[toolName] : undefined;
  if (tool === undefined) return { kind: "invalid", message: `there is no tool ${toolName}` };
  const parsed = tool.input.safeParse(input ?? {});
  if (!parsed.success) return { kind: "invalid", message: z.prettifyError(parsed.error) };
  // Every schema above describes an object of texts.
  const fields = parsed.data as Record<string, string>;
  if (toolName === "open") {
    const url = known.site(fields["url"] ?? "");
    if (url === undefined) return { kind: "unknown_address" };
    fields["url"] = url;
  }
  const args = tool.args(fields);
  return { kind: "command", args, changesPage: tool.changesPage, shown: args.join(" ") };
}
