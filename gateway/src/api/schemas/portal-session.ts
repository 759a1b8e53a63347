import { z } from 'zod';
import { id, time, url } from '@billing/proto/json/scalars';

export const PortalSession = z
  .object({
    sessionId: id,
    url: url.meta({ description: 'One-time sign-in URL of the portal.' }),
    expiresAt: time.meta({
      description: 'In real time, even in an environment with a manual clock.',
    }),
  })
  .meta({ id: 'PortalSession' });
