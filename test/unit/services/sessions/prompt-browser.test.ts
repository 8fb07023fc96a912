import { expect, test } from "vitest";
import type { BrowserSessions } from "../../../../src/ports/sessions/browser-session.ts";
import type { LanguageModel, ModelMessage, ModelStep } from "../../../../src/ports/language-model.ts";
import { promptBrowser } from "../../../../src/services/sessions/prompt-browser.ts";

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };
const call = (toolName: string, input: object = {}): ModelStep => ({
  text: "",
  toolCalls: [{ id: `call-${toolName}`, toolName, input }],
  usage: NO_USAGE,
});
const say = (text: string): ModelStep => ({ text, toolCalls: [], usage: NO_USAGE });

/** A model that does one scripted step after the other, the last one again and again; `heard` is what it was told. */
function scripted(steps: ModelStep[]) {
  const heard: (readonly ModelMessage[])[] = [];
  const step = async ({ messages }: { messages: readonly ModelMessage[] }): Promise<ModelStep> => {
    heard.push(messages);
    return steps[Math.min(heard.length - 1, steps.length - 1)] ?? say("");
  };
  return { llm: { step } as unknown as LanguageModel, heard };
}

/** A session that answers every command with its words. */
function session(more: { exitCode?: number; ended?: boolean; stdout?: string } = {}) {
  const commands: string[] = [];
  const command = async (_id: string, { args }: { args: string[] }) => {
    commands.push(args.join(" "));
    if (more.ended === true) return { kind: "ended" as const };
    const stdout = more.stdout ?? `did ${args.join(" ")}`;
    const exitCode = more.exitCode ?? 0;
    return { kind: "done" as const, output: { stdout, stderr: exitCode === 0 ? "" : "no such element", exitCode } };
  };
  return { sessions: { command } as unknown as BrowserSessions, commands };
}

const sleep = () => Promise.resolve();
const request = { sessionId: "s", prompt: "Do it", deadlineMs: 60_000 };

test("does what the model asks for, shows it the page after each action, and gives its last words", async () => {
  const { llm, heard } = scripted([call("click", { element: "@e1" }), call("read"), say("Done it.")]);
  const { sessions, commands } = session();
  const outcome = await promptBrowser({ sessions, llm, now: () => 0, sleep }, request);
  expect(outcome).toEqual({ output: "Done it.", steps: ["click @e1", "get text body"] });
  expect(commands).toEqual(["click @e1", "snapshot -i", "get text body"]);
  expect(heard.at(-1)?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
});

test("tells the model what went wrong, and goes on", async () => {
  const { llm, heard } = scripted([
    call("dance"),
    call("click", {}),
    call("click", { element: "@e9" }),
    say("Cannot."),
  ]);
  const { sessions } = session({ exitCode: 1 });
  const { output, steps } = await promptBrowser({ sessions, llm, now: () => 0, sleep }, request);
  expect(output).toBe("Cannot.");
  expect(steps.at(-1)).toBe("click @e9 (failed)");
  const answers = heard
    .at(-1)
    ?.filter(({ role }) => role === "tool")
    .map((message) => ("text" in message ? message.text : ""));
  expect(answers?.[0]).toContain("there is no tool dance");
  expect(answers?.[1]).toContain("Error");
  expect(answers?.[2]).toContain("no such element");
});

test("ends when its steps are used up", async () => {
  const { llm } = scripted([call("scroll", { direction: "down" })]);
  const outcome = await promptBrowser({ sessions: session().sessions, llm, now: () => 0, sleep }, request);
  expect(outcome.stoppedBy).toBe("steps");
  expect(outcome.steps).toHaveLength(30);
});

test("ends when its time is used up", async () => {
  let nowMs = 0;
  const { llm } = scripted([call("back")]);
  const now = (): number => (nowMs += 5_000);
  const outcome = await promptBrowser({ sessions: session().sessions, llm, now, sleep }, request);
  expect(outcome.stoppedBy).toBe("time");
});

/** A step of so many calls, each with an id of its own. */
const callMany = (count: number): ModelStep => ({
  text: "",
  toolCalls: Array.from({ length: count }, (_, number) => ({ id: `call-${number}`, toolName: "read", input: {} })),
  usage: NO_USAGE,
});

test("runs eight calls of a step, and answers the others with an error", async () => {
  const { llm, heard } = scripted([callMany(100), say("Read.")]);
  const { sessions, commands } = session();
  const outcome = await promptBrowser({ sessions, llm, now: () => 0, sleep }, request);
  expect(outcome.steps).toHaveLength(8);
  expect(commands).toHaveLength(8);
  const answers = heard.at(-1)?.filter(({ role }) => role === "tool") ?? [];
  expect(answers).toHaveLength(100);
  const refused = answers.find((answer) => "callId" in answer && answer.callId === "call-99");
  expect(refused).toMatchObject({ text: expect.stringContaining("8 tool calls at most") });
  expect(answers.at(-1)).toMatchObject({ callId: "call-7" });
});

test("runs no further call of a step when its time is used up", async () => {
  let nowMs = 0;
  const { sessions, commands } = session();
  const slow = {
    command: async (...given: Parameters<BrowserSessions["command"]>) => {
      nowMs += 20_000;
      return await sessions.command(...given);
    },
  } as unknown as BrowserSessions;
  const outcome = await promptBrowser(
    { sessions: slow, llm: scripted([callMany(8)]).llm, now: () => nowMs, sleep },
    request,
  );
  expect(outcome.stoppedBy).toBe("time");
  expect(commands).toHaveLength(3);
});

test("keeps what the model reads within bounds", async () => {
  const { llm, heard } = scripted([...Array.from({ length: 8 }, () => call("read")), say("Read.")]);
  const { sessions } = session({ stdout: "x".repeat(50_000) });
  await promptBrowser({ sessions, llm, now: () => 0, sleep }, request);
  const last = JSON.stringify(heard.at(-1));
  expect(last.length).toBeLessThan(45_000);
  expect(last).toContain("[cut]");
  expect(last).toContain("[shortened]");
});

test("a session that has ended ends the prompt", async () => {
  const { llm } = scripted([call("back")]);
  const { sessions } = session({ ended: true });
  await expect(promptBrowser({ sessions, llm, now: () => 0, sleep }, request)).rejects.toMatchObject({
    code: "BROWSER_SESSION_ENDED",
  });
});

test("a client that has left ends the prompt: no further call is run, and the model is asked no more", async () => {
  const left = new AbortController();
  const { llm, heard } = scripted([callMany(8)]);
  const { sessions, commands } = session();
  const leaving = {
    command: async (...given: Parameters<BrowserSessions["command"]>) => {
      left.abort(new Error("The client has left"));
      return await sessions.command(...given);
    },
  } as unknown as BrowserSessions;
  const running = promptBrowser({ sessions: leaving, llm, now: () => 0, sleep }, { ...request, left: left.signal });
  await expect(running).rejects.toMatchObject({ code: "MODEL_TIMEOUT" });
  expect([heard.length, commands.length]).toEqual([1, 1]);
});

test("a client that leaves ends the call of the model", async () => {
  const left = new AbortController();
  const step = ({ signal }: { signal?: AbortSignal }) =>
    new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
  const llm = { step } as unknown as LanguageModel;
  const tools = { sessions: session().sessions, llm, now: () => 0, sleep };
  const running = promptBrowser(tools, { ...request, left: left.signal });
  left.abort(new Error("The client has left"));
  await expect(running).rejects.toMatchObject({ code: "MODEL_TIMEOUT" });
});

/** A session that refuses commands for some time, and time that passes while they wait. */
function busySession(busyMs: number) {
  let nowMs = 0;
  const { sessions, commands } = session();
  const command = async (...given: Parameters<BrowserSessions["command"]>) =>
    nowMs < busyMs ? { kind: "busy" as const } : await sessions.command(...given);
  const pass = async (ms: number): Promise<void> => void (nowMs += ms);
  return { sessions: { command } as unknown as BrowserSessions, commands, now: () => nowMs, sleep: pass };
}

test("waits while too many other runs of the session wait, and keeps its steps", async () => {
  const { llm } = scripted([call("click", { element: "@e1" }), say("Done it.")]);
  const { commands, ...tools } = busySession(20_000);
  expect(await promptBrowser({ ...tools, llm }, request)).toEqual({ output: "Done it.", steps: ["click @e1"] });
  expect(commands).toEqual(["click @e1", "snapshot -i"]);
});

test("ends with the steps that it has when other runs wait until its time is used up", async () => {
  const { llm } = scripted([{ ...call("read"), text: "I read." }]);
  const { commands, ...tools } = busySession(Infinity);
  expect(await promptBrowser({ ...tools, llm }, request)).toEqual({ output: "I read.", steps: [], stoppedBy: "time" });
  expect(commands).toEqual([]);
});

test("waits for no session when its client has left", async () => {
  const leaving = new AbortController();
  const { commands: _, ...tools } = busySession(Infinity);
  const sleep = async (): Promise<void> => leaving.abort();
  const asked = promptBrowser(
    { ...tools, sleep, llm: scripted([call("read")]).llm },
    { ...request, left: leaving.signal },
  );
  await expect(asked).rejects.toMatchObject({ code: "MODEL_TIMEOUT" });
});
