import { z } from 'zod';
import type { Restore } from '../gen/billing/identity/v1/identity';
import { id, time, toJsonTime } from './scalars';

export const RestoreJson = z
  .object({
    id,
    code: z.string().meta({
      description:
        'Stands in the numbers of invoices and credit notes since the restore, e.g. `INV-WH5C2-000001`.',
    }),
    at: time.meta({ description: 'Real time of the restore.' }),
    instant: time.meta({ description: 'Time of the restored data.' }),
    usageToResend: z.object({ from: time, until: time }).meta({
      description:
        'Usage events of this time are missing. Send them again: equal `eventId`s count once.',
    }),
  })
  .meta({ id: 'Restore' });

/** Restore in REST responses. */
export function toJsonRestore({
  id: restoreId,
  code,
  at,
  instant,
  openedAt,
}: Restore): z.infer<typeof RestoreJson> {
  return {
    id: restoreId,
    code,
    at: toJsonTime(at),
    instant: toJsonTime(instant),
    usageToResend: { from: toJsonTime(instant), until: toJsonTime(openedAt) },
  };
}
