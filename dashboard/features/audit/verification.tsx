import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { AuditFinding, AuditReport } from "../../../src/api/answers.ts";
import { Badge, type Look } from "../../components/badge.tsx";
import { count, counted } from "../../components/format.ts";
import { links } from "../../components/links.ts";
import { Pairs, Panel } from "../../components/panel.tsx";
import { Answer } from "../../components/states.tsx";
import { When } from "../../components/time.tsx";
import { verificationQuery } from "../../data/queries.ts";

const LOOKS: Readonly<Record<AuditReport["verdict"], Look>> = {
  intact: { meaning: "good", icon: "check", word: "Intact" },
  unproven: { meaning: "warning", icon: "question", word: "Unproven" },
  broken: { meaning: "bad", icon: "cross", word: "Broken" },
  empty: { meaning: "plain", icon: "dot", word: "Empty" },
};

const MEANINGS: Readonly<Record<AuditReport["verdict"], string>> = {
  intact: "Nothing is wrong, and a signature that is believed here covers the log but for its tail.",
  unproven: "Nothing is wrong in itself, but no known key has signed it.",
  broken: "Something was changed, taken away or put in.",
  empty: "The log has no entries yet: there is nothing to verify.",
};

export function Verification(): ReactNode {
  const query = useQuery(verificationQuery);
  return (
    <Panel
      title="Verification"
      aside={
        <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          Verify again
        </Button>
      }
    >
      <Answer of={query} what="the verification">
        {(report) => <Report report={report} />}
      </Answer>
    </Panel>
  );
}

function Report({ report }: { readonly report: AuditReport }): ReactNode {
  const { verdict, counts, head, proven, tail, pruned } = report;
  const masked = Object.values(report.masked).reduce((sum, number) => sum + number, 0);
  return (
    <>
      <p className="audit__verdict" role="status">
        <Badge look={LOOKS[verdict]} /> {MEANINGS[verdict]}
      </p>
      <Pairs
        pairs={[
          ["Entries", count(counts.entries)],
          ["Runs", count(counts.runs)],
          ["Signed checkpoints", `${count(counts.signed)} of ${count(counts.checkpoints)}`],
          ["Proven up to", proven === null ? "nothing" : `position ${count(proven.position)}`],
          ...(proven === null ? [] : ([["Signed", <When key="signed" at={proven.at} />]] as const)),
          ["Not yet signed", tail === 1 ? "one entry" : `${count(tail)} entries`],
          ["Pruned", pruned.entries === 0 ? "nothing" : `${count(pruned.entries)} of ${counted(pruned.runs, "run")}`],
          ["Masked secrets", count(masked)],
          ["Head", <span key="head" className="mono">{`${head.position} ${head.hash.slice(0, 16)}`}</span>],
        ]}
      />
      <Findings report={report} />
      {report.notCovered.length > 0 && (
        <details className="audit__limits">
          <summary>What this does not cover</summary>
          <ul>
            {report.notCovered.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Findings({ report: { findings, moreFindings } }: { readonly report: AuditReport }): ReactNode {
  if (findings.length === 0) return null;
  return (
    <ul className="findings" aria-label="What is wrong">
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.position} ${finding.row}`}>
          <FindingText finding={finding} />
        </li>
      ))}
      {moreFindings > 0 && <li>and {count(moreFindings)} more</li>}
    </ul>
  );
}

function FindingText({ finding }: { readonly finding: AuditFinding }): ReactNode {
  const { position, run, sequence, row } = finding;
  return (
    <>
      <strong>{finding.message}</strong>{" "}
      <span className="soft">
        {position !== null && `position ${position} `}
        {run !== null && (
          <>
            run <Link href={links.run(run, { tab: "timeline" })}>{run}</Link> {sequence !== null && `#${sequence} `}
          </>
        )}
        {row}
      </span>
      <br />
      {finding.meaning} {finding.remedy}
    </>
  );
}
