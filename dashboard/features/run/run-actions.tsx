import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import type { RunItem } from "../../../src/api/answers.ts";
import { Problem } from "../../components/states.tsx";
import { part, write } from "../../data/ask-server.ts";

interface Action {
  readonly path: "cancel" | "retry" | "resume";
  readonly word: string;
  readonly about: string;
  /** What the person writes goes under this name; null when there is nothing to say. */
  readonly says: { readonly name: string; readonly label: string; readonly isNeeded: boolean } | null;
}

const CANCEL: Action = {
  path: "cancel",
  word: "Cancel the run",
  about: "Agents at work are ended. What was done stays, and the run does not go on again.",
  says: { name: "reason", label: "Why", isNeeded: true },
};
const CLOSE: Action = {
  path: "cancel",
  word: "Close the session",
  about:
    "Notes that this session is over. Its client is not told, and nothing of it is ended; when the client calls a hook of Baton again, the session goes on here.",
  says: { name: "reason", label: "Why", isNeeded: true },
};
const RETRY: Action = {
  path: "retry",
  word: "Send it on again",
  about: "The run goes on where it stopped. The next agent is given your note.",
  says: { name: "note", label: "Note for the agent", isNeeded: false },
};
const RESUME: Action = {
  path: "resume",
  word: "Drive it here",
  about: "No process drives this run now. The server takes it up.",
  says: null,
};

/** What a person can do with a run as it stands. */
export function RunActions({ item, mayRetry }: { readonly item: RunItem; readonly mayRetry: boolean }): ReactNode {
  const actions = item.is_observed ? sessionActions(item) : runActions(item, mayRetry);
  return actions.map((action) => <ActionButton key={action.path} run={item.run} action={action} />);
}

/** Nothing of a session is started here, so nothing can be started again. */
function sessionActions({ status }: RunItem): Action[] {
  return status === "watched" || status === "waiting" ? [CLOSE] : [];
}

function runActions({ status, is_driven: isDriven }: RunItem, mayRetry: boolean): Action[] {
  const isOpen = status === "running" || status === "waiting" || status === "stalled";
  if (isOpen) return [...(isDriven ? [] : [RESUME]), CANCEL];
  return status === "failed" && mayRetry ? [RETRY] : [];
}

function ActionButton({ run, action }: { readonly run: string; readonly action: Action }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => dialog.current?.showModal()}>
        {action.word}
      </Button>
      <dialog ref={dialog} className="dialog" aria-label={action.word}>
        <ActionForm run={run} action={action} close={() => dialog.current?.close()} />
      </dialog>
    </>
  );
}

function ActionForm({
  run,
  action,
  close,
}: {
  readonly run: string;
  readonly action: Action;
  readonly close: () => void;
}): ReactNode {
  const [text, setText] = useState("");
  const { says } = action;
  const send = useMutation({
    mutationFn: async () =>
      write(`runs/${part(run)}/${action.path}`, says === null || text.trim() === "" ? {} : { [says.name]: text }),
    onSuccess: close,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <h2>{action.word}</h2>
      <p>{action.about}</p>
      {says !== null && (
        <Textarea
          label={says.label}
          required={says.isNeeded}
          autosize={false}
          rows={3}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {send.error !== null && <Problem error={send.error} />}
      <div className="row">
        <Button size="xs" variant="default" type="button" onClick={close}>
          Not now
        </Button>
        <Button size="xs" type="submit" loading={send.isPending}>
          {action.word}
        </Button>
      </div>
    </form>
  );
}
