import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, delimiter, dirname, join, sep } from "node:path";
import { trustedFolders } from "../process-group/clean-environment.ts";
import { type LayeredFolder, layerPlace, type LayerTools } from "./layered-folders.ts";

/** What a gate finds in the sandbox, besides its directory. */
export interface View {
  /** Real path; the only folder outside of the sandbox that is changed when the gate writes. */
  readonly directory: string;
  /** Folders of the operator's list that are layered. */
  readonly toolchains: readonly SeenFolder[];
  /** Folders that the gate is brought. Without layers they can only be read. */
  readonly brought: readonly SeenFolder[];
  /** What makes the layers of both; null where there are none. */
  readonly layers: Extract<LayerTools, { readonly unshare: string }> | null;
  /** Real paths of folders that must not be visible. */
  readonly hidden: readonly string[];
  /** Whether it may look up the names of other machines. */
  readonly network: boolean;
  /** Bytes that each of its folders for passing files may take; null where bubblewrap cannot tell the kernel. */
  readonly passing: number | null;
}

/** A folder from outside: its real path, and the absolute places at which a gate sees it. */
export interface SeenFolder extends LayeredFolder {
  readonly to: readonly string[];
}

/** The folders that are under a layer, in the order of their layers. */
export function layeredFolders({ layers, toolchains, brought }: View): readonly SeenFolder[] {
  return layers === null ? [] : [...toolchains, ...brought];
}

/** Where a gate's home and its passing files are. */
export const HOME = "/tmp/home";

/** The arguments of bubblewrap that make the view. The order matters: a later mount lies over an earlier one. */
export function viewArguments(view: View): string[] {
  return [
    ...systemArguments(),
    ...(view.network ? shown("/etc/resolv.conf") : []),
    ...ownArguments(view.passing),
    ...toolArguments(view),
    ...view.toolchains.flatMap((folder) => folderArguments(view, folder)),
    "--bind",
    view.directory,
    view.directory,
    ...repositoryArguments(view.directory),
    ...view.brought.flatMap((folder) => folderArguments(view, folder)),
    ...view.hidden.filter((folder) => isBelow(folder, view.directory)).flatMap(emptied),
    "--remount-ro",
    "/",
    "--chdir",
    view.directory,
  ];
}

function folderArguments(view: View, folder: SeenFolder): string[] {
  const index = layeredFolders(view).indexOf(folder);
  const source = index === -1 ? ["--ro-bind", folder.from] : ["--bind", layerPlace(index)];
  return folder.to.flatMap((place) => [...source, place]);
}

/** Devices, processes and passing files of its own. If `/proc` could be written, root could set the kernel's variables. */
function ownArguments(passing: number | null): string[] {
  const size = passing === null ? "" : `--size ${passing}`;
  const own = `--dev /dev ${size} --tmpfs /dev/shm --remount-ro /dev --proc /proc --remount-ro /proc ${size} --tmpfs /tmp --dir ${HOME}`;
  return own.split(/ +/);
}

/** Programs and libraries. `/bin` is a link on most systems, and has to stay one. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"];

/** What programs need of `/etc`, and no more: each costs a mount, and the rest is the operator's keys and passwords. */
const SETTINGS =
  /^(?:alternatives|crypto-policies|fonts|group|hosts|java.*|ld\.so\.cache|ld-musl.*|localtime|nsswitch\.conf|openssl|os-release|passwd|pki|protocols|services|ssl|static)$/;
/** Debian's Maven does not start without these; the rest of the folder may hold passwords. */
const MAVEN_SETTINGS = ["/etc/maven/m2.conf", "/etc/maven/logging"];
const PRIVATE_SETTINGS = ["/etc/ssl/private", "/etc/pki/tls/private"];

let system: readonly string[] | null = null;

/** The same for every gate. */
function systemArguments(): readonly string[] {
  system ??= [
    ...SYSTEM.flatMap(shown),
    ...namesIn("/etc")
      .filter((name) => SETTINGS.test(name))
      .flatMap((name) => shown(`/etc/${name}`)),
    ...MAVEN_SETTINGS.flatMap(shown),
    ...PRIVATE_SETTINGS.filter((folder) => namesIn(folder).length > 0).flatMap(emptied),
  ];
  return system;
}

/** A link into the system stays a link, which costs nothing. */
function shown(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const real = stats.isSymbolicLink() ? realOf(path) : null;
  const isLink = real !== null && SYSTEM.some((place) => isBelow(real, place));
  return isLink ? ["--symlink", real, path] : ["--ro-bind-try", path, path];
}

function emptied(folder: string): string[] {
  return ["--tmpfs", folder, "--remount-ro", folder];
}

/** Programs outside of the system's folders: our own Node, and what else is on the path, with its libraries beside it. */
function toolArguments(view: View): string[] {
  const kept = homes();
  const shownOnes = findTools().filter((tool) => mayBeShown(tool, kept, view));
  return shownOnes.flatMap(({ place }) => ["--ro-bind-try", place, place]);
}

interface ToolFolder {
  readonly place: string;
  readonly real: string;
}

let tools: { readonly path: string; readonly found: readonly ToolFolder[] } | null = null;

/** Looked for once, as long as the path stays the same. */
function findTools(): readonly ToolFolder[] {
  const named = [dirname(process.execPath), ...trustedFolders()];
  const path = named.join(delimiter);
  if (tools?.path !== path) {
    const places = new Set(named.flatMap((folder) => [folder, realOf(folder) ?? folder]).flatMap(withLibraries));
    tools = { path, found: [...places].flatMap(asTool) };
  }
  return tools.found;
}

function withLibraries(folder: string): string[] {
  const isPartOfMore = basename(folder) === "bin";
  return isPartOfMore ? [folder, join(dirname(folder), "lib"), join(dirname(folder), "libexec")] : [folder];
}

/** Nothing that is shown anyway. */
function asTool(place: string): ToolFolder[] {
  const real = realOf(place);
  const isTool = real !== null && isFolder(real) && !SYSTEM.some((folder) => isAtOrBelow(place, folder));
  return isTool ? [{ place, real }] : [];
}

/** Where a gate sees programs and libraries of the machine, whatever its directory is. */
export function programPlaces(hidden: readonly string[]): string[] {
  const view = { directory: null, hidden };
  const shownOnes = findTools().filter((tool) => mayBeShown(tool, homes(), view));
  return [...SYSTEM, ...shownOnes.map(({ place }) => place)];
}

/** Nothing that would show the home or what is hidden along with it, or lie over what is the sandbox's own. */
function mayBeShown(
  { place, real }: ToolFolder,
  kept: readonly string[],
  { directory, hidden }: { readonly directory: string | null; readonly hidden: readonly string[] },
): boolean {
  const names = [place, real];
  const directories = directory === null ? [] : [directory];
  const isShown = directories.some((folder) => isAtOrBelow(place, folder));
  const showsMore = [...kept, ...directories, ...hidden].some((folder) =>
    names.some((name) => isAtOrBelow(folder, name)),
  );
  const isHidden = [...hidden, ...OURS].some((folder) => names.some((name) => isAtOrBelow(name, folder)));
  return !isShown && !showsMore && !isHidden;
}

/** Home folders of the operator: the one that is said, and the one that the system knows. */
export function homes(): string[] {
  return [homedir, () => userInfo().homedir].flatMap((find) => {
    try {
      return [find(), realOf(find()) ?? find()];
    } catch {
      // A user without a name on this system has no home.
      return [];
    }
  });
}

/** Folders of the sandbox itself. */
const OURS = ["/proc", "/dev", "/sys"];

/** A program that can write these decides what git runs on the operator's machine the next time. */
function repositoryArguments(directory: string): string[] {
  const place = join(directory, ".git");
  const real = realOf(place);
  return real !== null && isBelow(real, directory) ? ["--ro-bind", real, real] : [];
}

/** Both absolute, with nothing in them that leads upwards. */
export function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

export function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
