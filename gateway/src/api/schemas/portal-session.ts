import { z } from 'zod';
import { id, time } from './scalars';

export const PortalSession = z
  .object({
    sessionId: id,
    url: z.string().meta({ format: 'uri', description: 'One-time sign-in URL of the portal.' }),
    expiresAt: time.meta({
      description: 'In real time, even in an environment with a manual clock.',
    }),
  })
  .meta({ id: 'PortalSession' });
