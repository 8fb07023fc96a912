import type { User } from "./user.ts";
import type { TaskData } from "./task-data.ts";

/** What a person wants from the dashboard, and how they do it with a mouse or a keyboard. */
export interface Task {
  /** The wish in the person's words. */
  says: string;
  /** The most clicks, from another view. Choosing from a list is two. */
  clicks: number;
  /** The most key presses, from another view, other than Tab and the text that is typed. */
  keys: number;
  walk(user: User, data: TaskData): Promise<void>;
}
