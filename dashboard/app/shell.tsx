import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { Icon, type IconName } from "../components/icons.tsx";
import { links } from "../components/links.ts";
import { aboutQuery, inboxQuery, unanswered } from "../data/queries.ts";
import { ColorSchemeSwitch } from "./color-scheme-switch.tsx";
import { LineNote, LineWarning } from "./line-note.tsx";
import { Shortcuts } from "./shortcuts.tsx";

export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const main = useRef<HTMLElement>(null);
  useFocusOnNewPage(main);
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <header className="shell__side">
        <Brand />
        <Navigation />
        <div className="shell__tools">
          <LineNote />
          <div className="shell__buttons">
            <ColorSchemeSwitch />
            <Shortcuts />
          </div>
        </div>
      </header>
      <main id="main" className="shell__main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <LineWarning />
    </div>
  );
}

function Brand(): ReactNode {
  const { data } = useQuery(aboutQuery);
  return (
    <Link href={links.runs} className="brand">
      <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#1c5fd4" />
        <path d="M8 23 23 8" stroke="#fff" strokeWidth="5" strokeLinecap="round" />
      </svg>
      <span className="brand__name">Baton</span>
      {data !== undefined && (
        <span className="brand__root" title={`Version ${data.version}`}>
          {data.demo ? `${data.root} (demo)` : data.root}
        </span>
      )}
    </Link>
  );
}

const PAGES: readonly { readonly href: string; readonly word: string; readonly icon: IconName }[] = [
  { href: links.runs, word: "Runs", icon: "runs" },
  { href: links.inbox, word: "Inbox", icon: "inbox" },
  { href: links.knowledge, word: "Knowledge", icon: "knowledge" },
  { href: links.metrics, word: "Metrics", icon: "metrics" },
  { href: links.audit, word: "Audit", icon: "audit" },
];

function Navigation(): ReactNode {
  const [place] = useLocation();
  const { data } = useQuery(inboxQuery);
  const asks = data === undefined ? 0 : unanswered(data);
  return (
    <nav className="navigation" aria-label="Pages">
      <ul>
        {PAGES.map(({ href, word, icon }) => (
          <li key={href}>
            <Link href={href} className="navigation__link" {...(isAt(place, href) ? { "aria-current": "page" } : {})}>
              <Icon name={icon} />
              {word}
              {href === links.inbox && asks > 0 && (
                <span className="navigation__count">
                  {asks}
                  <span className="visually-hidden"> waiting</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isAt(place: string, href: string): boolean {
  if (href === links.runs) return place === "/" || place.startsWith("/runs/");
  return place === href || place.startsWith(`${href}/`);
}

/** A new page is read from its beginning, also by a screen reader. */
function useFocusOnNewPage(main: React.RefObject<HTMLElement | null>): void {
  const [place] = useLocation();
  const last = useRef(place);
  useEffect(() => {
    if (last.current === place) return;
    last.current = place;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [place, main]);
}
