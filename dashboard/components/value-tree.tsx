import { type ReactNode, useEffect, useRef } from "react";
import { AgentParagraph } from "./agent-text.tsx";

/** Items of one list that are shown; a handoff can have fifty thousand. */
const MAX_ITEMS = 200;

/** Any value of JSON as names and values. `at` is the path of the one that is meant: it is shown and scrolled to. */
export function ValueTree({
  value,
  path = "",
  at = "",
}: {
  readonly value: unknown;
  readonly path?: string;
  readonly at?: string;
}): ReactNode {
  if (Array.isArray(value)) return <Items items={value} path={path} at={at} />;
  if (typeof value === "object" && value !== null) return <Fields fields={value} path={path} at={at} />;
  return <AgentParagraph text={typeof value === "string" ? value : String(value)} />;
}

function Fields({
  fields,
  path,
  at,
}: {
  readonly fields: object;
  readonly path: string;
  readonly at: string;
}): ReactNode {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return <span className="soft">nothing</span>;
  return (
    <dl className="tree">
      {entries.slice(0, MAX_ITEMS).map(([name, value]) => (
        <Place key={name} path={join(path, name)} at={at} className="tree__field">
          <dt>{name}</dt>
          <dd>
            <ValueTree value={value} path={join(path, name)} at={at} />
          </dd>
        </Place>
      ))}
      <Rest count={entries.length - MAX_ITEMS} />
    </dl>
  );
}

function Items({
  items,
  path,
  at,
}: {
  readonly items: readonly unknown[];
  readonly path: string;
  readonly at: string;
}): ReactNode {
  if (items.length === 0) return <span className="soft">none</span>;
  return (
    <ol className="tree__items">
      {items.slice(0, MAX_ITEMS).map((item, index) => (
        <li key={index}>
          <Place path={join(path, String(index))} at={at} className="tree__item">
            <ValueTree value={item} path={join(path, String(index))} at={at} />
          </Place>
        </li>
      ))}
      {items.length > MAX_ITEMS && (
        <li>
          <Rest count={items.length - MAX_ITEMS} />
        </li>
      )}
    </ol>
  );
}

function Rest({ count }: { readonly count: number }): ReactNode {
  return count <= 0 ? null : <span className="soft">and {count} more, which the source shows</span>;
}

function Place({
  path,
  at,
  className,
  children,
}: {
  readonly path: string;
  readonly at: string;
  readonly className: string;
  readonly children: ReactNode;
}): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const isMeant = path === at;
  useEffect(() => {
    if (isMeant) place.current?.scrollIntoView({ block: "center" });
  }, [isMeant]);
  return (
    <div ref={place} className={isMeant ? `${className} tree__meant` : className} data-path={path}>
      {children}
    </div>
  );
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
