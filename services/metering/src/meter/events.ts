import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import { announceChanges, type ResourceEvent } from '@billing/chassis/announced-changes';
import { MeterEvent } from '@billing/proto/billing/event/v1/meter_event';
import { toJsonMeter } from '@billing/proto/json/meter';
import type { DomainEvent } from '@billing/kernel/transition';
import type { Meter } from './meter';
import { toProtoMeter } from './rpc';
import { meterDefinition } from './store';

const announceMeter = announceChanges<Meter>('meter', {
  toJson: (stored) => toJsonMeter(toProtoMeter(stored)),
});

/** Meters that announce their creation, changes and deletion. */
export const announcedMeters: AggregateDefinition<Meter> = {
  ...meterDefinition,
  announce: (decided, change) => {
    const { before, after } = change;
    const isDeleted = before?.state.deletedAt === null && after.state.deletedAt !== null;
    const deleted: ResourceEvent = { type: 'meter.deleted', data: { changes: {} } };
    return isDeleted ? [deleted] : announceMeter(decided, change);
  },
  encodeEvent,
};

// The proto message in JSON mapping.
function encodeEvent(event: DomainEvent, stored: Stored<Meter>): unknown {
  const { changes } = (event as ResourceEvent).data;
  return MeterEvent.toJSON({ meter: toProtoMeter(stored), changes });
}
