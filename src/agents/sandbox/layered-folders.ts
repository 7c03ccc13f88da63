import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Folders that a gate sees as they are and may change for itself: its changes are in memory and end with it. The kernel
 * lays a second folder over each of them (overlayfs), in a user namespace around that of bubblewrap, whose own layers
 * came with 0.11. A socket or a pipe in such a folder has no other end: what listens outside cannot be reached.
 */
export interface LayeredFolder {
  /** Real path. */
  readonly from: string;
  /** Paths in it, relative, that the gate must not see. */
  readonly without: readonly string[];
}

/** The programs that make layers, or why there are none. */
export type LayerTools = { readonly unshare: string; readonly searchPath: string } | { readonly why: string };

/** Where layers are while the sandbox is made: a gate sees no `/sys`, so that nothing is missed below them. */
const LAYERS = "/sys";

/** Where a layered folder is for bubblewrap. */
export function layerPlace(index: number): string {
  return `${LAYERS}/${index}/seen`;
}

/**
 * Each folder is bound to a name of ours first: in the options of an overlay, commas and colons have a meaning. What is
 * removed from a layer is hidden by it, and nothing in the sandbox leads below the layer.
 */
const SCRIPT = `
PATH=$1; size=$2; index=0; shift 2
mount -i -t tmpfs -o "size=$size,mode=755" layers ${LAYERS} || exit 125
while [ "$1" != -- ]; do
  place=${LAYERS}/$index
  mkdir -p $place/below $place/changes $place/work $place/seen && mount -i --bind "$1" $place/below &&
  mount -i -t overlay -o lowerdir=$place/below,upperdir=$place/changes,workdir=$place/work,userxattr layer $place/seen || {
    echo "$1 cannot be brought: no layer can be laid over it" >&2; exit 125
  }
  index=$((index + 1)); shift
done
shift
while [ "$1" != -- ]; do rm -rf "$1" || exit 125; shift; done
shift
exec "$@"
`;

/** The same command, with the layers around it. In its namespace it runs as root, with the rights of the operator. */
export function layeredCommand(
  tools: Extract<LayerTools, { readonly unshare: string }>,
  folders: readonly LayeredFolder[],
  size: number,
  command: readonly string[],
): string[] {
  const hidden = folders.flatMap(({ without }, index) => without.map((path) => `${layerPlace(index)}/${path}`));
  const script = ["/bin/sh", "-c", SCRIPT, "sh", tools.searchPath, String(size)];
  return [
    tools.unshare,
    "-U",
    "-r",
    "-m",
    ...script,
    ...folders.map(({ from }) => from),
    "--",
    ...hidden,
    "--",
    ...command,
  ];
}

/** Kernels before 5.11 have no layers for ordinary users, and some systems forbid them namespaces: only a trial tells. */
export async function tryLayers(
  tools: Extract<LayerTools, { readonly unshare: string }>,
  trial: readonly string[],
  timeout: number,
): Promise<LayerTools> {
  const [program = "", ...parameters] = layeredCommand(tools, [{ from: "/usr", without: [] }], 65_536, trial);
  try {
    await promisify(execFile)(program, parameters, { env: {}, timeout });
    return tools;
  } catch (error) {
    const told = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    return { why: (told === "" ? String(error) : told).split("\n", 1)[0] ?? "" };
  }
}
