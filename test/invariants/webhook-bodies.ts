import { examineEach, type Invariant } from './picture/invariant';

type Json = Readonly<Record<string, unknown>>;

// Keys with a meaning of their own at the top level.
const ofHead = new Set(['id', 'type', 'timestamp', 'sequence', 'data', 'payload', 'restoreCode']);

export const bodiesRepeatScalars: Invariant = {
  id: 'I81',
  title: 'the top level of each webhook repeats the scalars of its data, and nothing else',
  examine: ({ endpoints }) => {
    const watched = endpoints.filter(({ received }) => received !== undefined);
    if (watched.length === 0) return undefined;
    const texts = watched.flatMap(({ received = [] }) => received.map(({ text }) => text));
    return examineEach(texts, (text) => {
      const body = JSON.parse(text) as Json & { readonly data: Json };
      const repeated = entries(body);
      const scalars = entries(body.data).filter(([, value]) => isScalar(value));
      return [
        JSON.stringify(repeated) !== JSON.stringify(scalars) &&
          `message ${String(body.id)} repeats ${names(repeated)}, its data holds ${names(scalars)}`,
      ];
    });
  },
};

/** Fields apart from those of the head, in the order of their names. */
function entries(fields: Json): [name: string, value: unknown][] {
  return Object.entries(fields)
    .filter(([name]) => !ofHead.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

function names(fields: readonly [name: string, value: unknown][]): string {
  return fields.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
}
