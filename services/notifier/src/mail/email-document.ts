import type { AggregateChange, AggregateDefinition } from '@billing/chassis/aggregate';
import type { DomainEvent } from '@billing/kernel/transition';
import { EmailEvent } from '@billing/proto/billing/event/v1/email_event';
import type { Email } from './email';
import { toProtoEmail } from './email-message';

type EmailFields = Omit<Email, 'id'> & { readonly recipient: string };

/** The stored form of mails. A mail announces one event at most: its failure or its bounce. */
export const emailDefinition: AggregateDefinition<Email> = {
  collection: 'emails',
  aggregate: 'email',
  resource: 'Email',
  toDocument: ({ id: _id, ...fields }): EmailFields & Record<string, unknown> => ({
    ...fields,
    recipient: fields.to.toLowerCase(),
  }),
  fromDocument: (document) => {
    const stored = document as unknown as EmailFields & { readonly _id: string };
    return {
      id: stored._id,
      kind: stored.kind,
      customerId: stored.customerId,
      invoiceId: stored.invoiceId,
      // Absent in mails made before credit notes had mails.
      creditNoteId: (stored as Partial<EmailFields>).creditNoteId ?? null,
      subscriptionId: stored.subscriptionId,
      webhookEventId: stored.webhookEventId,
      to: stored.to,
      from: stored.from,
      replyTo: stored.replyTo,
      locale: stored.locale,
      subject: stored.subject,
      content: stored.content,
      status: stored.status,
      reason: stored.reason,
      attempts: stored.attempts,
      resendOf: stored.resendOf,
      sentAt: stored.sentAt,
      madeAt: stored.madeAt,
      changedAt: stored.changedAt,
      sendAt: stored.sendAt,
      claimId: stored.claimId,
      isHandedOver: stored.isHandedOver,
      ...(stored.expiresAt && { expiresAt: stored.expiresAt }),
    };
  },
  announce,
  encodeEvent: (_event, stored) =>
    EmailEvent.toJSON({ email: toProtoEmail(stored, { withContent: false }) }),
  indexes: [
    { name: 'customer', keys: { customerId: 1, createdAt: -1, _id: -1 } },
    { name: 'invoice', keys: { invoiceId: 1, createdAt: -1, _id: -1 } },
    { name: 'subscription', keys: { subscriptionId: 1, createdAt: -1, _id: -1 } },
    { name: 'recipient', keys: { recipient: 1, createdAt: -1, _id: -1 } },
    { name: 'kind', keys: { kind: 1, createdAt: -1, _id: -1 } },
    { name: 'status', keys: { status: 1, createdAt: -1, _id: -1 } },
  ],
  // An erasure changes the recipient.
  fixedFields: ['customerId', 'invoiceId', 'subscriptionId', 'kind'],
  // Senders follow real time in every environment.
  recoverAt: ({ status, sendAt }) => (status === 'PENDING' ? (sendAt ?? undefined) : undefined),
};

const announcedStatuses: Readonly<Partial<Record<Email['status'], string>>> = {
  FAILED: 'email.failed',
  BOUNCED: 'email.bounced',
};

function announce(
  _decided: readonly DomainEvent[],
  { before, after }: AggregateChange<Email>,
): readonly DomainEvent[] {
  const type = announcedStatuses[after.state.status];
  const isNew = before?.state.status !== after.state.status;
  return type === undefined || !isNew ? [] : [{ type, data: null }];
}
