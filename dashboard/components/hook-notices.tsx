import type { ReactNode } from "react";
import type { HookStatus } from "../../src/api/answers.ts";
import { Icon } from "./icons.tsx";
import { withCommands } from "./states.tsx";

interface Noticed {
  /** Absent until the server has answered. */
  readonly status: HookStatus | undefined;
  readonly client?: string | null;
}

/**
 * What keeps handoffs of sessions from being checked: clients go on in silence where a hook is missing, not trusted or
 * broken. Of one client, or of all.
 */
export function HookNotices({ status, client = null }: Noticed): ReactNode {
  const notices = (status?.notices ?? []).filter(
    (one) => client === null || one.client === null || one.client === client,
  );
  return <Notices label="Not checked" notices={notices} />;
}

interface Shown {
  readonly label: string;
  readonly notices: readonly { readonly says: string; readonly fix: string }[];
}

/** What does not happen as it was meant to, and what mends it. */
export function Notices({ label, notices }: Shown): ReactNode {
  if (notices.length === 0) return null;
  return (
    <ul className="hook-notices" aria-label={label}>
      {notices.map(({ says, fix }) => (
        <li key={says}>
          <Icon name="warning" />
          <div>
            <p className="hook-notices__says">{withCommands(says)}</p>
            <p>{withCommands(fix)}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
