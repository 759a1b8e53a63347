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
      description: 'Its first API key. Shown this once; null in a repeated answer.',
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
        'Real time of the last request with one of its keys, at most a minute early; null: never used.',
    }),
  })
  .meta({ id: 'Sandbox' });

export const SandboxList = listOf(Sandbox, 'SandboxList');

export const SandboxClock = z.object({ clock, now: time }).meta({ id: 'SandboxClock' });

export const AdvancedClock = z
  .object({
    now: time,
    processed: z.int().min(0).meta({ description: 'How much fell due on the way and was done.' }),
    stopped: z
      .literal(true)
      .optional()
      .meta({ description: 'The advance was stopped before its target; absent otherwise.' }),
  })
  .meta({ id: 'AdvancedClock' });
