import { z } from 'zod';
import { DomainError } from '@billing/kernel/domain-error';
import { toJsonUsageEvent } from '@billing/proto/json/usage-event';
import { HeadedError } from '../http-error';
import { ignoredFieldsHeader, ignoredFieldsOfBytes } from '../ignored-fields';
import { metadata, pageShape, readQuery, time } from '../input';
import { page, pageQuery } from '../list';
import { IngestResult, UsageEventList } from '../openapi/schemas/usage-event';
import { created, type Route } from '../route';

const text = z.string().min(1).max(255);
const quantity = z
  .union([z.string().meta({ format: 'decimal' }), z.number()])
  .meta({ description: 'Default 1; below 0 only where the meter sums.' });

const Event = z
  .object({
    customerId: text.nullish(),
    externalCustomerId: text
      .nullish()
      .meta({ description: 'Names the customer where there is no customerId.' }),
    meterId: text,
    quantity: quantity.nullish(),
    timestamp: z.iso.datetime({ offset: true }).nullish().meta({
      description: 'Default now; at most 5 minutes ahead and 35 days back.',
    }),
    eventId: text.nullish().meta({ description: 'Counts once, for ever.' }),
    properties: metadata.nullish().meta({ description: 'At most 20 scalars.' }),
  })
  .meta({ id: 'IngestEvent' });

const batch = z.array(Event).min(1).max(1000);

// Tells callers what may be sent. The bytes are read once, by the service that keeps the events.
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
  ...pageShape,
  customerId: z.string().optional(),
  meterId: z.string().optional(),
  eventId: z.string().optional(),
  from: time.optional().meta({ description: 'Inclusive.' }),
  to: time.optional().meta({ description: 'Exclusive.' }),
});

export const eventRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/events/ingest',
    deadlineMs: 20_000,
    takesBytes: true,
    isIngest: true,
    operation: {
      id: 'ingestEvents',
      summary: 'Store usage events',
      description:
        'A wrong shape anywhere refuses the batch. An event of an unknown customer or meter, out of the time window, or with the id of another one is rejected alone.',
      body: IngestEvents,
      answer: { status: 201, schema: IngestResult },
    },
    handle: async ({ body, context }, peers) => {
      if (!Buffer.isBuffer(body)) throw new Error('The route takes bytes');
      const answer = await peers.metering.ingestEvents({ body }, context).catch(refusalOf(body));
      const { accepted, duplicates, ignoredFields } = answer;
      const rejected = answer.rejected.map(({ index, eventId, error }) => ({
        index,
        eventId: eventId ?? null,
        error,
      }));
      // Where the events are listed.
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
      answer: { status: 200, schema: UsageEventList },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListEvents, request);
      const { from, to } = query;
      const { events, total } = await peers.metering.listEvents(
        { ...pageQuery(query), from, to },
        request.context,
      );
      return page(events, { ...query, total: Number(total) }, toJsonUsageEvent);
    },
  },
];

/** Throws the error on. Where a batch is refused nobody has told of its typos: they are looked for now. */
function refusalOf(body: Buffer): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof DomainError) || error.kind !== 'invalid_input') throw error;
    throw new HeadedError(error, ignoredFieldsHeader(ignoredFieldsOfBytes(IngestEvents, body)));
  };
}
