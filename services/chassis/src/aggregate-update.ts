import { isDeepStrictEqual } from 'node:util';
import type { AggregateDefinition } from './aggregate';
import type { AggregateDocument, OutboxEntry } from './aggregate-document';

/**
 * What a document claims in each unique index. Writes that race for one key are found in a deadlock by PostgreSQL below, winner or not,
 * a tenth of a second each time, until some of them give up; one by one the losers are refused in milliseconds. The index decides;
 * taking turns within a process only keeps the race small.
 */
export function uniqueKeys<S extends { readonly id: string }>(
  { indexes = [] }: AggregateDefinition<S>,
  document: AggregateDocument,
): string[] {
  return indexes
    .filter(({ unique }) => unique === true)
    .map(({ name, keys }) => {
      const values = Object.keys(keys).map((field) => document[field]);
      return JSON.stringify([name, document.environmentId, ...values]);
    });
}

/** What a changed document claims that it did not hold before. */
export function newUniqueKeys<S extends { readonly id: string }>(
  definition: AggregateDefinition<S>,
  before: AggregateDocument,
  after: AggregateDocument,
): string[] {
  const held = new Set(uniqueKeys(definition, before));
  return uniqueKeys(definition, after).filter((key) => !held.has(key));
}

// Whose the document is never changes; the outbox is only pushed to, and pendingSince is the relay's but for new entries.
const fieldsKept = new Set([
  '_id',
  'environmentId',
  'organizationId',
  'live',
  'timeline',
  'createdAt',
  'outbox',
  'pendingSince',
]);

/** The document's next version, but for what stays as it is: writing costs by the field, here and in the database. */
export function updateOf(
  { aggregate, fixedFields = [] }: Pick<AggregateDefinition<never>, 'aggregate' | 'fixedFields'>,
  {
    document,
    next,
    added,
    isEmptied,
  }: {
    document: AggregateDocument;
    next: AggregateDocument;
    added: readonly OutboxEntry[];
    isEmptied: boolean;
  },
): Record<string, unknown> {
  const fields = changedFields(document, next);
  const broken = fixedFields.find((name) => name in fields && document[name] !== undefined);
  if (broken !== undefined) throw new Error(`${broken} of ${aggregate} ${next._id} never changes`);
  const { pendingSince } = next;
  if (isEmptied) {
    const outbox = { outbox: added, pendingSince: added.length > 0 ? pendingSince : null };
    return { $set: { ...fields, ...outbox } };
  }
  if (added.length === 0) return { $set: fields };
  return { $set: { ...fields, pendingSince }, $push: { outbox: { $each: added } } };
}

function changedFields(
  document: AggregateDocument,
  next: AggregateDocument,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => !fieldsKept.has(name) && !isDeepStrictEqual(value, document[name]),
    ),
  );
}
