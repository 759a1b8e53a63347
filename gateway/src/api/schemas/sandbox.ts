import { z } from 'zod';
import { clock, SandboxJson } from '@billing/proto/json/sandbox';
import { time } from '@billing/proto/json/scalars';

export const NewSandbox = SandboxJson.extend({
  key: z.string().nullable().meta({
    description: 'First API key of the sandbox, returned only once; null in an idempotent replay.',
  }),
}).meta({ id: 'NewSandbox' });

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
