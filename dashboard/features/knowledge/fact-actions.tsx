import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import type { FactPage } from "../../../src/api/answers.ts";
import { Problem } from "../../components/states.tsx";
import { part, write } from "../../data/ask-server.ts";

type Fact = FactPage["fact"];

interface Change {
  readonly path: "promote" | "confirm" | "retire";
  readonly word: string;
  readonly about: string;
}

const PROMOTE: Change = {
  path: "promote",
  word: "Promote",
  about: "You say that it is true: agents are given it from now on.",
};
const CONFIRM: Change = {
  path: "confirm",
  word: "Confirm",
  about: "You say that it is true today: what it cites is taken as it stands now.",
};
const RETIRE: Change = {
  path: "retire",
  word: "Retire",
  about: "It is not true any more: no agent is given it again.",
};

export function FactActions({ fact }: { readonly fact: Fact }): ReactNode {
  const changes = [
    ...(fact.status === "trusted" ? [] : [PROMOTE]),
    ...(fact.citation === null || fact.status === "retired" ? [] : [CONFIRM]),
    ...(fact.status === "retired" ? [] : [RETIRE]),
  ];
  return changes.map((change) => <ChangeButton key={change.path} fact={fact} change={change} />);
}

function ChangeButton({ fact, change }: { readonly fact: Fact; readonly change: Change }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: async () =>
      write<FactPage>(`knowledge/${part(fact.id)}/${change.path}`, reason.trim() === "" ? {} : { reason }),
    onSuccess: () => {
      dialog.current?.close();
      void client.invalidateQueries({ queryKey: ["facts"] });
    },
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => dialog.current?.showModal()}>
        {change.word}
      </Button>
      <dialog ref={dialog} className="dialog" aria-label={`${change.word} ${fact.id}`}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send.mutate();
          }}
        >
          <h2>
            {change.word} {fact.id}
          </h2>
          <p>{change.about}</p>
          <TextInput
            label="Why"
            description="Goes into its history. May be empty."
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {send.error !== null && <Problem error={send.error} />}
          <div className="row">
            <Button size="xs" variant="default" type="button" onClick={() => dialog.current?.close()}>
              Not now
            </Button>
            <Button size="xs" type="submit" loading={send.isPending}>
              {change.word}
            </Button>
          </div>
        </form>
      </dialog>
    </>
  );
}
