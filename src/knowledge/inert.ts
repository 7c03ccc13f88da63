/** Markdown that could act (images, links, headings, HTML, fences, table ends) shows as the characters it is made of. */
export function inert(text: string): string {
  return text
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll("`", "ʼ")
    .replaceAll(/!?\[([^\]]*)\]\(([^)]*)\)/g, "$1 ($2)")
    .replaceAll(/[<>]/g, (sign) => (sign === "<" ? "‹" : "›"))
    .replaceAll(/\b(https?|ftp|file|data|javascript):/gi, "$1 :")
    .replace(/^[\s#>*+-]+/, "")
    .replaceAll("**", "");
}

/** Inert text that ends no cell of a table. */
export function cell(text: string): string {
  return text.replaceAll("|", "¦");
}
