import { z } from 'zod';
import { id, time } from './scalars';

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

export const SandboxClock = z.object({ clock, now: time }).meta({ id: 'SandboxClock' });

export const AdvancedClock = z
  .object({
    now: time,
    processed: z.int().min(0).meta({ description: 'How much fell due on the way and was done.' }),
  })
  .meta({ id: 'AdvancedClock' });
