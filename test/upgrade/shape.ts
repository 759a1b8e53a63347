import { BSON } from 'mongodb';

/** Types of a field, by its path; items of a list and values of a map share one path. */
type Shape = ReadonlyMap<string, ReadonlySet<string>>;

// Keys that are data: ids, times, numbers.
const dataKey = /^[0-9a-f]{8}-|^\d|:/;

/** The fields of documents, with every type that they have. */
export function shapeOf(documents: readonly unknown[]): Shape {
  const shape = new Map<string, Set<string>>();
  const add = (path: string, value: unknown): void => {
    const type = typeOf(value);
    shape.set(path, (shape.get(path) ?? new Set()).add(type));
    if (Array.isArray(value)) {
      for (const item of value) add(`${path}[]`, item);
    } else if (type === 'object') {
      for (const [name, inner] of Object.entries(value as object)) {
        add(`${path}.${dataKey.test(name) ? '*' : name}`, inner);
      }
    }
  };
  for (const document of documents) add('', document);
  return shape;
}

/** Lists fields of a document that no other document of its collection has. */
export function lostFields(document: unknown, others: readonly unknown[]): string[] {
  const stored = shapeOf(others);
  return [...shapeOf([document])].flatMap(([path, types]) => {
    const now = stored.get(path);
    if (now === undefined) return [`${path} is gone`];
    const known = [...types].filter((type) => type !== 'null' && !now.has(type));
    // An optional field may be null in all of the others.
    const isOther = known.length > 0 && [...now].some((type) => type !== 'null');
    return isOther ? [`${path} was ${known.join()} and is ${[...now].join()}`] : [];
  });
}

/** Canonical types of numbers are one: servers return integers in different widths. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (value instanceof Uint8Array || value instanceof BSON.Binary) return 'binary';
  if (value instanceof BSON.Long || typeof value === 'bigint') return 'number';
  return typeof value;
}
