import { type ReactNode, useState } from "react";
import { piecesOf } from "./visible-characters.ts";

/** More of one text than this is shown only when asked for. */
const MAX_SHOWN = 1_200;

/**
 * Words of an agent, in a line of ours: never HTML, in a direction of its own, without anything that hides.
 * `lines` clamps it.
 */
export function AgentText({ text, lines }: { readonly text: string; readonly lines?: 1 | 2 | 3 }): ReactNode {
  const clamp = lines === undefined ? "" : ` clamp clamp--${lines}`;
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return (
    <bdi className={`agent-text${clamp}`} {...(lines === undefined ? {} : { title: cut.slice(0, 400) })}>
      <Pieces text={cut} />
    </bdi>
  );
}

/** The same as a paragraph that can be opened when it is long. */
export function AgentParagraph({ text }: { readonly text: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > MAX_SHOWN;
  const shown = isLong && !isOpen ? text.slice(0, MAX_SHOWN) : text;
  return (
    <div className="agent-paragraph">
      {shown.split("\n").map((line, index) => (
        <bdi key={index} className="agent-text agent-text--line">
          <Pieces text={line} />
        </bdi>
      ))}
      {isLong && (
        <button type="button" className="link-button" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${text.length.toLocaleString()} characters`}
        </button>
      )}
    </div>
  );
}

export function Pieces({ text }: { readonly text: string }): ReactNode {
  return piecesOf(text).map(({ text: piece, isHidden }, index) =>
    isHidden ? (
      <span key={index} className="hidden-character" title="A character that cannot be seen">
        {piece}
      </span>
    ) : (
      piece
    ),
  );
}
