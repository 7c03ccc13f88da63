import type { NewEntry } from "../ports/event-log.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import type { Event } from "../workflow/event.ts";
import type { Input } from "../workflow/input.ts";

/** In the place of a delivery that stands whole in the event that accepted it. */
const ACCEPTED = "accepted";

/** What the world told, as it is kept. A handoff that was accepted is written once, in its event. */
export function inputEntry(input: Input, events: readonly Event[]): NewEntry {
  const isAccepted = input.kind === "report-attempt" && events.some((event) => event.kind === "handoff-accepted");
  return { kind: "input", data: { ...input, ...(isAccepted && { delivery: ACCEPTED }) } as unknown as JsonRecord };
}

/** The input that was kept, whole again. */
export function keptInput(data: JsonRecord, events: readonly Event[]): Input {
  const accepted =
    data["delivery"] === ACCEPTED ? events.find((event) => event.kind === "handoff-accepted") : undefined;
  return { ...data, ...(accepted !== undefined && { delivery: accepted.delivery }) } as unknown as Input;
}
