import { type ReactNode, useId } from "react";
import type { AskView } from "../../src/api/answers.ts";
import { AgentText } from "./agent-text.tsx";
import type { IconName } from "./icons.tsx";

interface ChoiceLook {
  readonly word: string;
  readonly icon: IconName;
  readonly variant: "filled" | "default";
}

const LOOKS: Readonly<Record<string, ChoiceLook>> = {
  approve: { word: "Approve", icon: "check", variant: "filled" },
  reject: { word: "Reject", icon: "cross", variant: "default" },
  answer: { word: "Send the answer", icon: "arrow", variant: "filled" },
  round: { word: "One more round", icon: "loop", variant: "filled" },
  retry: { word: "Try again", icon: "loop", variant: "default" },
  continue: { word: "Go on", icon: "arrow", variant: "default" },
  resolved: { word: "It is resolved", icon: "check", variant: "filled" },
  fail: { word: "Give up", icon: "stop", variant: "default" },
  done: { word: "Done", icon: "check", variant: "filled" },
  "done-with-warnings": { word: "Done, with warnings", icon: "warning", variant: "default" },
  "needs-fixes": { word: "Needs fixes", icon: "loop", variant: "default" },
  failed: { word: "Failed", icon: "cross", variant: "default" },
  blocked: { word: "Blocked", icon: "stop", variant: "default" },
};

function choiceLook(choice: string): ChoiceLook {
  return LOOKS[choice] ?? { word: choice, icon: "dot", variant: "default" };
}

/** One row for each way to answer, with what it does beside it; under it where there is no room. */
export function Choices({
  ask: { choices, effects },
  children,
}: {
  readonly ask: Pick<AskView, "choices" | "effects">;
  /** What is chosen with, or what it is called; the id is that of the words on what it does. */
  readonly children: (choice: string, look: ChoiceLook, effect: string | undefined) => ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <ul className="choices" aria-label="Choices">
      {choices.map((choice, index) => {
        const effect = effects[choice];
        const effectId = effect === undefined ? undefined : `${id}${index}`;
        return (
          <li key={choice} className="choices__one">
            {children(choice, choiceLook(choice), effectId)}
            {effect !== undefined && (
              <span id={effectId} className="choices__effect">
                <AgentText text={effect} />
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
