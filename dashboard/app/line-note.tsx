import type { ReactNode } from "react";
import { Icon } from "../components/icons.tsx";
import type { LineState } from "../data/live-feed.ts";
import { useLineState } from "../data/live.tsx";

const NOTES: Readonly<Record<LineState, { readonly word: string; readonly hint: string }>> = {
  connecting: { word: "Connecting", hint: "The page asks the server for live updates." },
  live: { word: "Live", hint: "Changes show by themselves." },
  cut: { word: "Reconnecting", hint: "The server does not answer. The page goes on where it stopped once it does." },
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
    <p className={`line-note line-note--${state}`} role="status" title={hint}>
      <Icon name={state === "live" ? "line" : "cut"} size={14} />
      {word}
    </p>
  );
}
