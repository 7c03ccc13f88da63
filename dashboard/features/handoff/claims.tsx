import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import type { HandoffPage } from "../../../src/api/answers.ts";
import { useAddressWords } from "../../components/address.ts";
import { AgentText } from "../../components/agent-text.tsx";
import { Badge, VERDICT_LOOKS } from "../../components/badge.tsx";
import { links } from "../../components/links.ts";
import { Empty } from "../../components/states.tsx";

type Claim = HandoffPage["claims"][number];

const WORST_FIRST: Readonly<Record<Claim["verdict"], number>> = { refuted: 0, unverifiable: 1, confirmed: 2 };

/** What the handoff says that could be untrue, and what was seen of it. */
export function Claims({ page }: { readonly page: HandoffPage }): ReactNode {
  const [words] = useAddressWords();
  const verdict = words.get("verdict");
  if (page.claims.length === 0) {
    return (
      <Empty title="Nothing was claimed that could be checked">Or it was refused before its claims were checked.</Empty>
    );
  }
  const sorted = page.claims.toSorted((left, right) => WORST_FIRST[left.verdict] - WORST_FIRST[right.verdict]);
  const shown = verdict === null ? sorted : sorted.filter((claim) => claim.verdict === verdict);
  return (
    <>
      <VerdictFilter claims={page.claims} />
      <ul className="claims">
        {shown.map((claim) => (
          <ClaimRow
            key={`${claim.kind} ${claim.where} ${claim.says}`}
            page={page}
            claim={claim}
            isMeant={words.get("claim") === `${claim.kind} ${claim.where}`}
          />
        ))}
      </ul>
    </>
  );
}

function VerdictFilter({ claims }: { readonly claims: readonly Claim[] }): ReactNode {
  const [words, change] = useAddressWords();
  const chosen = words.get("verdict");
  return (
    <div className="row claims__filter" role="group" aria-label="Verdict">
      {(["refuted", "unverifiable", "confirmed"] as const).map((verdict) => (
        <button
          key={verdict}
          type="button"
          className="chip"
          aria-pressed={chosen === verdict}
          onClick={() => change({ verdict: chosen === verdict ? "" : verdict })}
        >
          <Badge
            look={{
              ...VERDICT_LOOKS[verdict],
              word: `${claims.filter((claim) => claim.verdict === verdict).length} ${verdict}`,
            }}
          />
        </button>
      ))}
    </div>
  );
}

function ClaimRow({
  page,
  claim,
  isMeant,
}: {
  readonly page: HandoffPage;
  readonly claim: Claim;
  readonly isMeant: boolean;
}): ReactNode {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isMeant) row.current?.scrollIntoView({ block: "center" });
  }, [isMeant]);
  const address = links.handoff(page.run, page.attempt, { view: "claims", claim: `${claim.kind} ${claim.where}` });
  return (
    <li ref={row} className={`claim claim--${claim.verdict}${isMeant ? " claim--meant" : ""}`}>
      <div className="claim__head">
        <Badge look={VERDICT_LOOKS[claim.verdict]} />
        <Link href={address} replace className="claim__kind">
          {claim.kind}
        </Link>
        <Link
          href={links.handoff(page.run, page.attempt, { view: "canonical", at: claim.where })}
          className="mono claim__where"
        >
          {claim.where}
        </Link>
        {claim.range !== null && (
          <Link
            href={links.handoff(page.run, page.attempt, { line: String(claim.range.start.line) })}
            className="claim__line"
          >
            line {claim.range.start.line}
          </Link>
        )}
      </div>
      <p className="claim__says">
        <AgentText text={claim.says} />
      </p>
      <dl className="claim__evidence">
        <dt>Seen</dt>
        <dd>
          <AgentText text={claim.evidence} />
        </dd>
        <dt>How</dt>
        <dd className="soft">
          <AgentText text={claim.procedure} />
        </dd>
      </dl>
    </li>
  );
}
