import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { OperatorMailKind } from '@billing/presentation/mail-kind';
import type { OutgoingMail } from '../mail/email';

/** A mail to an operator. Its link is a secret, so its content is deleted when it has ended. */
export interface OperatorEmail extends OutgoingMail {
  readonly kind: Exclude<OperatorMailKind, 'TEST'>;
}

type Fields = Omit<OperatorEmail, 'id' | 'invoiceId'>;

/** The stored form of mails to operators. They announce no events. */
export const operatorEmailDefinition: AggregateDefinition<OperatorEmail> = {
  collection: 'operatorEmails',
  aggregate: 'operator_email',
  resource: 'Operator email',
  toDocument: ({ id: _id, invoiceId: _invoiceId, ...fields }): Fields & Record<string, unknown> =>
    fields,
  fromDocument: (document) => {
    const stored = document as unknown as Fields & { readonly _id: string };
    return {
      id: stored._id,
      kind: stored.kind,
      invoiceId: null,
      to: stored.to,
      from: stored.from,
      replyTo: stored.replyTo,
      subject: stored.subject,
      content: stored.content,
      status: stored.status,
      reason: stored.reason,
      attempts: stored.attempts,
      sentAt: stored.sentAt,
      madeAt: stored.madeAt,
      changedAt: stored.changedAt,
      sendAt: stored.sendAt,
      // Absent in mails of earlier releases.
      expiresAt: stored.expiresAt ?? null,
      claimId: stored.claimId,
      isHandedOver: stored.isHandedOver,
    };
  },
  recoverAt: ({ status, sendAt }) => (status === 'PENDING' ? (sendAt ?? undefined) : undefined),
};
