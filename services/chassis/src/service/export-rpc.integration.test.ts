import fc from 'fast-check';
import type { AggregateDefinition } from '../aggregates/aggregate';
import { AggregateCollection } from '../aggregates/aggregate-collection';
import { systemClock } from '../clock';
import type { Tenant } from '../grpc/call-context';
import { newId } from '../ids';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import type { ScanRange } from '../mongo/scan-page';
import { testContext, testTenant } from '../testing/testing';
import { type Encoder, oneEach, type Scan, scanAggregates, untilDone } from './export-rpc';

interface Note {
  readonly id: string;
  readonly isHidden: boolean;
}

const definition: AggregateDefinition<Note> = {
  collection: 'notes',
  aggregate: 'note',
  resource: 'Note',
  toDocument: ({ isHidden }) => ({ isHidden }),
  fromDocument: ({ _id, isHidden }) => ({ id: _id, isHidden: isHidden as boolean }),
};

const text: Encoder<string> = { encode: (message) => ({ finish: () => Buffer.from(message) }) };
const clock = systemClock;
const minute = (number: number) => new Date(Date.UTC(2026, 0, 1, 0, number));

let mongo: MongoConnection;
let notes: AggregateCollection<Note>;

beforeAll(async () => {
  mongo = await connectMongo({
    uri: process.env.MONGODB_URI ?? '',
    database: `t_${newId().replaceAll('-', '').slice(-12)}_export`,
    service: 'test',
  });
  notes = new AggregateCollection(mongo.db, definition, { clock });
  await notes.ensureIndexes();
});

afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

async function insert(tenant: Tenant, note: Omit<Note, 'id'>, at: Date): Promise<string> {
  const id = newId();
  const state = { id, ...note };
  await notes.within({ tenant, now: at }).insert({ state, events: [], commands: [] });
  return id;
}

/** Reads all pages. */
async function readAll(scan: Scan, tenant: Tenant, range: ScanRange = {}): Promise<string[]> {
  const rows: string[] = [];
  let after = range.after;
  for (;;) {
    const page = await scan({ ...range, after }, testContext({ tenant }), clock);
    expect(page.rows.length).toBeLessThanOrEqual(2);
    rows.push(...page.rows.map(String));
    if (page.next === undefined) return rows;
    after = page.next;
  }
}

const scan = () =>
  scanAggregates(notes, {
    filter: { isHidden: false },
    messagesOf: oneEach(({ state: { id } }) => id),
    encoder: text,
    pageMax: 2,
  });

test('a scan has each aggregate of its environment in a range once, by creation and id', async () => {
  const noted = fc.record({
    at: fc.integer({ min: 0, max: 3 }),
    isHidden: fc.boolean(),
    isOthers: fc.boolean(),
  });
  const bound = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(fc.array(noted, { maxLength: 12 }), bound, bound, async (all, from, to) => {
      const [tenant, other] = [testTenant(), testTenant()];
      const expected: { readonly at: number; readonly id: string }[] = [];
      for (const { at, isHidden, isOthers } of all) {
        const id = await insert(isOthers ? other : tenant, { isHidden }, minute(at));
        const isInRange = at >= (from ?? 0) && at < (to ?? 5);
        if (!isHidden && !isOthers && isInRange) expected.push({ at, id });
      }
      const range = {
        from: from === undefined ? undefined : minute(from),
        to: to === undefined ? undefined : minute(to),
      };
      const inOrder = expected.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
      expect(await readAll(scan(), tenant, range)).toEqual(inOrder.map(({ id }) => id));
    }),
    { numRuns: 15 },
  );
});

test('a large row ends its page, and is not lost', async () => {
  const tenant = testTenant();
  for (let number = 0; number < 5; number += 1) {
    await insert(tenant, { isHidden: false }, minute(number));
  }
  const large = scanAggregates(notes, {
    messagesOf: oneEach(({ state: { id } }) => id.padEnd(3 * 1024 * 1024)),
    encoder: text,
    pageMax: 2,
  });
  const rows = await readAll(large, tenant);
  expect(new Set(rows.map((row) => row.trim())).size).toBe(5);
  expect(rows).toHaveLength(5);
});

describe('the end of a scan', () => {
  const waiting = async (entry: { readonly kind: string }) => {
    const tenant = testTenant();
    const id = await insert(tenant, { isHidden: false }, minute(0));
    await notes.documents.updateOne(
      { _id: id },
      { $set: { pendingSince: clock.now(), outbox: [{ ...entry, sequence: 1 } as never] } },
    );
    return { tenant, id };
  };

  test('waits until the events of earlier writes are logged', async () => {
    const { tenant, id } = await waiting({ kind: 'event' });
    let isLogged = false;
    const reading = readAll(scan(), tenant).then((rows) => ({ rows, isLogged }));
    isLogged = true;
    await notes.documents.updateOne({ _id: id }, { $set: { pendingSince: null, outbox: [] } });
    expect(await reading).toEqual({ rows: [id], isLogged: true });
  });

  test('is refused in time if they are not', async () => {
    const { tenant } = await waiting({ kind: 'event' });
    const context = testContext({ tenant, deadlineMs: 1_200 });
    const ended = untilDone(notes, { 'outbox.kind': 'event' }, context, clock);
    await expect(ended).rejects.toMatchObject({ kind: 'unavailable', reason: 'EVENTS_NOT_LOGGED' });
  });

  test('does not wait for commands', async () => {
    const { tenant, id } = await waiting({ kind: 'command' });
    expect(await readAll(scan(), tenant)).toEqual([id]);
  });
});
