import { type Infer, data } from "../protocol/shape.ts";
import { askViewShape } from "./run-page.ts";

const inboxItemShape = data.record({
  run: data.text(),
  workflow: data.text(),
  ask: askViewShape,
  /** The exact bytes to be approved; null when the question is not about a text. */
  concerns: data.nullable(data.record({ what: data.text(), text: data.text(), sha256: data.sha256() })),
  /** What happens at `dueAt` if there is no answer. */
  silence: data.oneOf(["remind", "reject", "fail"]),
  /** Whether a person may also answer in a client of their own, through `baton mcp`. */
  in_client: data.boolean(),
  /** An answer that was given and that the run has not processed yet; null while the question is unanswered. */
  answered: data.nullable(data.record({ choice: data.text(), by: data.text() })),
});
export type InboxItem = Infer<typeof inboxItemShape>;

export const inboxShape = data.record({ asks: data.list(inboxItemShape) });
/** All questions that wait for a person. */
export type Inbox = Infer<typeof inboxShape>;

export const NOTIFICATION_KINDS = ["ask", "stall", "end", "notice"] as const;

export const notificationShape = data.record({
  /** Stays the same when the same notification is sent again. */
  id: data.text(),
  kind: data.oneOf(NOTIFICATION_KINDS),
  run: data.text(),
  workflow: data.text(),
  at: data.count(),
  text: data.text(),
});
/** The body of a webhook request. */
export type Notification = Infer<typeof notificationShape>;
