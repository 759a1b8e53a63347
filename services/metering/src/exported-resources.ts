import { encodeAll, oneEach, type Scan, scanAggregates, scanOf } from '@billing/chassis/export-rpc';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { isWithin } from '@billing/chassis/scan-page';
import { Resource } from '@billing/proto/billing/export/v1/export';
import { CreditGrant, Meter, UsageEvent } from '@billing/proto/billing/metering/v1/metering';
import type { CreditAccount } from './credit/account';
import { listGrantsOfAccount } from './credit/list-credit-grants';
import type { UsageDependencies } from './credit/read-running-usage';
import { toProtoGrant } from './credit/rpc';
import { toProtoUsageEvent } from './ingest/event-rpc';
import { toProtoMeter } from './meter/rpc';
import { knownMeters } from './meter/store';
import { scanEvents } from './usage/event-list-store';
import type { EventCollections } from './usage/event-store';

// Events are small.
const eventsPerPage = 1_000;
// Each account takes the queries of a usage read.
const accountsPerPage = 10;

/** Scans of the exported resources. */
export function exportedResources(
  dependencies: UsageDependencies & {
    readonly accounts: AggregateCollection<CreditAccount>;
    readonly events: EventCollections;
  },
): Partial<Record<Resource, Scan>> {
  const { meters, accounts, events } = dependencies;
  return {
    [Resource.RESOURCE_METER]: scanAggregates(meters, {
      filter: knownMeters(),
      messagesOf: oneEach(toProtoMeter),
      encoder: Meter,
    }),
    [Resource.RESOURCE_USAGE_EVENT]: scanOf({
      pageMax: eventsPerPage,
      read: (range, { tenant }, limit) => scanEvents(events, range, { tenant, limit }),
      positionOf: ({ position }) => position,
      rowsOf: (found, context) =>
        Promise.resolve(
          encodeAll(
            found.map(({ event }) => [toProtoUsageEvent(event, context)]),
            UsageEvent,
          ),
        ),
    }),
    [Resource.RESOURCE_CREDIT_GRANT]: scanAggregates(accounts, {
      pageMax: accountsPerPage,
      isRangeOfMessages: true,
      messagesOf: (found, context, range) =>
        Promise.all(
          found.map(async ({ state }) => {
            const grants = await listGrantsOfAccount(state, context, dependencies);
            return grants
              .filter(({ grant: { createdAt } }) => isWithin(createdAt, range))
              .map((grant) => toProtoGrant(grant, context));
          }),
        ),
      encoder: CreditGrant,
    }),
  };
}
