import type { WorkClass } from '../aggregates/aggregate';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { systemClock } from '../clock';
import { createLogger } from '../telemetry/logging';
import { DueWork } from './due-work';

/** A collection that records its queries, and has no due work. */
function recording(queries: unknown[], dueClass?: WorkClass): AggregateCollection<never> {
  const found = { project: () => found, sort: () => found, limit: () => found, toArray: () => [] };
  const find = (filter: unknown) => {
    queries.push(filter);
    return found;
  };
  const definition = { aggregate: 'invoice', dueAt: () => undefined, dueClass };
  return { definition, documents: { find } } as never;
}

function workOf(collection: AggregateCollection<never>): DueWork {
  return new DueWork([collection], {
    service: 'test',
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    activity: undefined as never,
    graceMs: 0,
  });
}

const classes: readonly WorkClass[] = ['COLLECTION', 'END', 'RENEWAL'];

test.each<[string, WorkClass | undefined, readonly string[]]>([
  ['one class is looked for in that class alone', 'COLLECTION', ['COLLECTION']],
  ['several classes is looked for in each', undefined, classes],
])('due work of a collection with %s', async (_name, dueClass, expected) => {
  const queries: unknown[] = [];
  const work = workOf(recording(queries, dueClass));
  for (const workClass of classes) {
    expect(await work.run('environment', new Date(), workClass)).toBe(0);
  }
  expect(queries).toMatchObject(expected.map((one) => ({ dueClass: one })));
});

test('due work is looked for in every collection if no class is asked for', async () => {
  const queries: unknown[] = [];
  const work = workOf(recording(queries, 'COLLECTION'));
  expect(await work.run('real', new Date())).toBe(0);
  expect(queries).toHaveLength(1);
});
