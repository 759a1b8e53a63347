// Rejects JSON that the services could not store unchanged.

/** Deeper than any valid request, and safe for recursive traversal. */
const depthMax = 64;

/** True if a parsed body is not too deep and all its texts, including names, are valid Unicode. */
export function isStorableJson(body: unknown): boolean {
  const open: { value: unknown; depth: number }[] = [{ value: body, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && !value.isWellFormed()) return false;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > depthMax) return false;
    for (const [name, nested] of Object.entries(value)) {
      if (!name.isWellFormed()) return false;
      open.push({ value: nested, depth: depth + 1 });
    }
  }
  return true;
}
