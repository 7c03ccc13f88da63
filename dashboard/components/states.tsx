import { Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";

interface Told {
  readonly message: string;
  readonly hint: string;
}

/** Something went wrong: what, and what to do. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }): ReactNode {
  const { message, hint } = toldBy(error);
  return (
    <div className="state state--bad" role="alert">
      <Icon name="warning" size={22} />
      <div>
        <p className="state__title">{withCommands(message)}</p>
        {hint !== "" && <p className="state__hint">{withCommands(hint)}</p>}
        {retry !== undefined && !isMissing(error) && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

/** What is not there is not there the next time either. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && "status" in error && error.status === 404;
}

/** The terminal shows commands between backticks; here they have a look of their own. */
export function withCommands(text: string): ReactNode {
  return text.split(/`([^`]+)`/).map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}

function toldBy(error: unknown): Told {
  if (error instanceof Error) {
    return { message: error.message, hint: "hint" in error && typeof error.hint === "string" ? error.hint : "" };
  }
  return { message: "Something went wrong.", hint: "Load the page again." };
}

/** Nothing to show, and what would bring something here. */
export function Empty({
  icon = "info",
  title,
  children,
}: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className="state">
      <Icon name={icon} size={22} />
      <div>
        <p className="state__title">{title}</p>
        {children !== undefined && <div className="state__hint">{children}</div>}
      </div>
    </div>
  );
}

export function Loading({ what, rows = 4 }: { readonly what: string; readonly rows?: number }): ReactNode {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading {what}</span>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={18} mb={10} width={`${95 - ((row * 17) % 40)}%`} />
      ))}
    </div>
  );
}

interface Asked<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/** What was asked for, once it is there; an old answer stays while a new one fails. */
export function Answer<Data>({
  of,
  what,
  children,
}: {
  readonly of: Asked<Data>;
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  if (of.data !== undefined) return children(of.data);
  if (of.isPending) return <Loading what={what} />;
  return <Problem error={of.error} retry={() => void of.refetch()} />;
}
