import type { ClockKind, Environment, Sandbox } from '../gen/billing/identity/v1/identity';
import { toJsonTime } from './scalars';
import { clockKinds } from '../values/identity';

/** Sandbox in REST responses, without its key. */
export function toJsonSandbox(sandbox: Environment) {
  return {
    id: sandbox.id,
    name: sandbox.name === '' ? null : sandbox.name,
    clock: toJsonClock(sandbox.clock),
    now: toJsonTime(sandbox.now),
    createdAt: toJsonTime(sandbox.createdAt),
  };
}

/** Sandbox with the time of its last use. */
export function toJsonUsedSandbox({ environment, lastUsedAt }: Sandbox) {
  if (environment === undefined) throw new Error('A sandbox has an environment');
  return {
    ...toJsonSandbox(environment),
    lastUsedAt: lastUsedAt === undefined ? null : toJsonTime(lastUsedAt),
  };
}

/** REAL or MANUAL. */
export function toJsonClock(clock: ClockKind): string {
  return clockKinds.nameOf(clock);
}
