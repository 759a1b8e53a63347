import { z } from 'zod';
import { id, time } from './scalars';

export const PortalSession = z
  .object({
    sessionId: id,
    url: z.string().meta({ format: 'uri', description: 'Opens the portal once.' }),
    expiresAt: time.meta({
      description: 'In real time, also where the clock of the environment is moved by hand.',
    }),
  })
  .meta({ id: 'PortalSession' });
