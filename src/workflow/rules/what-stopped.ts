import type { Handoff } from "../../protocol/handoff.ts";

/** What a handoff says of why it got no further, for whoever has to decide: a line each. */
export function whatStopped({ blockers = [], error, routing }: Handoff): string[] {
  return [
    ...blockers.map(({ description = "", resolution }) =>
      resolution === undefined ? description : `${description} (suggested: ${resolution})`,
    ),
    ...filled(error?.details),
    ...filled(error?.suggested_action).map((action) => `suggested: ${action}`),
    ...(routing?.attempted ?? []).map((tried) => `tried: ${tried}`),
  ];
}

function filled(text: string | undefined): string[] {
  return text === undefined || text.trim() === "" ? [] : [text];
}
