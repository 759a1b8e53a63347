import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { checkMetadata, expectedVersionOf, maskedFields } from '@billing/chassis/request-fields';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { refuseProblems, textProblems } from '@billing/kernel/input-problems';
import {
  type CreateMeterRequest,
  type Meter as ProtoMeter,
  type MeteringServiceServer,
  type UpdateMeterRequest,
} from '@billing/proto/billing/metering/v1/metering';
import { aggregations } from '@billing/proto/values/metering';
import {
  changeMeter,
  createMeter,
  deleteMeter,
  isNamed,
  type Meter,
  type MeterChanges,
  type MeterInput,
  requireKnown,
} from './meter';
import { knownMeters } from './store';

const idsMax = 100;
const searchLengthMax = 100;
// A business usually has a few meters, but their number is not limited.
const pageSize = 500;

type MeterCalls = Pick<
  AsyncHandlers<MeteringServiceServer>,
  'createMeter' | 'getMeters' | 'listMeters' | 'updateMeter' | 'deleteMeter'
>;

/** RPCs for meters. */
export function meterCalls(meters: AggregateCollection<Meter>): MeterCalls {
  return {
    createMeter: async (request, context) => {
      const meter = createMeter(fromProtoMeterInput(request), {
        id: newResourceId(context, 'meter'),
        metadataProblems: checkMetadata(request.metadata),
      });
      const { stored } = await meters
        .within(context)
        .insert({ state: meter, events: [], commands: [] });
      return { meter: toProtoMeter(stored) };
    },

    getMeters: async ({ ids }, context) => {
      refuseProblems({
        ids: ids.length > idsMax ? [`Must have at most ${String(idsMax)} elements`] : [],
      });
      const found = await meters.within(context).findAll(ids);
      return { meters: found.filter(({ state }) => state.deletedAt === null).map(toProtoMeter) };
    },

    listMeters: async ({ active, search }, context) => {
      refuseProblems({ search: textProblems(search ?? '', { max: searchLengthMax }) });
      const listed = await listAll(meters, active, context);
      const named = listed.filter(({ state }) => search === undefined || isNamed(state, search));
      return { meters: named.map(toProtoMeter) };
    },

    updateMeter: async (request, context) => {
      const changes = fromProtoMeterChanges(request);
      const metadataProblems = checkMetadata(changes.metadata);
      const store = meters.within(context);
      // A deleted meter is unknown; this is checked before the version.
      requireKnown((await store.get(request.id)).state);
      const stored = await store.mutate(
        request.id,
        (meter) => ({
          state: changeMeter(meter, changes, { metadataProblems }),
          events: [],
          commands: [],
        }),
        expectedVersionOf(request),
      );
      return { meter: toProtoMeter(stored) };
    },

    deleteMeter: async ({ id }, context) => {
      await meters.within(context).mutate(id, deleteMeter);
      return {};
    },
  };
}

async function listAll(
  meters: AggregateCollection<Meter>,
  active: boolean | undefined,
  context: CallContext,
): Promise<Stored<Meter>[]> {
  const all: Stored<Meter>[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await meters
      .within(context)
      .list({ filter: knownMeters(active), page, perPage: pageSize });
    all.push(...data);
    if (data.length < pageSize) return all;
  }
}

function fromProtoMeterInput(request: CreateMeterRequest): MeterInput {
  return { ...request, aggregation: aggregations.sentName(request.aggregation) };
}

function fromProtoMeterChanges(request: UpdateMeterRequest): MeterChanges {
  const { name, aggregation, uniqueProperty, unit, active, metadata } = request;
  const fields = {
    name: name ?? null,
    aggregation: aggregations.sentName(aggregation) ?? null,
    uniqueProperty: uniqueProperty ?? null,
    unit: unit ?? null,
    active: active ?? null,
    metadata: metadata ?? null,
  };
  return maskedFields(fields, request.updateMask);
}

/** Meter as its callers see it. */
export function toProtoMeter({ state, ...stored }: Stored<Meter>): ProtoMeter {
  return {
    id: state.id,
    organizationId: stored.tenant.organizationId,
    name: state.name,
    aggregation: aggregations.valueOf(state.aggregation),
    uniqueProperty: state.uniqueProperty ?? undefined,
    unit: state.unit ?? undefined,
    active: state.active,
    metadata: state.metadata,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    version: BigInt(stored.version),
  };
}
