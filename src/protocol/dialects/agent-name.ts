/** `BackendBuilder` and `Iron Man` as `backend-builder` and `iron-man`. */
export function kebabCase(name: string): string {
  const kebab = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[-0-9]+|-+$/g, "");
  return kebab === "" ? UNKNOWN_AGENT : kebab;
}

/** Stands for an author or receiver that a handoff does not name. */
export const UNKNOWN_AGENT = "unknown-agent";
