import type { ReactNode } from "react";
import { Link } from "wouter";
import type { FactItem } from "../../../src/api/answers.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, gravityLook } from "../../components/badge.tsx";
import { links } from "../../components/links.ts";
import { When } from "../../components/time.tsx";
import { placeNote, STANDING_LOOKS } from "./fact-words.ts";
import { placeText } from "./place-text.ts";

export function FactCard({ item: { fact, freshness, standing } }: { readonly item: FactItem }): ReactNode {
  const look = STANDING_LOOKS[standing];
  const last = fact.witnesses.at(-1);
  return (
    <li className="panel fact-card">
      <div className="fact-card__head">
        <span className="fact-card__kind">{fact.kind}</span>
        <Badge look={look} note={look.about} />
        {fact.severity !== null && <Badge look={gravityLook(fact.severity)} />}
        {fact.isBlocking && fact.answer === null && (
          <Badge look={{ meaning: "bad", icon: "stop", word: "Blocks work" }} />
        )}
      </div>
      <Link href={links.fact(fact.id)} className="fact-card__text">
        <AgentText text={fact.text} lines={3} />
      </Link>
      {fact.detail !== null && (
        <p className="fact-card__detail soft">
          <AgentText text={fact.detail} lines={2} />
        </p>
      )}
      {fact.answer !== null && (
        <p className="fact-card__detail">
          <AgentText text={fact.answer} lines={2} />
        </p>
      )}
      <p className="fact-card__foot soft">
        <span className="mono">{fact.id}</span>
        {fact.citation !== null && (
          <span>
            <span className="mono">
              <AgentText text={placeText(fact.citation)} />
            </span>
            {freshness !== null && (
              <>
                , <AgentText text={placeNote(freshness)} />
              </>
            )}
          </span>
        )}
        {fact.tags.slice(0, 8).map((tag) => (
          <Link key={tag} href={links.facts({ tag })} className="tag">
            #{tag}
          </Link>
        ))}
        <span>
          {fact.witnesses.length === 1 ? "one source" : `${fact.witnesses.length} sources`}
          {last !== undefined && (
            <>
              , last <When at={last.at} />
            </>
          )}
        </span>
      </p>
    </li>
  );
}
