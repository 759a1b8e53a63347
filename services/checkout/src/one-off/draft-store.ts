import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { DomainError, notFound, staleVersion } from '@billing/kernel/domain-error';
import type { InvoiceRecord } from '../invoice/invoice';
import { draftOf } from './one-off-invoice';

// As many lost races as a change may have.
const attemptsMax = 8;

/**
 * Deletes a draft, unless another decision is first. Drafts are the only invoices that are deleted:
 * a draft has no number, has announced nothing, and nothing refers to it.
 */
export async function deleteDraft(
  invoices: Pick<AggregateCollection<InvoiceRecord>, 'within' | 'documents'>,
  { id, expectedVersion }: { readonly id: string; readonly expectedVersion?: number },
  context: CallContext,
): Promise<void> {
  const { environmentId } = context.tenant;
  let deletions = 0;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const stored = await invoices.within(context).find(id);
    if (stored === undefined) {
      // A deletion was sent again, so its first answer was lost.
      if (deletions > attempt - 1) return;
      throw notFound('Invoice');
    }
    const { state, version } = stored;
    if (expectedVersion !== undefined && expectedVersion !== version) {
      throw staleVersion();
    }
    draftOf(state);
    context.storing?.pass();
    const { deletedCount } = await retryTransient(() => {
      deletions += 1;
      return invoices.documents.deleteOne({ _id: id, environmentId, version });
    });
    if (deletedCount === 1) return;
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}
