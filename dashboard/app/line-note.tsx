import type { ReactNode } from "react";
import { Icon } from "../components/icons.tsx";
import { withCommands } from "../components/states.tsx";
import type { LineState } from "../data/live-feed.ts";
import { useLineState } from "../data/live.tsx";

const NOTES: Readonly<Record<LineState, { readonly word: string; readonly hint: string }>> = {
  connecting: { word: "Connecting", hint: "The page asks the server for live updates." },
  live: { word: "Live", hint: "Changes show by themselves." },
  cut: {
    word: "Reconnecting",
    hint: "The server does not answer: what is shown may be old. The page goes on by itself once it is back.",
  },
  refused: {
    word: "Not connected",
    hint: "The server refuses this browser or is not there. Open the link that `baton serve` printed.",
  },
};

/** Whether what is shown is what is. */
export function LineNote(): ReactNode {
  const state = useLineState();
  const { word, hint } = NOTES[state];
  return (
    <p className={`line-note line-note--${state}`} role="status" title={hint.replaceAll("`", "")}>
      <Icon name={state === "live" ? "line" : "cut"} size={14} />
      {word}
    </p>
  );
}

/** Old figures look like new ones: a note over the page says that they are old. */
export function LineWarning(): ReactNode {
  const state = useLineState();
  if (state !== "cut" && state !== "refused") return null;
  return (
    <p className="line-warning">
      <Icon name="cut" /> {withCommands(NOTES[state].hint)}
    </p>
  );
}
