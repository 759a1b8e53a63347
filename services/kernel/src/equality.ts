/**
 * Compares two values of plain data (primitives, times, lists, objects). The order of fields is
 * ignored, and a field that is undefined equals a missing one.
 */
export function isSameData(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isComposite(left) || !isComposite(right)) return false;
  if (left instanceof Date || right instanceof Date) {
    return left instanceof Date && right instanceof Date && left.getTime() === right.getTime();
  }
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const fields = presentFields(left);
  return (
    fields.length === presentFields(right).length &&
    fields.every((field) => Object.hasOwn(right, field) && isSameData(left[field], right[field]))
  );
}

type Composite = Readonly<Record<string, unknown>>;

function isComposite(value: unknown): value is Composite {
  return typeof value === 'object' && value !== null;
}

function presentFields(value: Composite): string[] {
  return Object.keys(value).filter((field) => value[field] !== undefined);
}
