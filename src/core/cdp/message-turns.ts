/** Short messages of all drivers of an isolate that are handled in a second, and at once after a pause. */
const MESSAGES_PER_SECOND = 2_000;
const BURST = 500;
/** Messages of all drivers that wait which are handled in one turn, and the time between turns. */
const MESSAGES_PER_TURN = 50;
const TURN_MS = 25;
/** Messages that wait, and their sizes together beside the latest one; a driver that sends more is cut off. */
const MAX_WAITING = 10_000;
const MAX_WAITING_SIZE = 16_000_000;

/** A driver that had no turn for this long does not wait any more. */
const WAITS_MS = 1_000;

/** The rate of all drivers of an isolate. */
export class MessageRate {
  #left = BURST;
  #filledAtMs = 0;
  /** Last turns of the drivers that wait. */
  readonly #turns = new Map<object, number>();

  /** Returns the number of messages that a driver may handle in a turn: an equal part of those of all that wait. */
  partOf(driver: object, nowMs: number): number {
    this.#turns.set(driver, nowMs);
    for (const [other, atMs] of this.#turns) if (nowMs - atMs > WAITS_MS) this.#turns.delete(other);
    return Math.ceil(MESSAGES_PER_TURN / this.#turns.size);
  }

  /** Records that a driver waits no more. */
  leave(driver: object): void {
    this.#turns.delete(driver);
  }

  /**
   * Takes the right to handle a message now. One that costs more than is left is handled, and later ones wait for it.
   * @param cost The time that it takes, in that of a short message.
   * @returns false when none is left
   */
  take(nowMs: number, cost = 1): boolean {
    // A clock may be set back.
    this.#filledAtMs = Math.min(this.#filledAtMs, nowMs);
    const filled = ((nowMs - this.#filledAtMs) / 1_000) * MESSAGES_PER_SECOND;
    if (filled >= 1) {
      this.#left = Math.min(BURST, this.#left + Math.floor(filled));
      this.#filledAtMs = nowMs;
    }
    if (this.#left < 1) return false;
    this.#left -= cost;
    return true;
  }
}

const RATE = new MessageRate();

interface TurnsOptions<Message> {
  handle: (message: Message) => void;
  /** Returns the size of a message, about the bytes that it takes while it waits. */
  sizeOf: (message: Message) => number;
  /** Returns the time that handling a message takes, in that of a short one. */
  costOf?: (message: Message) => number;
  /** Called once when too many messages wait. */
  onTooMany: () => void;
  rate?: MessageRate;
}

/**
 * Handles the messages of a driver in their order: at once as long as the rate allows it, and else in turns. Handling one takes
 * a fifth of a millisecond, and a driver may send tens of thousands at once.
 */
export class MessageTurns<Message> {
  readonly #options: TurnsOptions<Message>;
  readonly #rate: MessageRate;
  #waiting: { message: Message; cost: number }[] = [];
  #waitingSize = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: TurnsOptions<Message>) {
    this.#options = options;
    this.#rate = options.rate ?? RATE;
  }

  add(message: Message): void {
    if (this.#isClosed) return;
    const cost = this.#options.costOf?.(message) ?? 1;
    if (this.#waiting.length === 0 && this.#rate.take(Date.now(), cost)) return this.#options.handle(message);
    this.#rate.partOf(this, Date.now());
    const isFull = this.#waitingSize > MAX_WAITING_SIZE || this.#waiting.length >= MAX_WAITING;
    this.#waiting.push({ message, cost });
    this.#waitingSize += this.#options.sizeOf(message);
    if (isFull) {
      this.close();
      return this.#options.onTooMany();
    }
    this.#timer ??= setTimeout(() => this.#turn(), TURN_MS);
  }

  /** The number of messages that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The size of the messages that wait. */
  get waitingSize(): number {
    return this.#waitingSize;
  }

  /** Drops the messages that wait. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#waitingSize = 0;
    this.#rate.leave(this);
    clearTimeout(this.#timer);
  }

  #turn(): void {
    this.#timer = undefined;
    const most = Math.min(this.#rate.partOf(this, Date.now()), this.#waiting.length);
    let count = 0;
    while (count < most && this.#rate.take(Date.now(), this.#waiting[count]?.cost)) count++;
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    for (const { message } of batch) this.#waitingSize -= this.#options.sizeOf(message);
    for (const { message } of batch) if (!this.#isClosed) this.#options.handle(message);
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#turn(), TURN_MS);
    else this.#rate.leave(this);
  }
}
