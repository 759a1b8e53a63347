import type { Collection, Db } from 'mongodb';
import type { AggregateDefinition, AggregateDocument } from '../aggregates/aggregate';
import { AggregateCollection } from '../aggregates/aggregate-collection';
import type { Clock } from '../clock';
import { newId } from '../ids';
import { connectMongo, type MongoConnection } from '../mongo/mongo';
import {
  RunningTotals,
  type TotalsDefinition,
  type Counts,
  TotalsSum,
} from '../aggregates/running-totals';
import { TestClock } from './test-clock';
import type { testTenant } from './testing';

// Test aggregate of the running totals. A parcel is sent and may arrive; both steps are summed by
// place of origin.

interface Parcel {
  readonly id: string;
  readonly from: string;
  readonly weight: bigint;
  readonly hasArrived: boolean;
}

export const places = ['a', 'b'];

const parcelDefinition: AggregateDefinition<Parcel> = {
  collection: 'parcels',
  aggregate: 'parcel',
  resource: 'Parcel',
  toDocument: ({ id: _id, ...rest }) => rest,
  fromDocument: (document) => ({
    id: document._id,
    from: document.from as string,
    weight: document.weight as bigint,
    hasArrived: document.hasArrived as boolean,
  }),
  stepsReached: ({ hasArrived }) => (hasArrived ? ['SENT', 'ARRIVED'] : ['SENT']),
};

// The driver returns small integers as stored.
const sent = (weight: unknown): Counts => ({ sent: 1n, weight: BigInt(weight as bigint | number) });

const totalsDefinition: TotalsDefinition = {
  collection: 'parcelTotals',
  revision: 1,
  fields: ['from', 'weight'],
  addendsOf: ({ from, weight }, step) => [
    { row: from as string, counts: step === 'SENT' ? sent(weight) : { arrived: 1n } },
  ],
};

/** Parcels in a database of their own, and replicas that sum them. */
export class Parcels {
  readonly documents: Collection<AggregateDocument>;

  private constructor(private readonly mongo: MongoConnection) {
    this.documents = collectionOf(mongo.db, new TestClock()).documents;
  }

  static async open(uri = ''): Promise<Parcels> {
    const database = `t_${newId().replaceAll('-', '').slice(-12)}_totals`;
    const mongo = await connectMongo({ uri, database, service: 'test' });
    await collectionOf(mongo.db, new TestClock()).ensureIndexes();
    return new Parcels(mongo);
  }

  async close(): Promise<void> {
    await this.mongo.db.dropDatabase();
    await this.mongo.close();
  }

  /** Creates a replica of a service in an environment, optionally with its own clock. */
  replica(tenant: ReturnType<typeof testTenant>, clock: TestClock, changes = {}) {
    const parcels = collectionOf(this.mongo.db, clock);
    const totals = new RunningTotals(
      this.mongo.db,
      parcels,
      { ...totalsDefinition, ...changes },
      clock,
    );
    const store = () => parcels.within({ tenant, now: clock.now() });
    const { writeFirstReached } = parcels;
    return {
      totals,
      read: async () => Object.fromEntries(await totals.read(tenant)),
      /** Reads the replica's clock, as each periodic update does, and updates no snapshot. */
      observeClock: () => totals.updateSnapshots(AbortSignal.abort()),
      updateSnapshot: () => totals.updateSnapshot(tenant.environmentId, clock.now()),
      /** Wraps the next write of this replica. */
      around: (writer: <T>(write: () => Promise<T>) => Promise<T>) => {
        parcels.writeFirstReached = (step, write) => {
          parcels.writeFirstReached = writeFirstReached;
          return writeFirstReached(step, () => writer(write));
        };
      },
      send: async (from: string, weight = 1n) => {
        const state = { id: newId(), from, weight, hasArrived: false };
        await store().insert({ state, events: [], commands: [] });
        return state.id;
      },
      arrive: (id: string) =>
        store().mutate(id, (state) => ({
          state: { ...state, hasArrived: true },
          events: [],
          commands: [],
        })),
    };
  }

  /** Returns the document of an environment's only parcel. */
  async one(environmentId: string): Promise<AggregateDocument> {
    const document = await this.documents.findOne({ environmentId });
    if (document === null) throw new Error('No parcel');
    return document;
  }

  /** Computes the expected sums from all documents. */
  async recount(environmentId: string) {
    const sum = new TotalsSum();
    for (const { from, weight, hasArrived } of await this.documents
      .find({ environmentId })
      .toArray()) {
      sum.add({ row: from as string, counts: sent(weight) });
      if (hasArrived === true) sum.add({ row: from as string, counts: { arrived: 1n } });
    }
    return Object.fromEntries(sum.totals());
  }
}

function collectionOf(db: Db, clock: Clock): AggregateCollection<Parcel> {
  return new AggregateCollection(db, parcelDefinition, { clock });
}
