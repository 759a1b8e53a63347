import type { Stored } from '@billing/chassis/aggregate';
import { invalidInput } from '@billing/kernel/domain-error';
import {
  ClockKind as ProtoClockKind,
  type Environment as ProtoEnvironment,
  EnvironmentKind as ProtoEnvironmentKind,
} from '@billing/proto/billing/identity/v1/identity';
import { type ClockKind, type Environment, type EnvironmentKind, timeOf } from './environment';

/** `now` is real time. */
export function toProtoEnvironment(
  { state, tenant, createdAt, version }: Stored<Environment>,
  now: Date,
): ProtoEnvironment {
  return {
    id: state.id,
    organizationId: tenant.organizationId,
    kind: toProtoEnvironmentKind[state.kind],
    name: state.name,
    clock: toProtoClockKind[state.clock.kind],
    now: timeOf(state, now),
    createdAt,
    version: BigInt(version),
    deletesAt: state.deletesAt,
  };
}

export const toProtoClockKind: Readonly<Record<ClockKind, ProtoClockKind>> = {
  REAL: ProtoClockKind.CLOCK_KIND_REAL,
  MANUAL: ProtoClockKind.CLOCK_KIND_MANUAL,
};

const toProtoEnvironmentKind: Readonly<Record<EnvironmentKind, ProtoEnvironmentKind>> = {
  LIVE: ProtoEnvironmentKind.ENVIRONMENT_KIND_LIVE,
  SANDBOX: ProtoEnvironmentKind.ENVIRONMENT_KIND_SANDBOX,
};

export function fromProtoClockKind(kind: ProtoClockKind): ClockKind {
  switch (kind) {
    case ProtoClockKind.CLOCK_KIND_UNSPECIFIED:
    case ProtoClockKind.CLOCK_KIND_REAL:
      return 'REAL';
    case ProtoClockKind.CLOCK_KIND_MANUAL:
      return 'MANUAL';
    default:
      throw invalidInput({ clock: ['Unknown clock'] });
  }
}
