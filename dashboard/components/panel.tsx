import { type ReactNode, useId } from "react";

/** A part of a page with a heading. */
export function Panel({
  title,
  aside,
  children,
  flush = false,
}: {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** Its content reaches to the border. */
  readonly flush?: boolean;
}): ReactNode {
  const id = useId();
  return (
    <section className={flush ? "panel panel--flush" : "panel"} aria-labelledby={id}>
      <header className="panel__head">
        <h2 id={id} className="panel__title">
          {title}
        </h2>
        {aside !== undefined && <div className="panel__aside">{aside}</div>}
      </header>
      <div className="panel__body">{children}</div>
    </section>
  );
}

/** Name and value, side by side. */
export function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <dl className="pairs">
      {pairs.map(([name, value]) => (
        <div key={name} className="pairs__pair">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The head of a page: its one h1, what belongs beside it, and below. */
export function PageHead({
  title,
  above,
  aside,
  children,
}: {
  readonly title: ReactNode;
  readonly above?: ReactNode;
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <header className="page-head">
      {above !== undefined && <div className="page-head__above">{above}</div>}
      <div className="page-head__row">
        <h1 className="page-head__title" tabIndex={-1}>
          {title}
        </h1>
        {aside !== undefined && <div className="page-head__aside">{aside}</div>}
      </div>
      {children}
    </header>
  );
}
