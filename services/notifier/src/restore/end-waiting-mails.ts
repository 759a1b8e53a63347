import { type AggregateDocument, tenantOf } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { neverStopping, workContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { StepCounts } from '@billing/chassis/recovery';
import { inPages, visitAll } from '@billing/chassis/visit-all';
import { endRestored, type OutgoingMail, withoutSecret } from '../mail/email';

/**
 * Ends, after a restore, the mails that wait for the mail server: no Message-ID is handed over
 * twice. Returns their number.
 */
export async function endWaitingMails<M extends OutgoingMail>(
  mails: AggregateCollection<M>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<number> {
  const visit = async (document: AggregateDocument) => {
    const { _id: emailId, updatedAt: at } = document;
    const work = { at, clock, requestId: `${emailId}/reassert`, stopping: neverStopping };
    const store = mails.within(workContext(tenantOf(document), work));
    await store.mutate(emailId, (mail) => withoutSecret(endRestored(mail, clock.now())));
    const facts = { alarm: 'mail_unknown', emailId };
    logger.error(facts, 'mail may have been sent before the restore');
    return { ended: 1 };
  };
  const onFailure = (error: unknown, { _id: emailId }: AggregateDocument): StepCounts => {
    logger.error({ err: error, emailId }, 'mail not ended after the restore');
    return { failed: 1 };
  };
  const waiting = inPages(mails.documents, { live: true, status: 'PENDING' });
  const { ended = 0, failed = 0 } = await visitAll(waiting, visit, onFailure);
  // It would be sent again after the opening.
  if (failed > 0) throw new Error(`${String(failed)} mails still wait`);
  return ended;
}
