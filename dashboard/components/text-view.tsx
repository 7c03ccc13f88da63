import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import type { Diagnostic } from "../../src/api/answers.ts";
import { AgentText, Pieces } from "./agent-text.tsx";
import { Badge, SEVERITY_LOOKS } from "./badge.tsx";
import { CopyButton } from "./copy-button.tsx";
import { count, counted } from "./format.ts";
import { type Mark, type TextRow, textRows } from "./text-rows.ts";
import { countHidden } from "./visible-characters.ts";

const NO_NOTES: readonly Diagnostic[] = [];
/** Up to here all rows are in the page, so that the browser's own search finds them. */
const MAX_AT_ONCE = 400;

/**
 * A text exactly as it is, line by line, with notes in place. Whatever its size, only what is seen is drawn; what
 * hides in it is told by its code.
 */
export function TextView({
  text,
  label,
  notes = NO_NOTES,
  look = "text",
  line = 0,
}: {
  readonly text: string;
  readonly label: string;
  readonly notes?: readonly Diagnostic[];
  readonly look?: "text" | "diff";
  /** The line that is meant: it is shown and scrolled to. */
  readonly line?: number;
}): ReactNode {
  const rows = useMemo(() => textRows(text, notes), [text, notes]);
  const hidden = useMemo(() => countHidden(text), [text]);
  return (
    <div className={`text-view text-view--${look}`}>
      <div className="text-view__head">
        <span>
          {counted(text.length, "character")}
          {hidden > 0 && (
            <strong className="ink--warning">, {count(hidden)} of them hidden and shown by their codes</strong>
          )}
        </span>
        <CopyButton text={text} what={label} />
      </div>
      {rows.length <= MAX_AT_ONCE ? (
        <div className="text-view__box" role="region" aria-label={label} tabIndex={0}>
          {rows.map((row, index) => (
            <Row key={index} row={row} look={look} line={line} />
          ))}
        </div>
      ) : (
        <ManyRows rows={rows} label={label} look={look} line={line} />
      )}
    </div>
  );
}

function ManyRows({
  rows,
  label,
  look,
  line,
}: {
  readonly rows: readonly TextRow[];
  readonly label: string;
  readonly look: string;
  readonly line: number;
}): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => 20,
    overscan: 20,
  });
  useEffect(() => {
    const meant = rows.findIndex((row) => isMeant(row, line));
    if (meant !== -1) virtual.scrollToIndex(meant, { align: "center" });
  }, [rows, line, virtual]);
  const shown = virtual.getVirtualItems();
  return (
    <div className="text-view__box text-view__box--many" role="region" aria-label={label} tabIndex={0} ref={box}>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        <div className="text-view__window" style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
          {shown.map(({ index }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <div key={index} data-index={index} ref={virtual.measureElement}>
                <Row row={row} look={look} line={line} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function isMeant(row: TextRow, line: number): boolean {
  return row.kind === "text" && row.isFirst && row.line === line;
}

function Row({ row, look, line }: { readonly row: TextRow; readonly look: string; readonly line: number }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const meant = isMeant(row, line);
  useEffect(() => {
    if (meant) place.current?.scrollIntoView({ block: "center" });
  }, [meant]);
  if (row.kind === "note") return <Note note={row.note} />;
  const classes = `text-row${look === "diff" ? diffClass(row.text) : ""}${meant ? " text-row--meant" : ""}`;
  return (
    <div ref={place} className={classes}>
      <span className="text-row__number" aria-hidden="true">
        {row.isFirst ? row.line : ""}
      </span>
      <span className="text-row__text">
        <Marked text={row.text} marks={row.marks} />
      </span>
    </div>
  );
}

function diffClass(text: string): string {
  if (text.startsWith("@@")) return " text-row--place";
  if (text.startsWith("+")) return " text-row--added";
  return text.startsWith("-") ? " text-row--taken" : "";
}

function Marked({ text, marks }: { readonly text: string; readonly marks: readonly Mark[] }): ReactNode {
  if (marks.length === 0) return <Pieces text={text} />;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { from, to, severity } of marks) {
    parts.push(<Pieces key={`${at} before`} text={text.slice(at, from)} />);
    parts.push(
      <mark key={from} className={`mark mark--${severity}`}>
        <Pieces text={text.slice(from, to)} />
      </mark>,
    );
    at = to;
  }
  parts.push(<Pieces key="rest" text={text.slice(at)} />);
  return parts;
}

function Note({ note }: { readonly note: Diagnostic }): ReactNode {
  return (
    <div className="text-note">
      <Badge look={SEVERITY_LOOKS[note.severity]} />
      <span className="text-note__text">
        <AgentText text={note.message} />
        {note.hint !== null && (
          <span className="soft">
            {" "}
            <AgentText text={note.hint} />
          </span>
        )}
        <span className="soft mono"> {note.rule ?? note.code}</span>
      </span>
    </div>
  );
}
