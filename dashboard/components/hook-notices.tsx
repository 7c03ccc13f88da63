import type { ReactNode } from "react";
import type { HookStatus } from "../../src/api/answers.ts";
import { Icon } from "./icons.tsx";
import { withCommands } from "./states.tsx";

/**
 * What keeps handoffs of sessions from being checked: clients go on in silence where a hook is missing, not trusted or
 * broken. Of one client, or of all.
 */
export function HookNotices({
  hooks,
  client = null,
}: {
  /** Undefined until it is known. */
  readonly hooks: HookStatus | undefined;
  readonly client?: string | null;
}): ReactNode {
  const all = hooks?.notices ?? [];
  const notices = all.filter((one) => client === null || one.client === null || one.client === client);
  if (notices.length === 0) return null;
  return (
    <ul className="hook-notices" aria-label="Not checked">
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
