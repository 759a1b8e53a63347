import { z } from 'zod';
import { id, listOf, time } from './scalars';

const clock = z.enum(['REAL', 'MANUAL']);

export const NewSandbox = z
  .object({
    id,
    name: z.string().nullable(),
    clock,
    now: time,
    createdAt: time,
    key: z.string().nullable().meta({
      description:
        'First API key of the sandbox, returned only once; null in an idempotent replay.',
    }),
  })
  .meta({ id: 'NewSandbox' });

export const Sandbox = z
  .object({
    id,
    name: z.string().nullable(),
    clock,
    now: time,
    createdAt: time,
    lastUsedAt: time.nullable().meta({
      description:
        "Real time of the last request with one of the sandbox's keys, accurate to one minute. Null if never used.",
    }),
  })
  .meta({ id: 'Sandbox' });

export const SandboxList = listOf(Sandbox, 'SandboxList');

export const SandboxClock = z.object({ clock, now: time }).meta({ id: 'SandboxClock' });

export const AdvancedClock = z
  .object({
    now: time,
    processed: z.int().min(0).meta({
      description:
        'Number of due events processed by the advance, such as renewals and payment retries.',
    }),
    stopped: z.literal(true).optional().meta({
      description: 'True if the advance was stopped before its target; absent otherwise.',
    }),
  })
  .meta({ id: 'AdvancedClock' });
