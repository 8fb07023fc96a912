import { commandKey } from "./command.ts";
import type { SessionTraffic } from "./session-traffic.ts";
import { isShownTarget, type TargetSummary } from "./shown-target.ts";

interface TargetEventsOptions {
  /** Resolves when the guard intercepts a target's requests, after navigating it to `url`; false for hidden targets. */
  whenIntercepted(targetId: string, url?: string): Promise<boolean>;
  /** Sends a command of the relay. */
  toBrowser(text: string): void;
  /** Counts the targets that the driver is attached to, with those of the session's other drivers. */
  traffic: Pick<SessionTraffic, "countAttached">;
  /** Called when the browser has attached the driver to more targets than a session may have. */
  onTooMany(): void;
}

interface TargetInfo extends TargetSummary {
  targetId: string;
}

/** Fields of the browser's messages that are read here. */
interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: { sessionId?: string; targetInfo?: TargetInfo };
  result?: { targetId?: string; targetInfo?: TargetInfo; targetInfos?: TargetInfo[] };
}

/** Types of targets that load nothing themselves; the guard is not attached to them. */
const EMPTY_TYPES = new Set(["browser", "tab"]);
const MAX_OPENING = 1_000;

/**
 * Filters the browser's target events for a driver: drops those of hidden targets, and delays the others until the
 * guard intercepts the target's requests. One instance per connection.
 */
export class TargetEvents {
  readonly #options: TargetEventsOptions;
  /** Pending commands that open tabs, with the URLs of the tabs. */
  readonly #opening = new Map<string, { url: string; refusal: string }>();
  /** Sessions of targets that the driver may not see. */
  readonly #hidden = new Set<string>();
  /** Sessions of all targets that the driver is attached to, with the sessions through which it is. */
  readonly #attached = new Map<string, string | undefined>();
  #lastId = 0;

  constructor(options: TargetEventsOptions) {
    this.#options = options;
  }

  /** Records a command that opens a tab. @returns false when a command with its id is pending or too many are */
  opening({ key, url, refusal }: { key: string; url: string; refusal: string }): boolean {
    if (this.#opening.has(key) || this.#opening.size >= MAX_OPENING) return false;
    this.#opening.set(key, { url, refusal });
    return true;
  }

  /** Forgets the targets that the driver is attached to, at the end of its connection. */
  forget(): void {
    this.#options.traffic.countAttached(-this.#attached.size);
    this.#attached.clear();
  }

  /** Returns a browser message as sent to the driver, possibly delayed; undefined for one that is dropped. */
  shown(text: string): string | undefined | Promise<string | undefined> {
    const isAboutTargets = text.includes('"Target.') || text.includes('"targetInfo') || text.includes('"id":-');
    if (!isAboutTargets && this.#opening.size === 0 && this.#hidden.size === 0) return text;
    const message = JSON.parse(text) as Message;
    if (message.sessionId !== undefined && this.#hidden.has(message.sessionId)) return undefined;
    if (message.id !== undefined) return message.id < 0 ? undefined : this.#answer(text, message);
    return this.#event(text, message);
  }

  #event(text: string, { method, params, sessionId }: Message): string | undefined | Promise<string | undefined> {
    const { targetInfo, sessionId: attached } = params ?? {};
    switch (method) {
      case "Target.targetCreated":
      case "Target.targetInfoChanged":
        return targetInfo === undefined || isShownTarget(targetInfo) ? text : undefined;
      case "Target.detachedFromTarget":
        if (attached !== undefined) this.#detach(attached);
        return attached !== undefined && this.#hidden.delete(attached) ? undefined : text;
      case "Target.attachedToTarget":
        if (targetInfo === undefined || attached === undefined) return undefined;
        if (!this.#attach(attached, sessionId)) return undefined;
        if (!isShownTarget(targetInfo)) return this.#hide(attached, sessionId);
        if (EMPTY_TYPES.has(targetInfo.type)) return text;
        return this.#options
          .whenIntercepted(targetInfo.targetId)
          .then((isAdmitted) => (isAdmitted ? text : this.#hide(attached, sessionId)));
      default:
        return text;
    }
  }

  /** Counts a further target. @returns false when there are too many */
  #attach(attached: string, parent: string | undefined): boolean {
    const { traffic, onTooMany } = this.#options;
    if (!this.#attached.has(attached) && !traffic.countAttached(1)) {
      traffic.countAttached(-1);
      onTooMany();
      return false;
    }
    this.#attached.set(attached, parent);
    return true;
  }

  /** Takes off a target, and those that the driver is attached to through it: the browser does not report these. */
  #detach(gone: string): void {
    if (this.#attached.delete(gone)) this.#options.traffic.countAttached(-1);
    for (const [attached, parent] of this.#attached) if (parent === gone) this.#detach(attached);
  }

  #answer(text: string, message: Message): string | undefined | Promise<string | undefined> {
    const { id = 0, sessionId, result } = message;
    const key = commandKey({ id, sessionId });
    const opened = this.#opening.get(key);
    if (opened !== undefined) {
      this.#opening.delete(key);
      return result?.targetId === undefined ? text : this.#opened(text, result.targetId, opened);
    }
    if (result?.targetInfos !== undefined) {
      return JSON.stringify({
        ...message,
        result: { ...result, targetInfos: result.targetInfos.filter(isShownTarget) },
      });
    }
    if (result?.targetInfo === undefined || isShownTarget(result.targetInfo)) return text;
    return JSON.stringify({ id, error: { code: -32602, message: "No target with given id found" }, sessionId });
  }

  async #opened(text: string, targetId: string, { url, refusal }: { url: string; refusal: string }): Promise<string> {
    if (await this.#options.whenIntercepted(targetId, url)) return text;
    this.#send("Target.closeTarget", { targetId }, undefined);
    return refusal;
  }

  /** Detaches the driver from a target, so that a paused target does not wait for it. */
  #hide(attached: string, parent: string | undefined): undefined {
    this.#hidden.add(attached);
    this.#send("Target.detachFromTarget", { sessionId: attached }, parent);
  }

  #send(method: string, params: object, sessionId: string | undefined): void {
    this.#options.toBrowser(JSON.stringify({ id: --this.#lastId, method, params, sessionId }));
  }
}
