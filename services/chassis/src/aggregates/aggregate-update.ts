import { isDeepStrictEqual } from 'node:util';
import type { AggregateDefinition, AggregateDocument, OutboxEntry } from './aggregate';

// The tenant of a document never changes. Entries are only pushed to the outbox, and only the relay
// clears pendingSince.
const fixedByChassis = new Set([
  '_id',
  'environmentId',
  'organizationId',
  'live',
  'timeline',
  'createdAt',
  'outbox',
  'pendingSince',
]);

/**
 * Builds an update with only the changed fields: the cost of a write grows with its number of
 * fields, here and in the database.
 */
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
      ([name, value]) => !fixedByChassis.has(name) && !isDeepStrictEqual(value, document[name]),
    ),
  );
}
