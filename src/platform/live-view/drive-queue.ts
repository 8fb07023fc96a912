import { within } from "../browser/abortable.ts";

/** Commands of the drivers of a session that wait, and their characters. The parts of a file that a page takes slowly wait too. */
const MAX_WAITING = 2_000;
const MAX_WAITING_CHARS = 64_000_000;
/** A command that takes longer does not hold up the next one: a page may answer nothing. */
const COMMAND_LIMIT_MS = 5_000;

interface Command<Driver> {
  driver: Driver;
  chars: number;
  run: () => Promise<void>;
}

/** The commands of all drivers of a session, which run in their order, one at a time. */
export class DriveQueue<Driver extends object> {
  readonly #cutOff: (driver: Driver) => void;
  #waiting: Command<Driver>[] = [];
  #chars = 0;
  #isRunning = false;

  /** @param cutOff is called with the driver of most of the waiting characters, or commands, when there are too many */
  constructor(cutOff: (driver: Driver) => void) {
    this.#cutOff = cutOff;
  }

  /** Adds a command. @param chars the length of its message */
  add(driver: Driver, chars: number, run: () => Promise<void>): void {
    this.#waiting.push({ driver, chars, run });
    this.#chars += chars;
    if (this.#chars > MAX_WAITING_CHARS) this.#remove(this.#driverOfMost(({ chars: length }) => length));
    else if (this.#waiting.length > MAX_WAITING) this.#remove(this.#driverOfMost(() => 1));
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#chars -= next.chars;
      await within(next.run(), COMMAND_LIMIT_MS, undefined).catch(() => undefined);
    }
    this.#isRunning = false;
  }

  #driverOfMost(sizeOf: (command: Command<Driver>) => number): Driver | undefined {
    const sizes = new Map<Driver, number>();
    for (const command of this.#waiting) {
      sizes.set(command.driver, (sizes.get(command.driver) ?? 0) + sizeOf(command));
    }
    return [...sizes].toSorted(([, a], [, b]) => b - a)[0]?.[0];
  }

  /** Drops the commands of a driver and cuts it off. */
  #remove(driver: Driver | undefined): void {
    if (driver === undefined) return;
    this.#waiting = this.#waiting.filter((command) => command.driver !== driver);
    this.#chars = this.#waiting.reduce((sum, { chars }) => sum + chars, 0);
    this.#cutOff(driver);
  }
}
