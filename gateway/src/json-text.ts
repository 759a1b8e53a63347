// What JSON allows and nothing behind the gateway could keep as it is.

/** Deeper than any request of ours; what walks a body by recursion is safe below it. */
const depthMax = 64;

/**
 * Whether a parsed body is flat enough, and all its texts, names too, are Unicode that can be
 * stored and read back.
 */
export function isKeepable(body: unknown): boolean {
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
