// Rejects JSON that the services could not store unchanged.

/** Deeper than any valid request, and safe for recursive traversal. */
const depthMax = 64;

/** True if a parsed body is not too deep and all its texts, including names, are valid Unicode. */
export function isStorableJson(body: unknown): boolean {
  return isStorableBelow(body, 1);
}

// A body may have half a million values: nothing is made for each of them.
function isStorableBelow(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (depth > depthMax) return false;
  if (Array.isArray(value)) return value.every((nested) => isStorableBelow(nested, depth + 1));
  for (const [name, nested] of Object.entries(value)) {
    if (!name.isWellFormed() || !isStorableBelow(nested, depth + 1)) return false;
  }
  return true;
}
