/** The cursor of a position in the feed: after a restore, cursors begin with its code. */
export function feedCursor(nextAfter: string, position: string | number): string {
  const dot = nextAfter.lastIndexOf('.');
  return `${nextAfter.slice(0, dot + 1)}${String(position)}`;
}
