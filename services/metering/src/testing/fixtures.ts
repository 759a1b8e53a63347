import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo } from '@billing/chassis/mongo';
import { everySlice } from '@billing/chassis/slices';
import { connectPeer } from '@billing/chassis/peer';
import { Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import { MeterPricingType } from '@billing/proto/billing/catalog/v1/catalog';
import {
  CollectionMethod,
  type CustomerServiceServer,
  CustomerServiceService,
  TaxExempt,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
  type UsagePeriod,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { MeteringConfiguration } from '../config';
import { EpochStore } from '../epoch/epoch-store';
import { BucketStore, openBuckets } from '../fold/bucket-store';
import { FoldScheduleStore } from '../fold/fold-schedule-store';
import { foldDueSeries, SeriesSizes } from '../fold/fold-worker';
import { meterDefinition } from '../meter/store';
import { start } from '../service';
import { openEvents } from './events';
import type { OwnedSeries } from '../usage/hour';

// Fixtures of this service's integration tests.

/**
 * Starts the service with stand-ins for its peers and about two hundred customers. All its events
 * are in the first generation, also when a month ends in the middle of a test.
 */
export async function startMetering() {
  const configuration = {
    ...testServiceConfiguration('metering'),
    SUBSCRIPTION_ADDRESS: '',
    CUSTOMER_ADDRESS: '',
    RETENTION_USAGE_MONTHS: 15,
  };
  await beginEndlessGeneration(configuration);
  const customers = Array.from({ length: 200 }, () => newId());
  const lived = new Map<string, UsagePeriod[]>();
  const customerService = await startCustomers(new Set(customers));
  const subscriptionService = await startSubscriptions(lived);
  const startReplica = async () => {
    const addresses = {
      CUSTOMER_ADDRESS: customerService.address,
      SUBSCRIPTION_ADDRESS: subscriptionService.address,
    };
    // A series is folded by the service only after 64 flushes: never in the middle of a test.
    const service = await start({ ...configuration, ...addresses }, { randomByte: () => 0 });
    const metering = connectPeer<MeteringServiceServer>(MeteringServiceService, {
      address: service.address,
      service: 'test',
    });
    return { service, metering };
  };
  const { service, metering } = await startReplica();
  return {
    configuration,
    customers,
    /** Subscription periods by customer, ordered by creation of the subscription. */
    lived,
    metering,
    address: service.address,
    /** Another process on the same database, to be stopped before the first. */
    startReplica: async () => {
      const replica = await startReplica();
      return {
        metering: replica.metering,
        stop: async () => {
          replica.metering.close();
          await replica.service.stop();
        },
      };
    },
    stop: async () => {
      metering.close();
      await service.stop();
      await customerService.stop();
      await subscriptionService.stop();
      await dropTestDatabase(
        configuration,
        testServiceConfiguration('customers'),
        testServiceConfiguration('subscriptions'),
      );
      await dropTestStream(configuration);
    },
  };
}

async function beginEndlessGeneration({
  MONGODB_URI: uri,
  MONGODB_DATABASE: database,
}: MeteringConfiguration): Promise<void> {
  const mongo = await connectMongo({ uri, database, service: 'test' });
  await new EpochStore(mongo.db).open(new Date('2999-01-01T00:00:00Z'));
  await mongo.close();
}

/** Stand-in for the customer service that knows the given ids. */
async function startCustomers(ids: ReadonlySet<string>) {
  const service = await Service.open('customers', testServiceConfiguration('customers'));
  const unused = () => Promise.reject(new Error('Not used by these tests'));
  return service.serve([
    rpcService<CustomerServiceServer>(CustomerServiceService, {
      createCustomer: unused,
      getCustomers: unused,
      fixCurrency: unused,
      fillCustomer: unused,
      identifyCustomers: async (names) => ({
        ids: names.ids.filter((id) => ids.has(id)),
        externalCustomers: [],
      }),
      listCustomers: unused,
      updateCustomer: unused,
      deleteCustomer: unused,
      getCustomer: async ({ id }) => {
        if (!ids.has(id)) throw notFound('Customer');
        return {
          customer: {
            id,
            organizationId: id,
            email: 'ada@example.com',
            address: undefined,
            currency: 'EUR',
            collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
            taxIds: [],
            taxExempt: TaxExempt.TAX_EXEMPT_NONE,
            metadata: undefined,
            createdAt: undefined,
            updatedAt: undefined,
            version: 1n,
          },
        };
      },
    }),
  ]);
}

/** A period of a subscription that prices one meter, as the subscription service returns it. */
export function aUsagePeriod({
  meterId,
  includedUnits,
  ...period
}: Pick<UsagePeriod, 'subscriptionId' | 'periodIndex' | 'start' | 'end'> & {
  meterId: string;
  includedUnits: string;
}): UsagePeriod {
  const price = {
    id: meterId,
    productId: meterId,
    meterId,
    type: MeterPricingType.METER_PRICING_TYPE_PER_UNIT,
    unitAmount: '1',
    tiers: [],
    includedUnits,
    metadata: undefined,
    createdAt: period.start,
  };
  return {
    ...period,
    productId: meterId,
    trial: period.periodIndex === undefined,
    entitled: true,
    currency: 'EUR',
    meterPrices: [price],
    stretches: [],
  };
}

/**
 * Stand-in for the subscription service. Returns the periods that a test defines; none of them is
 * running.
 */
async function startSubscriptions(lived: ReadonlyMap<string, readonly UsagePeriod[]>) {
  const service = await Service.open('subscriptions', testServiceConfiguration('subscriptions'));
  const unused = () => Promise.reject(new Error('Not used by these tests'));
  const names = Object.keys(SubscriptionServiceService);
  const calls: unknown = Object.fromEntries(names.map((name) => [name, unused]));
  return service.serve([
    rpcService<SubscriptionServiceServer>(SubscriptionServiceService, {
      ...(calls as AsyncHandlers<SubscriptionServiceServer>),
      listUsagePeriods: async ({ customerId }) => ({
        periods: [],
        lived: [...(lived.get(customerId) ?? [])],
      }),
    }),
  ]);
}

/** The service's own database with folding on demand. */
export async function startFolding(configuration: MeteringConfiguration) {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  const service = await Service.open('folding', configuration);
  const { db } = mongo;
  const epochs = new EpochStore(db);
  const buckets = openBuckets(db, openEvents(db));
  const until = async () => (await epochs.readEpoch()).until;
  const folding = {
    schedule: new FoldScheduleStore(buckets.series),
    meters: service.aggregates(meterDefinition),
    storageOf: (series: OwnedSeries) =>
      new BucketStore(buckets, series, { until, clock: systemClock }),
    prepare: () => Promise.resolve(),
    slices: everySlice,
    countParts: () => Promise.resolve(0),
    sizes: new SeriesSizes(),
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent', file: undefined }),
  };
  return {
    db,
    /** Folds all series as far as possible. */
    fold: async () => {
      await buckets.series.updateMany({}, { $set: { foldAt: new Date(0) } });
      await foldDueSeries(folding, new AbortController().signal);
    },
    stop: async () => {
      await mongo.close();
      await (await service.serve([])).stop();
    },
  };
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Field missing in the response');
  return value;
}
