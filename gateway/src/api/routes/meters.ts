import { z } from 'zod';
import { meterProblems } from '@billing/kernel/input/meter';
import { MeterJson, toJsonMeter } from '@billing/proto/json/meter';
import { aggregations } from '@billing/proto/values/metering';
import { activeFilter, metadata, optional, readBody, readQuery } from '../input/input';
import { changeable, frozen, readPatch, required } from '../input/patch';
import { created, etag, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Handle, Route } from './route';

const name = z.string().min(1, 'Required').max(120);
const aggregation = z.enum(['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT']);
const uniqueProperty = z.string().min(1, 'Required').max(255);
const unit = z.string().max(60);

const CreateMeter = z
  .object({
    name,
    aggregation: optional(aggregation),
    uniqueProperty: optional(uniqueProperty),
    unit: optional(unit),
    active: optional(z.boolean()),
    metadata: optional(metadata),
  })
  .meta({
    id: 'CreateMeter',
    examples: [{ name: 'API calls', aggregation: 'SUM', unit: 'calls' }],
  });

const UpdateMeter = z
  .object({
    name: required(name),
    aggregation: required(aggregation).meta({
      description: 'Cannot be changed once the meter has events.',
    }),
    uniqueProperty: changeable(uniqueProperty),
    unit: changeable(unit),
    active: required(z.boolean()),
    metadata: changeable(metadata),
    id: frozen,
    organizationId: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({ id: 'UpdateMeter', examples: [{ active: false }] });

const ListMeters = z.object({
  active: activeFilter,
  search: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Part of the name, case-insensitive.' }),
});

const readMeter: Handle = async (request, peers) => {
  const ids = [param(request, 'id')];
  const { meters } = await peers.metering.getMeters({ ids }, request.context);
  return ok(meters.map(toJsonMeter)[0]);
};

export const meterRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/meters',
    operation: {
      id: 'createMeter',
      summary: 'Create a meter',
      body: CreateMeter,
      answer: { status: 201, schema: MeterJson, isVersioned: true },
    },
    handle: async (request, peers) => {
      const input = readBody(CreateMeter, request, (fields, { wrong }) =>
        meterProblems({
          name: '',
          ...(wrong.has('aggregation') && { aggregation: 'UNKNOWN' }),
          ...fields,
        }),
      );
      const answer = await peers.metering.createMeter(
        { ...input, aggregation: aggregations.valueOf(input.aggregation) },
        request.context,
      );
      const meter = present(answer.meter);
      return created(`/meters/${meter.id}`, toJsonMeter(meter), etag(meter.version));
    },
  },
  {
    method: 'GET',
    path: '/meters',
    operation: {
      id: 'listMeters',
      summary: 'List meters, newest first',
      query: ListMeters,
      answer: { status: 200, schema: z.array(MeterJson).meta({ id: 'MeterList' }) },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListMeters, request);
      const { meters } = await peers.metering.listMeters(query, request.context);
      return ok(meters.map(toJsonMeter));
    },
  },
  {
    method: 'PATCH',
    path: '/meters/:id',
    operation: {
      id: 'updateMeter',
      summary: 'Update a meter',
      body: UpdateMeter,
      answer: { status: 200, schema: MeterJson, isVersioned: true },
      errors: ['meter_not_found'],
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateMeter, request, (fields) =>
        // The aggregation decides about the property, and the patch may omit it.
        meterProblems({ name: '', aggregation: 'UNKNOWN', ...fields }),
      );
      const { meter } = await peers.metering.updateMeter(
        {
          ...input,
          id: param(request, 'id'),
          aggregation: aggregations.valueOf(input.aggregation),
          metadata: input.metadata,
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const changed = present(meter);
      return ok(toJsonMeter(changed), etag(changed.version));
    },
    readFormer: readMeter,
  },
  {
    method: 'DELETE',
    path: '/meters/:id',
    operation: {
      id: 'deleteMeter',
      summary: 'Delete a meter',
      description: 'The meter accepts no more events. Usage already recorded is still billed.',
      answer: { status: 204 },
      errors: ['meter_not_found'],
    },
    handle: async (request, peers) => {
      await peers.metering.deleteMeter({ id: param(request, 'id') }, request.context);
      return { status: 204 };
    },
    readFormer: readMeter,
  },
];
