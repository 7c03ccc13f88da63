import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { InboxItem } from "../../../src/api/answers.ts";
import { Icon, type IconName } from "../../components/icons.tsx";
import { Problem } from "../../components/states.tsx";
import { part, write } from "../../data/ask-server.ts";

interface Choice {
  readonly word: string;
  readonly icon: IconName;
  readonly variant: "filled" | "default";
}

const CHOICES: Readonly<Record<string, Choice>> = {
  approve: { word: "Approve", icon: "check", variant: "filled" },
  reject: { word: "Reject", icon: "cross", variant: "default" },
  answer: { word: "Send the answer", icon: "arrow", variant: "filled" },
  retry: { word: "Try again", icon: "loop", variant: "default" },
  continue: { word: "Go on", icon: "arrow", variant: "default" },
  resolved: { word: "It is resolved", icon: "check", variant: "filled" },
  fail: { word: "Give up", icon: "stop", variant: "default" },
};

/** One button for each choice; the reason goes to the agent and into the log. */
export function AnswerForm({ run, ask }: { readonly run: string; readonly ask: InboxItem["ask"] }): ReactNode {
  const [reason, setReason] = useState("");
  const [needsWords, setNeedsWords] = useState(false);
  const wantsWords = ask.choices.includes("answer");
  const send = useMutation({
    mutationFn: async (choice: string) =>
      write(`runs/${part(run)}/asks/${part(ask.id)}`, reason.trim() === "" ? { choice } : { choice, reason }),
  });
  const answer = (choice: string): void => {
    const isMissing = choice === "answer" && reason.trim() === "";
    setNeedsWords(isMissing);
    if (!isMissing) send.mutate(choice);
  };
  if (send.isSuccess) {
    return (
      <p className="ask__sent" role="status">
        <Icon name="check" /> Your answer was sent; the run takes it up.
      </p>
    );
  }
  return (
    <div className="ask__answer">
      <Textarea
        label={wantsWords ? "Your answer" : "Reason"}
        description={wantsWords ? undefined : "The agent and the log get it. May be empty."}
        error={needsWords ? "The question asks for an answer in words." : undefined}
        rows={2}
        autosize={false}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <div className="row">
        {ask.choices.map((choice) => {
          const { word, icon, variant } = CHOICES[choice] ?? {
            word: choice,
            icon: "dot" as const,
            variant: "default" as const,
          };
          return (
            <Button
              key={choice}
              size="sm"
              variant={variant}
              leftSection={<Icon name={icon} />}
              loading={send.isPending && send.variables === choice}
              disabled={send.isPending}
              onClick={() => answer(choice)}
            >
              {word}
            </Button>
          );
        })}
      </div>
      {send.error !== null && <Problem error={send.error} />}
    </div>
  );
}
