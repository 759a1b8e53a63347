import { DomainError } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import { systemClock } from '../clock';
import { StoringGate, type Tenant } from '../grpc/call-context';
import { newId } from '../ids';
import { KeyClaims } from '../mongo/key-claims';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import { EnvironmentDeletion } from '../service/environment-deletion';
import { createLogger } from '../telemetry/logging';
import { dropTestDatabase, testServiceConfiguration } from '../testing/testing';
import type { AggregateDefinition } from './aggregate';
import { AggregateCollection } from './aggregate-collection';

interface Seat {
  readonly id: string;
  readonly owner: string | null;
}

const definition: AggregateDefinition<Seat> = {
  collection: 'seats',
  aggregate: 'seat',
  resource: 'Seat',
  toDocument: ({ owner }) => ({ owner }),
  fromDocument: ({ _id: id, owner }) => ({ id, owner: owner as string | null }),
  indexes: [{ name: 'owner', keys: { owner: 1 } }],
  naturalKey: {
    field: 'owner',
    valueOf: ({ owner }) => owner,
    taken: () => new DomainError('already_exists', 'OWNER_TAKEN', 'Owner is taken'),
  },
};

const configuration = testServiceConfiguration('natural-keys');
const now = new Date('2026-01-31T00:00:00Z');
const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const refusal = { reason: 'OWNER_TAKEN' };

let mongo: MongoConnection;
beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  await newReplica().ensureIndexes();
});
afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

// A collection of its own has its own mutexes and caches, as in another process.
function newReplica(): AggregateCollection<Seat> {
  return new AggregateCollection(mongo.db, definition, { clock: systemClock });
}

function newTenant(): Tenant {
  return { organizationId: newId(), environmentId: newId(), live: false, manualClock: false };
}

const seat = (owner: string | null, id = newId()): Transition<Seat> => ({
  state: { id, owner },
  events: [],
  commands: [],
});
const ownedBy = (owner: string | null) => (state: Seat) => seat(owner, state.id);

/** Ids of the environment's seats that a value belongs to. */
async function holders({ environmentId }: Tenant, owner: string): Promise<string[]> {
  const found = await newReplica().documents.find({ environmentId, owner }).toArray();
  return found.map(({ _id }) => _id);
}

/** Holds up the next call of a method until `release` is called. */
function stall<K extends string>(
  target: Record<K, (...args: never[]) => Promise<unknown>>,
  name: K,
) {
  const own = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  jest.spyOn(target as never, name as never).mockImplementationOnce((async (...args: unknown[]) => {
    arrive();
    await released;
    return own(...args);
  }) as never);
  return { arrived, release };
}

describe('a value of a natural key', () => {
  test('belongs to one of 20 seats that two replicas insert concurrently', async () => {
    const tenant = newTenant();
    const replicas = [newReplica(), newReplica()];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        replicas[index % 2]!.within({ tenant, now }).insert(seat('ada')),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(refusal);
    }
    expect(await holders(tenant, 'ada')).toHaveLength(1);
  });

  test('is free in another environment, and no value is never refused', async () => {
    for (const tenant of [newTenant(), newTenant()]) {
      const seats = newReplica().within({ tenant, now });
      for (const owner of ['ada', null, null]) await seats.insert(seat(owner));
    }
  });

  test('is free again after its seat got another value', async () => {
    const tenant = newTenant();
    const seats = newReplica().within({ tenant, now });
    const { stored } = await seats.insert(seat('ada'));
    await seats.mutate(stored.state.id, ownedBy('grace'));
    const second = await newReplica().within({ tenant, now }).insert(seat('ada'));
    expect(await holders(tenant, 'ada')).toEqual([second.stored.state.id]);
    await expect(seats.insert(seat('grace'))).rejects.toMatchObject(refusal);
    // Back to a value that another seat has by now.
    await expect(seats.mutate(stored.state.id, ownedBy('ada'))).rejects.toMatchObject(refusal);
  });

  test('is not taken from a seat by a replayed insert of one that once had it', async () => {
    const tenant = newTenant();
    const seats = newReplica().within({ tenant, now });
    const first = seat('ada');
    await seats.insert(first);
    await seats.mutate(first.state.id, ownedBy('grace'));
    await seats.insert(seat('ada'));
    expect(await seats.insert(first)).toMatchObject({
      inserted: false,
      stored: { state: { owner: 'grace' } },
    });
  });

  test('that a crashed insert claimed goes to the next seat', async () => {
    const tenant = newTenant();
    const crashed = newReplica();
    jest.spyOn(crashed.batches, 'insert').mockRejectedValue(new Error('crashed'));
    await expect(crashed.within({ tenant, now }).insert(seat('ada'))).rejects.toThrow('crashed');
    const { stored } = await newReplica().within({ tenant, now }).insert(seat('ada'));
    expect(await holders(tenant, 'ada')).toEqual([stored.state.id]);
    await expect(newReplica().within({ tenant, now }).insert(seat('ada'))).rejects.toMatchObject(
      refusal,
    );
  });

  test('goes to one seat only if an insert stalls between claim and write', async () => {
    const tenant = newTenant();
    const slow = newReplica();
    const { arrived, release } = stall(slow.batches, 'insert');
    const late = slow.within({ tenant, now }).insert(seat('ada'));
    await arrived;
    const { stored } = await newReplica().within({ tenant, now }).insert(seat('ada'));
    release();
    await expect(late).rejects.toMatchObject(refusal);
    expect(await holders(tenant, 'ada')).toEqual([stored.state.id]);
    const { data, total } = await slow.within({ tenant, now }).list({ page: 1, perPage: 10 });
    expect([data.length, total]).toEqual([1, 1]);
  });

  test('leaves no fence in a deleted environment', async () => {
    const tenant = newTenant();
    const { environmentId } = tenant;
    const slow = newReplica();
    const { arrived, release } = stall(slow.batches, 'insert');
    const id = newId();
    const late = slow.within({ tenant, now }).insert(seat('ada', id));
    await arrived;
    await newReplica().within({ tenant, now }).insert(seat('ada'));
    release();
    await expect(late).rejects.toMatchObject(refusal);
    const fences = () => slow.documents.countDocuments({ _id: id, isFence: true });
    expect(await fences()).toBe(1);
    const deletion = new EnvironmentDeletion(mongo.db, { clock: systemClock, logger });
    expect(await deletion.delete(environmentId, { until: new Date(8.64e15) })).toBe(true);
    expect(await fences()).toBe(0);
  });

  test('goes to one seat only if a change stalls between claim and write', async () => {
    const tenant = newTenant();
    const slow = newReplica();
    const { stored: first } = await slow.within({ tenant, now }).insert(seat(null));
    const { arrived, release } = stall(slow.batches, 'compareAndSet');
    const late = slow.within({ tenant, now }).mutate(first.state.id, ownedBy('ada'));
    await arrived;
    const { stored } = await newReplica().within({ tenant, now }).insert(seat('ada'));
    release();
    await expect(late).rejects.toMatchObject(refusal);
    expect(await holders(tenant, 'ada')).toEqual([stored.state.id]);
    await slow.within({ tenant, now }).mutate(first.state.id, ownedBy('grace'));
    expect(await holders(tenant, 'grace')).toEqual([first.state.id]);
  });

  test('stays with a seat that got it back before its first claim was released', async () => {
    const tenant = newTenant();
    const slow = newReplica();
    const { stored } = await slow.within({ tenant, now }).insert(seat('ada'));
    const { id } = stored.state;
    const { arrived, release } = stall(KeyClaims.prototype, 'release');
    const late = slow.within({ tenant, now }).mutate(id, ownedBy('grace'));
    await arrived;
    await newReplica().within({ tenant, now }).mutate(id, ownedBy('ada'));
    release();
    await late;
    await expect(newReplica().within({ tenant, now }).insert(seat('ada'))).rejects.toMatchObject(
      refusal,
    );
  });

  test('moves at once if the release of its claim was lost in a crash', async () => {
    const tenant = newTenant();
    const seats = newReplica().within({ tenant, now });
    const { stored } = await seats.insert(seat('ada'));
    jest.spyOn(KeyClaims.prototype, 'release').mockRejectedValueOnce(new Error('crashed'));
    await seats.mutate(stored.state.id, ownedBy('grace'));
    const { stored: second } = await newReplica().within({ tenant, now }).insert(seat('ada'));
    expect(await holders(tenant, 'ada')).toEqual([second.state.id]);
    // No write was in flight, so none was fenced.
    expect(await seats.get(stored.state.id)).toMatchObject({ version: 2 });
  });

  test('belongs to at most one seat after random changes in three replicas', async () => {
    const tenant = newTenant();
    const replicas = [newReplica(), newReplica(), newReplica()];
    const inserted = await Promise.all(
      Array.from({ length: 5 }, () => replicas[0]!.within({ tenant, now }).insert(seat(null))),
    );
    const ids = inserted.map(({ stored }) => stored.state.id);
    const values = ['ada', 'grace', 'mary', null];
    const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;
    const work = async (replica: AggregateCollection<Seat>) => {
      for (let change = 0; change < 40; change += 1) {
        const changed = replica.within({ tenant, now }).mutate(pick(ids), ownedBy(pick(values)));
        await changed.catch((error: unknown) => {
          expect(['already_exists', 'unavailable']).toContain((error as DomainError).kind);
        });
        for (const owner of ['ada', 'grace', 'mary']) {
          expect((await holders(tenant, owner)).length).toBeLessThanOrEqual(1);
        }
      }
    };
    await Promise.all(replicas.flatMap((replica) => [work(replica), work(replica)]));
  });
});

describe('the values of a database of an earlier version', () => {
  test('are claimed at the start, and its unique index is dropped', async () => {
    const old = mongo.db.collection<{ _id: string } & Record<string, unknown>>('oldSeats');
    const tenant = newTenant();
    const { environmentId } = tenant;
    await old.createIndexes([{ name: 'owner', key: { environmentId: 1, owner: 1 }, unique: true }]);
    const stored = await newReplica().within({ tenant, now }).insert(seat(null));
    const document = (await newReplica().documents.findOne({ _id: stored.stored.state.id }))!;
    const documents = Array.from({ length: 1_500 }, (_, index) => ({
      ...document,
      _id: newId(),
      owner: `owner ${String(index)}`,
    }));
    await old.insertMany(documents);
    const starts = [1, 2].map(async () => {
      const replica = new AggregateCollection(
        mongo.db,
        { ...definition, collection: 'oldSeats' },
        { clock: systemClock },
      );
      await replica.ensureIndexes();
      return replica;
    });
    const [replica] = await Promise.all(starts);
    const claims = mongo.db.collection('keyClaims');
    expect(await claims.countDocuments({ environmentId })).toBe(1_500);
    expect(await old.indexes()).toContainEqual(
      expect.not.objectContaining({ name: 'owner', unique: true }),
    );
    await expect(replica!.within({ tenant, now }).insert(seat('owner 1499'))).rejects.toMatchObject(
      refusal,
    );
  });
});

describe('a request stores nothing if its time is over', () => {
  let time = 0;
  const gate = () => new StoringGate(new Date(5_000), { now: () => new Date(time) });
  const late = { reason: 'TOO_LATE_TO_STORE' };
  beforeEach(() => {
    time = 0;
  });

  test('after its claim, which the next request takes over', async () => {
    const tenant = newTenant();
    const { prototype } = KeyClaims;
    const take: KeyClaims['take'] = Reflect.get(prototype, 'take');
    const slow = jest.spyOn(prototype, 'take').mockImplementationOnce(async function (
      this: KeyClaims,
      ...wanted
    ) {
      const found = await take.apply(this, wanted);
      time = 4_000;
      return found;
    });
    const store = newReplica().within({ tenant, now, storing: gate() });
    await expect(store.insert(seat('late'))).rejects.toMatchObject(late);
    slow.mockRestore();
    expect(await holders(tenant, 'late')).toEqual([]);
    const next = seat('late');
    await newReplica().within({ tenant, now }).insert(next);
    expect(await holders(tenant, 'late')).toEqual([next.state.id]);
  });

  test('after a write that lost its race', async () => {
    const tenant = newTenant();
    const replica = newReplica();
    const { stored } = await replica.within({ tenant, now }).insert(seat('first'));
    const { id } = stored.state;
    await newReplica().within({ tenant, now }).mutate(id, ownedBy('second'));
    let decisions = 0;
    const changed = replica.within({ tenant, now, storing: gate() }).mutate(id, (state) => {
      decisions += 1;
      if (decisions === 2) time = 4_000;
      return ownedBy('late')(state);
    });
    await expect(changed).rejects.toMatchObject(late);
    expect(decisions).toBe(2);
    expect(await holders(tenant, 'second')).toEqual([id]);
  });
});
