import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import type { InboxItem } from "../../../src/api/answers.ts";
import { AgentParagraph, AgentText } from "../../components/agent-text.tsx";
import { Badge, type Look } from "../../components/badge.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Icon } from "../../components/icons.tsx";
import { links } from "../../components/links.ts";
import { TextView } from "../../components/text-view.tsx";
import { useNow, When } from "../../components/time.tsx";
import { AnswerForm } from "./answer-form.tsx";

type Kind = InboxItem["ask"]["kind"];

const LOOKS: Readonly<Record<Kind, Look>> = {
  before: { meaning: "person", icon: "play", word: "May it start?" },
  after: { meaning: "person", icon: "check", word: "May it go on?" },
  review: { meaning: "person", icon: "question", word: "Review" },
  question: { meaning: "person", icon: "question", word: "Question" },
  escalation: { meaning: "warning", icon: "warning", word: "Escalation" },
  blocked: { meaning: "warning", icon: "stop", word: "Blocked" },
  human: { meaning: "person", icon: "person", word: "Your turn" },
  command: { meaning: "warning", icon: "warning", word: "Command" },
  claims: { meaning: "warning", icon: "warning", word: "Accept it?" },
};

export function AskCard({ item, isMeant }: { readonly item: InboxItem; readonly isMeant: boolean }): ReactNode {
  const { ask, run, workflow } = item;
  const details = ask.details.filter((detail) => detail.trim() !== "");
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isMeant) card.current?.scrollIntoView({ block: "start" });
  }, [isMeant]);
  return (
    <article ref={card} className={isMeant ? "panel ask ask--meant" : "panel ask"} aria-label={ask.title}>
      <header className="ask__head">
        <Badge look={LOOKS[ask.kind]} />
        <h2 className="ask__title">
          <AgentText text={ask.title} />
        </h2>
      </header>
      <p className="ask__from soft">
        {workflow}, <Link href={links.run(run)}>{run}</Link>, asked by {ask.agent}
        {ask.task !== "main" && `, task ${ask.task}`}, <When at={ask.openedAt} />
        {ask.dueAt !== null && <Due at={ask.dueAt} silence={item.silence} />}
      </p>
      {details.length > 0 && (
        <ul className="ask__details">
          {details.map((detail) => (
            <li key={detail}>
              {detail.trim().includes("\n") ? (
                <TextView text={detail.trim()} label="Details" />
              ) : (
                <AgentParagraph text={detail} />
              )}
            </li>
          ))}
        </ul>
      )}
      <Concerns item={item} />
      {item.answered === null ? <AnswerForm run={run} ask={ask} /> : <Answered run={run} given={item.answered} />}
    </article>
  );
}

const SOON = 3_600_000;

const DUE_WORDS = { remind: "reminds", reject: "expires", fail: "expires" } as const;

function Due({ at, silence }: { readonly at: number; readonly silence: InboxItem["silence"] }): ReactNode {
  const isSoon = at - useNow() < SOON;
  return (
    <span className={isSoon ? "ink--warning" : ""}>
      , {isSoon && <Icon name="hourglass" size={13} />} {DUE_WORDS[silence]} <When at={at} />
    </span>
  );
}

type Given = NonNullable<InboxItem["answered"]>;

/** The first answer counts: there is nothing to choose any more. */
function Answered({ run, given }: { readonly run: string; readonly given: Given }): ReactNode {
  return (
    <p className="ask__sent" role="status">
      <Icon name="check" /> {given.by} answered: {given.choice}. The run takes it in as soon as it is driven:{" "}
      <code>baton resume {run}</code>
    </p>
  );
}

/** Exactly what an approval is bound to: nothing else will run or pass in its name. */
function Concerns({ item: { concerns } }: { readonly item: InboxItem }): ReactNode {
  if (concerns === null) return null;
  return (
    <section className="ask__concerns" aria-label="What it is about, exactly">
      <p className="ask__what">
        <strong>{concerns.what}</strong>, exactly these bytes:
      </p>
      <TextView text={concerns.text} label={concerns.what} />
      <p className="ask__hash soft">
        SHA-256 <span className="mono">{concerns.sha256}</span> <CopyButton text={concerns.sha256} what="the hash" />
      </p>
    </section>
  );
}
