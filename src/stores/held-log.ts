import { canonicalJson } from "../audit/hash-chain.ts";
import { StoreError } from "../ports/event-log.ts";
import { isRecord } from "../shared/json-value.ts";

/**
 * Why a log is not in use. It stands in the log itself, and the database refuses every write as long as it does: also
 * those of a process that had the log open before, and of an older version.
 */
export interface LogHold {
  /** `moved`: this is a copy, and the state is elsewhere. `arriving`: the move to this store has not ended. */
  readonly why: "moved" | "arriving";
  /** Id of the move, the same in both stores. */
  readonly move: string;
  /** The other store, as a person is told. Agents may read it, so it names no host and no user. */
  readonly place: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function holdText({ why, move, place, at }: LogHold): string {
  return canonicalJson({ why, move, place, at });
}

/** What cannot be read is a hold as well: it does not become a log in use by damage. */
export function readHold(text: string): LogHold {
  const { why, move, place, at } = recordIn(text);
  if ((why === "moved" || why === "arriving") && typeof move === "string" && typeof place === "string")
    return { why, move, place, at: Number(at) };
  throw new StoreError("damaged", "the log says that it is held, but not why");
}

function recordIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Begins what the database itself says when it refuses a write. */
const REFUSED = "this log is not written:";

export function sayHold({ why, place, at }: LogHold): string {
  const when = new Date(at).toISOString();
  return why === "moved"
    ? `${REFUSED} its state was moved to ${place} at ${when}, and this is a copy`
    : `${REFUSED} the move of its state from ${place}, begun at ${when}, has not ended`;
}

export function refusedHold(hold: LogHold): StoreError {
  return new StoreError("moved", sayHold(hold));
}

/** Null unless it is the refusal of a log that is held. */
export function heldErrorOf(error: Error): StoreError | null {
  const at = error.message.indexOf(REFUSED);
  return at === -1 ? null : new StoreError("moved", error.message.slice(at), { cause: error });
}
