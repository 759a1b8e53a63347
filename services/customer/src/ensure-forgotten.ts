import { answerBy, type CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import type { CustomerNameStore } from './customer-name-store';

// Metering caches external ids for one second. Another one allows for clock differences between the
// replicas that delete and create.
const cachedMsMax = 2_000;

/**
 * Waits until no service takes an external id for that of a customer deleted a moment ago: usage of
 * the new customer would go to the deleted one.
 */
export async function ensureForgotten(
  externalId: string,
  context: CallContext,
  { names, clock }: { readonly names: CustomerNameStore; readonly clock: Clock },
): Promise<void> {
  const after = new Date(clock.now().getTime() - cachedMsMax);
  const freedAt = await names.freedAt(context.tenant, { externalId, after });
  if (freedAt === undefined) return;
  const until = new Date(freedAt.getTime() + cachedMsMax);
  if (until > answerBy(context)) {
    throw new DomainError('unavailable', 'EXTERNAL_ID_CACHED', 'Service unavailable');
  }
  await sleep(until.getTime() - clock.now().getTime(), context.signal);
}
