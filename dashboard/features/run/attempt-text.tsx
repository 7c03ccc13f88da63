import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Answer, Empty } from "../../components/states.tsx";
import { TextView } from "../../components/text-view.tsx";
import { attemptQuery } from "../../data/queries.ts";

type TextName = "output" | "prompt" | "packet";

export const TEXTS: readonly { readonly value: TextName; readonly word: string }[] = [
  { value: "output", word: "Output" },
  { value: "prompt", word: "Prompt" },
  { value: "packet", word: "Knowledge given" },
];

export function AttemptText({
  run,
  attempt,
  show,
}: {
  readonly run: string;
  readonly attempt: string;
  readonly show: TextName;
}): ReactNode {
  const query = useQuery(attemptQuery(run, attempt));
  return (
    <Answer of={query} what="the texts of the attempt">
      {(texts) => {
        const text = texts[show];
        return text === null ? (
          <Empty title={`There is no ${show} of ${attempt}`}>
            {show === "output"
              ? "It has not said anything yet, or it was not kept."
              : "It was not kept, or pruned since."}
          </Empty>
        ) : (
          <>
            {show === "prompt" && texts.prompt_is_exact === false ? <NotExact /> : null}
            <TextView text={text} label={`${show} of ${attempt}`} />
          </>
        );
      }}
    </Answer>
  );
}

function NotExact(): ReactNode {
  return (
    <p className="soft">
      Composed again from the log. It is not byte for byte what the agent was given: a secret was masked, or this
      version of Baton words it differently.
    </p>
  );
}
