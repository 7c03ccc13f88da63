import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RunPage } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Choices } from "../../components/choices.tsx";
import { Icon } from "../../components/icons.tsx";
import { links } from "../../components/links.ts";
import { When } from "../../components/time.tsx";

/** What the run waits for, and what each answer would do; it is answered in the inbox, where the exact bytes are shown. */
export function Asks({ page: { item, view } }: { readonly page: RunPage }): ReactNode {
  if (view.asks.length === 0) return null;
  return (
    <section className="asks" aria-label="Waits for a person">
      {view.asks.map((ask) => (
        <div key={ask.id} className="asks__one">
          <Icon name="person" />
          <p className="asks__text">
            <AgentText text={ask.title} lines={2} />
            <span className="soft">
              {ask.agent}, <When at={ask.openedAt} />
            </span>
          </p>
          <Choices ask={ask}>{(_, { word }) => <strong>{word}</strong>}</Choices>
          <Link href={links.ask(item.run, ask.id)} className="asks__link">
            Look and answer
          </Link>
        </div>
      ))}
    </section>
  );
}
