import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { InboxItem } from "../../../src/api/answers.ts";
import { Choices } from "../../components/choices.tsx";
import { Icon } from "../../components/icons.tsx";
import { Problem } from "../../components/states.tsx";
import { part, write } from "../../data/ask-server.ts";

/** One button for each choice, with what it does; the reason goes to the agent and into the log. */
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
      <Choices ask={ask}>
        {(choice, { word, icon, variant }, effect) => (
          <Button
            size="sm"
            variant={variant}
            leftSection={<Icon name={icon} />}
            loading={send.isPending && send.variables === choice}
            disabled={send.isPending}
            onClick={() => answer(choice)}
            {...(effect === undefined ? {} : { "aria-describedby": effect })}
          >
            {word}
          </Button>
        )}
      </Choices>
      {send.error !== null && <Problem error={send.error} />}
    </div>
  );
}
