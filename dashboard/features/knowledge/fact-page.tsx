import "./knowledge.css";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { Link } from "wouter";
import type { FactPage as FactAnswer } from "../../../src/api/answers.ts";
import { AgentParagraph, AgentText } from "../../components/agent-text.tsx";
import { Badge, gravityLook } from "../../components/badge.tsx";
import { links } from "../../components/links.ts";
import { PageHead, Pairs, Panel } from "../../components/panel.tsx";
import { part } from "../../components/part.ts";
import { Answer, Loading } from "../../components/states.tsx";
import { TextView } from "../../components/text-view.tsx";
import { useTitle } from "../../components/title.ts";
import { factQuery } from "../../data/queries.ts";
import { FactActions } from "./fact-actions.tsx";
import { FactHistory, Witnesses } from "./fact-history.tsx";
import { placeNote, STANDING_LOOKS } from "./fact-words.ts";
import { placeText } from "./place-text.ts";

const Neighbours = part(async () => (await import("./neighbours.tsx")).Neighbours);

/** One fact: what it says, where it comes from, whether it still stands. */
export function FactPage({ fact }: { readonly fact: string }): ReactNode {
  const query = useQuery(factQuery(fact));
  useTitle(fact);
  return (
    <>
      {query.data === undefined && <PageHead above={<Link href={links.knowledge}>Knowledge</Link>} title={fact} />}
      <Answer of={query} what="the fact">
        {(page) => (
          <div className="stack">
            <FactHead page={page} />
            <div className="grid-2">
              <FactCitation page={page} />
              <Witnesses witnesses={page.fact.witnesses} />
            </div>
            <Suspense fallback={<Loading what="the neighbours" />}>
              <Neighbours fact={page.fact.id} />
            </Suspense>
            <FactHistory page={page} />
          </div>
        )}
      </Answer>
    </>
  );
}

function FactHead({ page }: { readonly page: FactAnswer }): ReactNode {
  const { fact, opposes, standing } = page;
  const look = STANDING_LOOKS[standing];
  return (
    <PageHead
      above={
        <>
          <Link href={links.knowledge}>Knowledge</Link> / {fact.kind} <span className="mono">{fact.id}</span>
        </>
      }
      title={<AgentText text={fact.text} />}
      aside={<FactActions fact={fact} />}
    >
      {fact.detail !== null && <AgentParagraph text={fact.detail} />}
      {fact.answer !== null && <AgentParagraph text={fact.answer} />}
      <div className="fact__pairs">
        <Pairs
          pairs={[
            ["Standing", <Badge key="standing" look={look} />],
            ...(fact.severity === null
              ? []
              : ([["Severity", <Badge key="severity" look={gravityLook(fact.severity)} />]] as const)),
            ["Helped", fact.helped === 1 ? "once" : `${fact.helped} times`],
            ["Tags", <Words key="tags" of="tag" words={fact.tags} />],
            ["Files", <Words key="files" of="file" words={fact.files} />],
          ]}
        />
      </div>
      <p className="fact__about">{look.about}</p>
      {opposes.length > 0 && (
        <section className="fact__opposes" aria-label="Facts that say the opposite">
          <strong>What says the opposite</strong>
          <ul>
            {opposes.map((other) => (
              <li key={other.id}>
                <Link href={links.fact(other.id)}>{other.id}</Link>{" "}
                {other.status !== "trusted" && <Badge look={STANDING_LOOKS[other.status]} />}{" "}
                <AgentText text={other.text} lines={2} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </PageHead>
  );
}

function Words({ of, words }: { readonly of: "tag" | "file"; readonly words: readonly string[] }): ReactNode {
  if (words.length === 0) return <span className="soft">none</span>;
  return (
    <span className="row row--words">
      {words.map((word) => (
        <Link key={word} href={links.facts({ [of]: word })} className={of === "tag" ? "tag" : "mono"}>
          {of === "tag" ? `#${word}` : word}
        </Link>
      ))}
    </span>
  );
}

function FactCitation({ page: { fact, freshness } }: { readonly page: FactAnswer }): ReactNode {
  const { citation } = fact;
  return (
    <Panel title="Cites" aside={freshness === null ? undefined : <AgentText text={placeNote(freshness)} />}>
      {citation === null ? (
        <p className="soft fact__none">
          It names no place in the repository, so it cannot be checked whether it is still true.
        </p>
      ) : (
        <>
          <p className="fact__place">
            <span className="mono">
              <AgentText text={placeText(citation)} />
            </span>
            {citation.commit !== null && <span className="soft"> at {citation.commit.slice(0, 10)}</span>}
          </p>
          <TextView text={citation.text.join("\n")} label="What stood there" />
        </>
      )}
    </Panel>
  );
}
