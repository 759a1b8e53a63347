import { z } from 'zod';
import { DomainError } from '@billing/kernel/domain-error';
import { UsageEventJson, toJsonUsageEvent } from '@billing/proto/json/usage/usage-event';
import { HeadedError } from '../../http/error';
import { ignoredFieldsHeader, ignoredFieldsOfBytes } from '../input/ignored-fields';
import { metadata, listShape, readQuery, time } from '../input/input';
import { listQuery, page } from '../input/list';
import { IngestResult } from '../schemas/usage-event';
import { listOf } from '../schemas/list';
import { created } from '../../http/answer';
import type { Route } from './route';

const text = z.string().min(1).max(255);
const quantity = z
  .union([z.string().meta({ format: 'decimal' }), z.number()])
  .meta({ description: 'Defaults to 1. May be negative only for SUM meters.' });

const Event = z
  .object({
    customerId: text.nullish(),
    externalCustomerId: text
      .nullish()
      .meta({ description: "The customer's `externalId`, as an alternative to `customerId`." }),
    meterId: text,
    quantity: quantity.nullish(),
    timestamp: z.iso.datetime({ offset: true }).nullish().meta({
      description: 'Defaults to now. At most 5 minutes in the future and 35 days in the past.',
    }),
    eventId: text.nullish().meta({
      description:
        'Deduplicates the event. An id with the same content and the same timestamp counts once, always: while the first event is kept, a repeat is answered as a duplicate; afterwards it is rejected for its timestamp. With another or an omitted timestamp, or with other content, a repeat is recognized for at least 7 days after the first event, and as long as both arrive in one calendar month. An omitted timestamp matches the stored one.',
    }),
    properties: metadata
      .nullish()
      .meta({ description: 'At most 20 properties with scalar values.' }),
  })
  .meta({ id: 'IngestEvent' });

const batch = z.array(Event).min(1).max(1000);

// Documents the body. Only the metering service parses it.
const IngestEvents = z.union([z.object({ events: batch }), batch]).meta({
  id: 'IngestEvents',
  examples: [
    {
      events: [
        {
          externalCustomerId: 'user-7',
          meterId: '01970f3e-8a4b-7c1d-9e2f-3a4b5c6d7e8f',
          quantity: '12.5',
          eventId: 'call-1',
        },
      ],
    },
  ],
});

const ListEvents = z.object({
  ...listShape,
  order: listShape.order.meta({
    description: 'Order by timestamp. Defaults to `desc`, newest first.',
  }),
  customerId: z.string().optional(),
  meterId: z.string().optional(),
  eventId: z.string().optional(),
  from: time.optional().meta({ description: 'Start of the range, inclusive.' }),
  to: time.optional().meta({ description: 'End of the range, exclusive.' }),
});

export const eventRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/events/ingest',
    deadlineMs: 20_000,
    readsBytes: true,
    isIngest: true,
    operation: {
      id: 'ingestEvents',
      summary: 'Ingest usage events',
      description:
        'A malformed event fails the whole batch. An event with an unknown customer or meter, a timestamp outside the window, or the id of a different event is rejected individually.',
      body: IngestEvents,
      answer: { status: 201, schema: IngestResult },
    },
    handle: async ({ body, context }, peers) => {
      if (!Buffer.isBuffer(body)) throw new Error('Expected the body as bytes');
      const answer = await peers.metering.ingestEvents({ body }, context).catch(refusalOf(body));
      const { accepted, duplicates, ignoredFields } = answer;
      const rejected = answer.rejected.map(({ index, eventId, error }) => ({
        index,
        eventId: eventId ?? null,
        error,
      }));
      return created(
        '/events',
        { accepted, duplicates, rejected },
        ignoredFieldsHeader(ignoredFields),
      );
    },
  },
  {
    method: 'GET',
    path: '/events',
    operation: {
      id: 'listEvents',
      summary: 'List usage events, newest timestamp first',
      query: ListEvents,
      answer: { status: 200, schema: listOf(UsageEventJson, 'UsageEventList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListEvents, request);
      const { from, to } = query;
      const { events, total } = await peers.metering.listEvents(
        { ...listQuery(query), from, to },
        request.context,
      );
      return page(events, { ...query, total: Number(total) }, toJsonUsageEvent);
    },
  },
];

/**
 * Rethrows the error. For a refused batch, adds the unknown fields, which the service did not
 * report.
 */
function refusalOf(body: Buffer): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof DomainError) || error.kind !== 'invalid_input') throw error;
    throw new HeadedError(error, ignoredFieldsHeader(ignoredFieldsOfBytes(IngestEvents, body)));
  };
}
