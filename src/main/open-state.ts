import type { Engine } from "../runtime/engine.ts";

/**
 * The engine over the state of a repository: in the store that the environment names, or in files. `made` makes files
 * where there are none; without it there is an empty state, and nothing is made. Of a shared store nothing is loaded
 * where none is named.
 */
export async function openState(
  directory: string,
  configFolder: string,
  notify: (message: string) => void,
  made: "made" | "existing",
): Promise<Engine> {
  const { sharedStoreOf } = await import("./shared-store.ts");
  const store = sharedStoreOf(process.env);
  if (store !== null) {
    const { openSharedEngine } = await import("./open-shared-engine.ts");
    return openSharedEngine(directory, configFolder, notify, store);
  }
  const { openEngine, openExisting } = await import("./open-engine.ts");
  return (made === "made" ? openEngine : openExisting)(directory, configFolder, notify);
}
