import { type Db, type Document, Long } from 'mongodb';
import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import { eventually } from '@billing/chassis/testing';
import type { Session, SessionServiceServer } from '@billing/proto/billing/checkout/v1/session';
import { sandboxOf } from './store';

/** Reads data that no call returns. */
export function openReaders(db: Db, { sessions }: { sessions: Peer<SessionServiceServer> }) {
  const storedSessions = ({ tenant: { environmentId } }: CallContext) =>
    db
      .collection<StoredSession>('checkoutSessions')
      .find({ environmentId })
      .sort({ _id: 1 })
      .toArray();
  /** Number of the environment's invoices that have a number or will get one. */
  const takenNumbers = ({ tenant: { environmentId } }: CallContext) =>
    db.collection('invoiceNumbers').countDocuments({ environmentId });
  /** Number of the sandbox's charges for the session's invoice, without verifications. */
  const charges = ({ invoiceId }: Session): Promise<number> =>
    db
      .collection<{ _id: string; amount: Long }>('sandboxCharges')
      .countDocuments({ _id: { $regex: `^${invoiceId ?? ''}:` }, amount: { $gt: Long.ZERO } });
  const invoiceStatus = async (_id: string) => {
    const invoice = await db.collection<{ _id: string }>('invoices').findOne({ _id });
    return (invoice as { readonly status?: string } | null)?.status;
  };
  const defaultMethod = async ({ customerId }: Session, { tenant }: CallContext) => {
    const { environmentId } = tenant;
    const payer = await db.collection('payers').findOne({ environmentId, customerId });
    return payer?.defaultMethodId as string | undefined;
  };
  /** Each document with commands of the environment, its version and since when commands wait. */
  const outboxes = ({ tenant: { environmentId } }: CallContext) =>
    Promise.all(
      ['checkoutSessions', 'invoices', 'payers'].map((name) =>
        db
          .collection(name)
          .find({ environmentId })
          .sort({ _id: 1 })
          .project({ version: 1, pendingSince: 1 })
          .toArray(),
      ),
    );
  /** Waits until all commands of the environment are carried out. */
  const quiet = (context: CallContext) =>
    eventually(async () => {
      const before = await outboxes(context);
      const isWaiting = (document: Document) => document['pendingSince'] instanceof Date;
      expect(before.flat().filter(isWaiting)).toEqual([]);
      // A command may have written to a collection after it was read.
      expect(await outboxes(context)).toEqual(before);
    });
  /** Answers the challenge at the provider, without notifying checkout. */
  const answerAtProvider = async ({ id }: Session, context: CallContext) => {
    const { invoice } = await sessions.getSession({ id }, context);
    if (invoice === undefined) throw new Error('A session has an invoice');
    const { customerId, payments } = invoice;
    const key = `${invoice.id}:${String(payments.length)}`;
    const provider = sandboxOf(db, context.tenant.environmentId);
    await provider.continueCharge({ key, customerId, approved: true });
  };
  return {
    ...{ storedSessions, takenNumbers, charges, defaultMethod, quiet, answerAtProvider },
    invoiceStatus,
  };
}

export interface StoredSession {
  readonly _id: string;
  readonly environmentId: string;
  readonly phase: string;
  readonly refusal: string | null;
}
