import { Budget } from "../waits/budget.ts";

/** Connections of clients to a session at a time; some clients open one for each tab. */
const MAX_CONNECTIONS = 150;
/**
 * Attachments to targets that the clients of a session have: beyond the first number they may not ask for another, and beyond
 * the second not have one by themselves, as of frames and of tabs that open.
 */
const MAX_ASKED = 1_000;
const MAX_ATTACHED = 2_000;

/**
 * Messages of a browser to the clients of its session: those that may come at once, and those in a second. A message takes
 * some 40 µs of processor. Sockets cannot be read more slowly: what a browser sends is handled in one piece, however long it takes.
 */
const MESSAGES_AT_ONCE = 8_000;
const MESSAGES_PER_SECOND = 4_000;
/** The most time between two messages in a stream that counts: on a busy machine more passes, and less is done in it. */
const TURN_MS = 25;
/** Bytes of these messages. */
const BYTES_AT_ONCE = 256_000_000;
const BYTES_PER_SECOND = 64_000_000;

/** Bytes sent to the clients of a session that none of them may have read, and those that count as read in a second. */
const MAX_UNREAD = 128_000_000;
const READ_PER_SECOND = 64_000;

/**
 * Messages at once and in a second of all sessions of an isolate. Bytes are as many as those of one session. Beyond these, a
 * session is refused that has used up its part of its own budgets: one whose browser sends little is never refused for others.
 */
const ALL_MESSAGES_AT_ONCE = 10_000;
const ALL_MESSAGES_PER_SECOND = 5_000;
const MESSAGES_PART = 1 / 2;
const BYTES_PART = 1 / 4;
/** Bytes sent to clients that have left count as read after a while. */
const ALL_READ_PER_SECOND = 1_000_000;

/** The budgets that all sessions of an isolate share. */
export class AllTraffic {
  readonly messages = new Budget({
    most: ALL_MESSAGES_AT_ONCE,
    perSecond: ALL_MESSAGES_PER_SECOND,
    mostMs: TURN_MS,
  });
  readonly bytes = new Budget({ most: BYTES_AT_ONCE, perSecond: BYTES_PER_SECOND });
  readonly unread = new Budget({ most: MAX_UNREAD, perSecond: ALL_READ_PER_SECOND });
}

/** Counts the messages between the clients of a session and its browser, over all of their connections in this isolate. */
export class SessionTraffic {
  readonly #messages = new Budget({ most: MESSAGES_AT_ONCE, perSecond: MESSAGES_PER_SECOND, mostMs: TURN_MS });
  readonly #bytes = new Budget({ most: BYTES_AT_ONCE, perSecond: BYTES_PER_SECOND });
  readonly #unread = new Budget({ most: MAX_UNREAD, perSecond: READ_PER_SECOND });
  readonly #all: AllTraffic;
  #connections = 0;
  #attached = 0;
  /** Time of the last change, in milliseconds since the epoch. */
  #usedMs = 0;

  constructor(all: AllTraffic = new AllTraffic()) {
    this.#all = all;
  }

  /** Records a connection. @returns false when there are too many */
  connect(nowMs: number): boolean {
    this.#usedMs = nowMs;
    if (this.#connections >= MAX_CONNECTIONS) return false;
    this.#connections++;
    return true;
  }

  disconnect(): void {
    this.#connections--;
  }

  /** False when the clients may not ask for a further attachment to a target. */
  get mayAttach(): boolean {
    return this.#attached < MAX_ASKED;
  }

  /**
   * Counts attachments to targets.
   * @param change 1 for a further one, less than 0 for those that are gone.
   * @returns false when there are more than a session may have
   */
  countAttached(change: number): boolean {
    this.#attached += change;
    return this.#attached <= MAX_ATTACHED;
  }

  /** Records a message of the browser. @returns false when it sends more than the service can pass on beside other work */
  receive(bytes: number, nowMs: number): boolean {
    this.#usedMs = nowMs;
    // All of them count it.
    const areFew = this.#messages.take(1, nowMs);
    const areShort = this.#bytes.take(bytes, nowMs);
    const areFewInAll = this.#all.messages.take(1, nowMs) || this.#messages.hasUsedLessThan(MESSAGES_PART);
    const areShortInAll = this.#all.bytes.take(bytes, nowMs) || this.#bytes.hasUsedLessThan(BYTES_PART);
    return areFew && areShort && areFewInAll && areShortInAll;
  }

  /** Records bytes sent to a client. @returns false when too many wait to be read */
  send(bytes: number, nowMs: number): boolean {
    const areFew = this.#unread.take(bytes, nowMs);
    return (this.#all.unread.take(bytes, nowMs) || this.#unread.hasUsedLessThan(BYTES_PART)) && areFew;
  }

  /** Records that a client has read bytes that were sent to it, or that they are dropped. */
  read(bytes: number): void {
    this.#unread.giveBack(bytes);
    this.#all.unread.giveBack(bytes);
  }

  /** Reports whether its session has ended. A connection whose request was cancelled while it was opened is still counted. */
  isOver(nowMs: number): boolean {
    return nowMs - this.#usedMs > FORGET_MS;
  }
}

/** The longest life of a session: until then, messages may wait that its former clients have not read. */
const FORGET_MS = 3_600_000;
const traffics = new Map<string, SessionTraffic>();
const ALL = new AllTraffic();

/** Returns the traffic of a session, by the session's id. */
export function trafficOf(sessionId: string): SessionTraffic {
  const known = traffics.get(sessionId);
  if (known !== undefined) return known;
  for (const [id, traffic] of traffics) if (traffic.isOver(Date.now())) traffics.delete(id);
  const traffic = new SessionTraffic(ALL);
  traffics.set(sessionId, traffic);
  return traffic;
}
