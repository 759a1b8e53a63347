// Changed by reads, or by work that goes on while the releases are changed.
const volatile = new Set([
  'lastUsedAt',
  // Release 0.1.0 attaches no PDF to emails, and shows null and no file.
  ...['attachPdf', 'attachments'],
]);

/** Lists fields of `before` that `after` lacks or has otherwise. Fields only in `after` are new. */
export function differences(before: unknown, after: unknown, path = ''): string[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const isShorter = before.length !== after.length;
    const lengths = `${path}: ${String(before.length)} items became ${String(after.length)}`;
    if (isShorter) return [lengths];
    return before.flatMap((one, index) =>
      differences(one, after[index], `${path}[${String(index)}]`),
    );
  }
  if (isRecord(before) && isRecord(after)) {
    return Object.entries(before)
      .filter(([name]) => !volatile.has(name))
      .flatMap(([name, value]) => differences(value, after[name], `${path}.${name}`));
  }
  if (Object.is(before, after)) return [];
  return [`${path}: ${shown(before)} became ${shown(after)}`];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
