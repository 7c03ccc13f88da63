/** `relay-*.json`: each part between stars is looked for behind the one before it. */
export function fitsFileName(path: string | undefined, pattern: string): boolean {
  if (path === undefined) return false;
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
  const [first = "", ...parts] = pattern.toLowerCase().split("*");
  const last = parts.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
