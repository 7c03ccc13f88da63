import "./inbox.css";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useAddressWord } from "../../components/address.ts";
import { PageHead } from "../../components/panel.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { useTitle } from "../../components/title.ts";
import { inboxQuery, unanswered } from "../../data/queries.ts";
import { AskCard } from "./ask-card.tsx";

/** Everything that waits for a person. */
export function InboxPage(): ReactNode {
  const query = useQuery(inboxQuery);
  const [meant] = useAddressWord("ask");
  useTitle("Inbox");
  return (
    <>
      <PageHead title="Inbox">
        <p className="soft inbox__about">Runs stand still until you answer. Silence is never taken for a yes.</p>
      </PageHead>
      <Answer of={query} what="the inbox">
        {({ asks }) => (
          <div className="stack">
            <p className="visually-hidden" role="status">
              {unanswered({ asks })} waiting
            </p>
            {asks.length === 0 && (
              <div className="panel">
                <Empty icon="check" title="Nobody waits for you">
                  Approvals and questions of runs come here by themselves.
                </Empty>
              </div>
            )}
            {asks.map((item) => {
              const name = `${item.run}/${item.ask.id}`;
              return <AskCard key={name} item={item} isMeant={name === meant} />;
            })}
          </div>
        )}
      </Answer>
    </>
  );
}
