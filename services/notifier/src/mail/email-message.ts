import type { Stored } from '@billing/chassis/aggregate';
import type {
  EmailAttachment as ProtoAttachment,
  Email as ProtoEmail,
  EmailSuppression as ProtoSuppression,
} from '@billing/proto/billing/notifier/v1/mail';
import { BounceType } from '@billing/proto/billing/notifier/v1/mail';
import { emailKinds, emailStatuses } from '@billing/proto/values/notifier';
import { type EmailAttachment, pdfType } from '../attachment/attachment';
import { type Email, isSecret } from './email';
import { mailboxText } from './email-headers';
import type { Suppression } from './suppression-store';

/** A mail in answers; lists leave the content out. */
export function toProtoEmail(
  { state, tenant, createdAt }: Stored<Email>,
  { withContent }: { readonly withContent: boolean },
): ProtoEmail {
  const { content } = state;
  return {
    id: state.id,
    kind: emailKinds.valueOf(state.kind),
    customerId: state.customerId,
    invoiceId: state.invoiceId ?? undefined,
    creditNoteId: state.creditNoteId ?? undefined,
    subscriptionId: state.subscriptionId ?? undefined,
    webhookEventId: state.webhookEventId ?? undefined,
    to: state.to,
    from: mailboxText(state.from),
    replyTo: state.replyTo ?? undefined,
    locale: state.locale,
    subject: state.subject,
    status: emailStatuses.valueOf(state.status),
    reason: state.reason ?? undefined,
    attempts: state.attempts,
    resendOf: state.resendOf ?? undefined,
    sentAt: state.sentAt ?? undefined,
    createdAt,
    updatedAt: state.changedAt,
    content:
      withContent && content !== null && !(tenant.live && isSecret(state))
        ? {
            text: content.text,
            html: content.html,
            headers: [...content.headers],
            attachments: (content.attachments ?? []).map(toProtoAttachment),
          }
        : undefined,
  };
}

function toProtoAttachment({ filename, size, sha256 }: EmailAttachment): ProtoAttachment {
  return { filename, contentType: pdfType, size, sha256 };
}

export function toProtoSuppression(suppression: Suppression): ProtoSuppression {
  const { _id: id, email, reason, emailId, createdAt } = suppression;
  return { id, email, reason: suppressionReasons[reason], emailId, createdAt };
}

const suppressionReasons: Readonly<Record<Suppression['reason'], BounceType>> = {
  HARD_BOUNCE: BounceType.BOUNCE_TYPE_HARD,
  COMPLAINT: BounceType.BOUNCE_TYPE_COMPLAINT,
};
