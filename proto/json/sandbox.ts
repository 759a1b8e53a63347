import { z } from 'zod';
import type { ClockKind, Environment, Sandbox } from '../gen/billing/identity/v1/identity';
import { id, time, toJsonTime } from './scalars';
import { clockKinds } from '../values/identity';

export const clock = z.enum(['REAL', 'MANUAL']);

export const SandboxJson = z.object({
  id,
  name: z.string().nullable(),
  clock,
  now: time,
  createdAt: time,
});
export type SandboxJson = z.infer<typeof SandboxJson>;

export const UsedSandboxJson = SandboxJson.extend({
  lastUsedAt: time.nullable().meta({
    description:
      "Real time of the last request with one of the sandbox's keys, accurate to one minute. Null if never used.",
  }),
}).meta({ id: 'Sandbox' });

/** Sandbox in REST responses, without its key. */
export function toJsonSandbox(sandbox: Environment): SandboxJson {
  return {
    id: sandbox.id,
    name: sandbox.name === '' ? null : sandbox.name,
    clock: toJsonClock(sandbox.clock),
    now: toJsonTime(sandbox.now),
    createdAt: toJsonTime(sandbox.createdAt),
  };
}

/** Sandbox with the time of its last use. */
export function toJsonUsedSandbox({
  environment,
  lastUsedAt,
}: Sandbox): z.infer<typeof UsedSandboxJson> {
  if (environment === undefined) throw new Error('A sandbox has an environment');
  return {
    ...toJsonSandbox(environment),
    lastUsedAt: lastUsedAt === undefined ? null : toJsonTime(lastUsedAt),
  };
}

/** REAL or MANUAL. */
export function toJsonClock(kind: ClockKind): SandboxJson['clock'] {
  return clockKinds.nameOf(kind);
}
