import type { NewEntry } from "../ports/event-log.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import type { Event } from "../workflow/event.ts";
import type { Input } from "../workflow/input.ts";

/** In the place of a delivery that stands whole in the event that accepted it. */
const ACCEPTED = "accepted";

/** In the place of judgements, or of a record, that stand whole in their event. */
const NOTED = "noted";

/** What the world told, as it is kept. What stands whole in an event is written once, there. */
export function inputEntry(input: Input, events: readonly Event[]): NewEntry {
  const isAccepted = input.kind === "report-attempt" && events.some((event) => event.kind === "handoff-accepted");
  const isNoted = events.some((event) => event.kind === "claims-verified");
  const hasRecord = events.some((event) => event.kind === "attempt-ended" && event.record !== undefined);
  const kept = {
    ...input,
    ...(isAccepted && { delivery: ACCEPTED }),
    ...(isNoted && { judgements: NOTED }),
    ...(hasRecord && { record: NOTED }),
  };
  return { kind: "input", data: kept as unknown as JsonRecord };
}

/** The input that was kept, whole again. */
export function keptInput(data: JsonRecord, events: readonly Event[]): Input {
  const accepted =
    data["delivery"] === ACCEPTED ? events.find((event) => event.kind === "handoff-accepted") : undefined;
  const noted = data["judgements"] === NOTED ? events.find((event) => event.kind === "claims-verified") : undefined;
  const ended = data["record"] === NOTED ? events.find((event) => event.kind === "attempt-ended") : undefined;
  const whole = {
    ...data,
    ...(accepted !== undefined && { delivery: accepted.delivery }),
    ...(noted !== undefined && { judgements: noted.judgements }),
    ...(ended !== undefined && { record: ended.record }),
  };
  return whole as unknown as Input;
}
