import type { Transition } from '@billing/kernel/transition';
import { DomainError } from '@billing/kernel/domain-error';
import { openActivity, readActivity } from './activity';
import type { AggregateDefinition } from './aggregate';
import { AggregateCollection } from './aggregate-collection';
import type { Tenant } from '../grpc/call-context';
import { systemClock } from '../clock';
import { newId } from '../ids';
import { connectMongo } from '../mongo/mongo';

interface Counter {
  readonly id: string;
  readonly value: bigint;
  readonly owner: string | null;
  readonly wakeAt: Date | null;
}

const definition: AggregateDefinition<Counter> = {
  collection: 'counters',
  aggregate: 'counter',
  resource: 'Counter',
  toDocument: ({ id: _id, ...rest }) => rest,
  fromDocument: (document) => ({
    id: document._id,
    value: document.value as bigint,
    owner: document.owner as string | null,
    wakeAt: document.wakeAt as Date | null,
  }),
  naturalKey: {
    field: 'owner',
    valueOf: ({ owner }) => owner,
    taken: () => new DomainError('already_exists', 'OWNER_TAKEN', 'Owner is taken'),
  },
  dueAt: ({ wakeAt }) => (wakeAt === null ? undefined : { at: wakeAt, workClass: 'RENEWAL' }),
  encodeEvent: (event) => event.data,
};

const tenant: Tenant = {
  organizationId: newId(),
  environmentId: newId(),
  live: false,
  manualClock: true,
};
const now = new Date('2026-01-31T00:00:00Z');
const writersCount = 20;

const state = (parts: Partial<Counter> = {}): Counter => ({
  id: newId(),
  value: 0n,
  owner: null,
  wakeAt: null,
  ...parts,
});
const only = (counter: Counter): Transition<Counter> => ({
  state: counter,
  events: [],
  commands: [],
});
const increment = (counter: Counter): Transition<Counter> =>
  only({ ...counter, value: counter.value + 1n });

describe('the aggregate store', () => {
  let mongo: Awaited<ReturnType<typeof connectMongo>>;
  let counters: AggregateCollection<Counter>;
  const within = (changes: Partial<Tenant> = {}, at = now) =>
    counters.within({ tenant: { ...tenant, ...changes }, now: at });

  beforeAll(async () => {
    mongo = await connectMongo({
      uri: process.env.MONGODB_URI ?? '',
      database: `t_${newId().replaceAll('-', '').slice(-12)}_store`,
      service: 'test',
    });
    counters = new AggregateCollection(mongo.db, definition, {
      clock: systemClock,
    });
    await counters.ensureIndexes();
  });

  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  test("a caller that waits ignores a shared poll that read before the caller's last write", async () => {
    const { stored } = await within().insert(only(state()));
    const { id } = stored.state;
    const context = { tenant, now, signal: new AbortController().signal };
    const until = new Date(systemClock.now().getTime() + 30_000);
    const find = counters.batches.find.bind(counters.batches);
    let hasRead: () => void = () => undefined;
    const read = new Promise<void>((resolve) => (hasRead = resolve));
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let calls = 0;
    const spy = jest.spyOn(counters.batches, 'find').mockImplementation(async (...args) => {
      calls += 1;
      const isTheLook = calls === 1;
      const document = await find(...args);
      if (!isTheLook) return document;
      hasRead();
      await released;
      return document;
    });
    const first = counters.waitFor(id, context, {
      isReached: ({ state: { value } }) => value === 2n,
      until,
    });
    await read;
    await within().mutate(id, increment);
    const second = counters.waitFor(id, context, {
      isReached: ({ state: { value } }) => value !== 1n,
      until,
    });
    // The second caller has found the counter and joined the poll.
    await new Promise((resolve) => setImmediate(resolve));
    release();
    spy.mockRestore();
    await within().mutate(id, increment);
    expect([(await first).state.value, (await second).state.value]).toEqual([2n, 2n]);
  });

  describe('a change after a write of this process', () => {
    const replica = () => new AggregateCollection(mongo.db, definition, { clock: systemClock });

    // A write counts for some seconds, which a busy machine may need for the next one.
    beforeEach(() => {
      jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    });

    afterEach(() => {
      jest.restoreAllMocks();
    });

    test('reads nothing', async () => {
      const own = replica();
      const store = own.within({ tenant, now });
      const find = jest.spyOn(own.batches, 'find');
      const { stored } = await store.insert(only(state()));
      const { id } = stored.state;
      await store.mutate(id, increment);
      const changed = await store.mutate(id, increment);
      expect(find).not.toHaveBeenCalled();
      expect(await within().get(id)).toEqual(changed);
      expect([changed.version, changed.state.value]).toEqual([3, 2n]);
    });

    test('is decided on the changes of other replicas', async () => {
      const store = replica().within({ tenant, now });
      const { stored } = await store.insert(only(state()));
      const { id } = stored.state;
      await within().mutate(id, increment);
      const seen: bigint[] = [];
      const changed = await store.mutate(id, (counter) => {
        seen.push(counter.value);
        return increment(counter);
      });
      expect([seen, changed.version, changed.state.value]).toEqual([[0n, 1n], 3, 2n]);
    });

    test('is refused, or needless, only as the aggregate is now', async () => {
      const store = replica().within({ tenant, now });
      const { stored } = await store.insert(only(state()));
      const { id } = stored.state;
      await within().mutate(id, increment);
      const refuseNew = (counter: Counter) => {
        if (counter.value === 0n) throw new Error('Too new');
        return only(counter);
      };
      expect((await store.mutate(id, refuseNew)).state.value).toBe(1n);
      const second = await store.insert(only(state()));
      await within().mutate(second.stored.state.id, increment);
      const unlessNew = (counter: Counter) =>
        counter.value === 0n ? { ...only(counter) } : increment(counter);
      expect((await store.mutate(second.stored.state.id, unlessNew)).state.value).toBe(2n);
    });

    test('is not refused because of outbox entries that are done', async () => {
      const own = replica();
      const store = own.within({ tenant, now });
      const events = Array.from({ length: 60 }, () => ({ type: 'counted', data: {} }));
      const { stored } = await store.insert({ state: state(), events, commands: [] });
      const { id } = stored.state;
      const done = events.map((_event, index) => ({ kind: 'event' as const, sequence: index + 1 }));
      await own.removeDone({ id, done });
      const changed = await store.mutate(id, (counter) => ({ ...increment(counter), events }));
      expect(changed.version).toBe(2);
      expect((await own.documents.findOne({ _id: id }))?.outbox).toHaveLength(60);
    });

    test('finds an aggregate of its own environment alone', async () => {
      const own = replica();
      const { stored } = await own.within({ tenant, now }).insert(only(state()));
      const other = own.within({ tenant: { ...tenant, environmentId: newId() }, now });
      await expect(other.mutate(stored.state.id, increment)).rejects.toMatchObject({
        kind: 'not_found',
      });
    });
  });

  test('lets one of 20 concurrent writers win each round', async () => {
    const { stored } = await within().insert(only(state()));
    for (let round = 1; round <= 10; round += 1) {
      const claims = Array.from({ length: writersCount }, () =>
        counters.documents.updateOne(
          { _id: stored.state.id, environmentId: tenant.environmentId, version: round },
          { $set: { version: round + 1 } },
        ),
      );
      const winners = (await Promise.all(claims)).filter(({ matchedCount }) => matchedCount === 1);
      expect(winners).toHaveLength(1);
    }
  });

  test('loses none of 20 concurrent mutations: each is applied exactly once or refused', async () => {
    const { stored } = await within().insert(only(state()));
    const outcomes = await Promise.allSettled(
      Array.from({ length: writersCount }, () => within().mutate(stored.state.id, increment)),
    );
    const applied = outcomes.filter(({ status }) => status === 'fulfilled').length;
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'unavailable' });
    const after = await within().get(stored.state.id);
    expect(after.state.value).toBe(BigInt(applied));
    expect(after.version).toBe(applied + 1);
    expect(applied).toBeGreaterThan(0);
  });

  test('returns the aggregate that an earlier insert of the same id stored', async () => {
    const first = state({ value: -7n });
    const inserts = await Promise.all(
      Array.from({ length: writersCount }, (_, index) =>
        within().insert(only({ ...first, value: first.value + BigInt(index) })),
      ),
    );
    expect(inserts.filter(({ inserted }) => inserted)).toHaveLength(1);
    expect(new Set(inserts.map(({ stored }) => stored.state.value)).size).toBe(1);
  });

  test('gives a natural key to one of 20 concurrent inserts and refuses the others', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: writersCount }, () => within().insert(only(state({ owner: 'v:me' })))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ reason: 'OWNER_TAKEN' });
    }
  });

  test('gives a natural key to one of 20 concurrent changes and refuses the others', async () => {
    const own = { environmentId: newId() };
    const inserted = await Promise.all(
      Array.from({ length: writersCount }, () => within(own).insert(only(state()))),
    );
    const rename = (counter: Counter) => only({ ...counter, owner: 'v:wanted' });
    const outcomes = await Promise.allSettled(
      inserted.map(({ stored }) => within(own).mutate(stored.state.id, rename)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ reason: 'OWNER_TAKEN' });
    }
  });

  test('changes only the expected version', async () => {
    const { stored } = await within().insert(only(state()));
    const { id } = stored.state;
    const expecting = (expectedVersion: number) =>
      within().mutate(id, increment, { expectedVersion });
    const outcomes = await Promise.allSettled(
      Array.from({ length: writersCount }, () => expecting(1)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ kind: 'stale', reason: 'STALE_VERSION' });
    }
    await expect(within().mutate(id, only, { expectedVersion: 1 })).rejects.toThrow(
      'Stale version',
    );
    expect((await expecting(2)).version).toBe(3);
  });

  test('finds an aggregate of the environment by a field of its document', async () => {
    const { stored } = await within().insert(only(state({ owner: newId() })));
    const filter = { owner: stored.state.owner };
    expect((await within().findBy(filter))?.state).toEqual(stored.state);
    expect(await within({ environmentId: newId() }).findBy(filter)).toBeUndefined();
  });

  test('never returns aggregates of another environment', async () => {
    const { stored } = await within().insert(only(state()));
    const other = within({ environmentId: newId() });
    expect(await other.find(stored.state.id)).toBeUndefined();
    await expect(other.mutate(stored.state.id, increment)).rejects.toThrow('Counter not found');
    expect((await other.list({ page: 1, perPage: 100 })).total).toBe(0);
  });

  test('never passes a decision a time before the last change', async () => {
    const { stored } = await within().insert(only(state()));
    const later = new Date('2026-03-01T00:00:00Z');
    await within({}, later).mutate(stored.state.id, increment);
    const seen: Date[] = [];
    const after = await within({}, now).mutate(stored.state.id, (counter, at) => {
      seen.push(at);
      return increment(counter);
    });
    expect(seen).toEqual([later]);
    expect(after.updatedAt).toEqual(later);
  });

  test('writes nothing when a decision changes nothing', async () => {
    const { stored } = await within().insert(only(state()));
    const after = await within().mutate(stored.state.id, only);
    expect(after.version).toBe(stored.version);
  });

  test('numbers events and commands separately and refuses more entries than fit in a document', async () => {
    const { stored } = await within().insert(only(state()));
    const announce = (counter: Counter): Transition<Counter> => ({
      state: increment(counter).state,
      events: [
        { type: 'counter.grew', data: {} },
        { type: 'counter.grew', data: {} },
      ],
      commands: [{ type: 'tell', payload: {} }],
    });
    for (let round = 1; round <= 33; round += 1) await within().mutate(stored.state.id, announce);
    await expect(within().mutate(stored.state.id, announce)).rejects.toMatchObject({
      kind: 'resource_exhausted',
    });
    const document = await counters.documents.findOne({ _id: stored.state.id });
    const sequences = (kind: string) =>
      document?.outbox.filter((entry) => entry.kind === kind).map(({ sequence }) => sequence);
    expect(sequences('event')).toEqual(Array.from({ length: 66 }, (_, index) => index + 1));
    expect(sequences('command')).toEqual(Array.from({ length: 33 }, (_, index) => index + 1));
  });

  describe('inline commands', () => {
    const reported: string[] = [];
    const ordering = (counter: Counter): Transition<Counter> => ({
      ...only(counter),
      commands: [{ type: 'tell', payload: {} }],
    });
    const outboxOf = async (id: string) => {
      const document = await counters.documents.findOne({ _id: id });
      const commands = document?.outbox.map(({ sequence }) => sequence);
      return { commands, isPending: document?.pendingSince !== null };
    };

    beforeEach(() => {
      reported.length = 0;
      counters.onPending = (id) => reported.push(id);
    });

    afterEach(() => {
      counters.onPending = () => undefined;
    });

    test('are reported to the relay only when the caller leaves them to it, and stay stored until marked as done', async () => {
      const { stored, inserted, markDone, leaveToRelay } = await within().insertWithInlineCommands(
        ordering(state()),
      );
      const { id } = stored.state;
      expect([inserted, reported]).toEqual([true, []]);
      expect(await outboxOf(id)).toEqual({ commands: [1], isPending: true });
      leaveToRelay();
      expect(reported).toEqual([id]);
      await markDone();
      expect(await outboxOf(id)).toEqual({ commands: [], isPending: false });
    });

    test('keep those decided in the meantime when the others are marked as done', async () => {
      const { stored, markDone } = await within().insertWithInlineCommands(ordering(state()));
      const { id } = stored.state;
      await within().mutate(id, increment);
      await within().mutate(id, (counter) => ordering(increment(counter).state));
      expect(reported).toEqual([id]);
      await markDone();
      expect(await outboxOf(id)).toEqual({ commands: [2], isPending: true });
      expect((await within().get(id)).state.value).toBe(2n);
    });

    test('of an aggregate that already exists are left to the relay', async () => {
      const first = ordering(state());
      await within().insert(first);
      const { inserted, markDone } = await within().insertWithInlineCommands(first);
      await markDone();
      expect(inserted).toBe(false);
      expect(await outboxOf(first.state.id)).toEqual({ commands: [1], isPending: true });
    });

    test('are refused together with events, which only the relay publishes', async () => {
      const announcing = { ...only(state()), events: [{ type: 'counter.grew', data: {} }] };
      await expect(within().insertWithInlineCommands(announcing)).rejects.toThrow('Only the relay');
    });
  });

  test('lists newest first in pages with an exact total', async () => {
    const list = within({ environmentId: newId() });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.push((await list.insert(only(state()))).stored.state.id);
    }
    const page = await list.list({ page: 2, perPage: 2 });
    expect(page.total).toBe(5);
    expect(page.data.map(({ state: { id } }) => id)).toEqual(ids.toReversed().slice(2, 4));
    expect((await list.list({ page: 9, perPage: 2 })).data).toEqual([]);
  });

  test('counts only the writes of environments with a manual clock', async () => {
    const manual = { environmentId: newId() };
    const { stored } = await within(manual).insert(only(state()));
    await within(manual).mutate(stored.state.id, increment);
    const real = { environmentId: newId(), manualClock: false };
    await within(real).insert(only(state()));
    const activity = openActivity(mongo.db);
    expect(await readActivity(activity, manual.environmentId)).toBe(2n);
    expect(await readActivity(activity, real.environmentId)).toBe(0n);
  });

  test('reads lists and due work from an index', async () => {
    const wakeAt = new Date('2026-02-28T00:00:00Z');
    await Promise.all(Array.from({ length: 200 }, () => within().insert(only(state({ wakeAt })))));
    const plan = await counters.documents
      .find({ timeline: tenant.environmentId, dueAt: { $lte: wakeAt } })
      .sort({ dueAt: 1 })
      .limit(10)
      .explain();
    expect(
      JSON.stringify(plan, (_, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      ),
    ).toMatch(/IXSCAN|due/);
  });
});
