import { quote } from "../wording.ts";
import { type Court, type Finding, NO_PROCEDURE, ON_SIGHT, confirmed, refuted, unverifiable } from "./finding.ts";

interface Workspace {
  readonly path: string | null;
  readonly type: string | null;
  readonly port: string | null;
}

const PROCEDURE = "compare with the workspace that is looked at";

/** Only this workspace is looked at: of another one nothing is known. */
export function judgeWorkspace({ path, type, port }: Workspace, court: Court): Finding {
  if (port !== null) return judgePort(port, court.port);
  const isThis = path === null ? null : isThisWorkspace(path, court.sightings.workspace.path);
  if (type !== null) return judgeType(type, isThis, court);
  if (path === null || /\p{Cc}/u.test(path)) return refuted(ON_SIGHT, "That is no path.");
  if (isThis === true) return confirmed(PROCEDURE, "It is the workspace.");
  return unverifiable(PROCEDURE, `Another workspace is looked at: ${quote(court.sightings.workspace.path)}.`);
}

/** An absolute path in it, or a relative one from a folder beside it. */
function isThisWorkspace(path: string, workspace: string): boolean {
  const root = normal(workspace);
  if (/^(?:\/|[A-Za-z]:)/.test(path)) {
    const claimed = normal(path);
    return claimed === root || (claimed !== null && root !== null && claimed.startsWith(`${root}/`));
  }
  return [root, parentOf(root)].some((from) => from !== null && root !== null && normal(`${from}/${path}`) === root);
}

function parentOf(path: string | null): string | null {
  return path === null ? null : `${path}/..`;
}

/** Without `.`, `..` and doubled slashes; null when it leads above the root. */
function normal(path: string): string | null {
  const names: string[] = [];
  for (const name of path.replaceAll("\\", "/").split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return null;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

function judgeType(type: string, isThis: boolean | null, { sightings }: Court): Finding {
  const { isLinkedWorktree } = sightings.workspace;
  const evidence = isLinkedWorktree ? "It is a linked worktree." : "It is no linked worktree.";
  if (isThis === false) return unverifiable(PROCEDURE, "Another workspace is looked at.");
  if (!sightings.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  if (type !== "worktree" && type !== "in-place")
    return unverifiable(NO_PROCEDURE, "This type cannot be told from here.");
  return (type === "worktree") === isLinkedWorktree ? confirmed(PROCEDURE, evidence) : refuted(PROCEDURE, evidence);
}

function judgePort(port: string, leased: string | null): Finding {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) return refuted(ON_SIGHT, "A port is a number from 1 to 65535.");
  if (leased === null) return unverifiable(NO_PROCEDURE, "No port was leased to this run.");
  const evidence = `The port leased to the run is ${leased}.`;
  return String(number) === leased
    ? confirmed("compare with the lease", evidence)
    : refuted("compare with the lease", evidence);
}
