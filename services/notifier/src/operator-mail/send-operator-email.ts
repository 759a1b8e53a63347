import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { only } from '@billing/kernel/transition';
import { renderOperatorMail } from '@billing/presentation/render-operator-mail';
import { headersOf } from '../mail/email-headers';
import type { OperatorEmail } from './operator-email-document';

export interface OperatorEmailDependencies {
  readonly operatorEmails: AggregateCollection<OperatorEmail>;
  /** Sender; undefined: no mail server is configured. */
  readonly fromAddress: string | undefined;
  readonly clock: Clock;
}

/** A mail to an operator that is asked for. */
interface OperatorEmailRequest {
  readonly kind: OperatorEmail['kind'];
  readonly to: string;
  readonly link: string;
  /** Real time from which on the link is invalid; undefined from an earlier gateway. */
  readonly expiresAt: Date | undefined;
  readonly organizationName: string;
  readonly role: string;
  readonly invitedBy: string;
}

const locale = 'en';

const minuteMs = 60_000;

/**
 * Creates a mail to an operator, which waits for the mail server. A repeat for the same link finds
 * the first mail; a code, which is the same for an hour, is mailed again a minute later. Returns
 * false without a mail server.
 */
export async function sendOperatorEmail(
  { kind, to, ...shown }: OperatorEmailRequest,
  context: CallContext,
  { operatorEmails, fromAddress, clock }: OperatorEmailDependencies,
): Promise<boolean> {
  const { tenant } = context;
  if (fromAddress === undefined || !tenant.live) return false;
  const now = clock.now();
  const minute = Math.floor(now.getTime() / minuteMs);
  const again = kind === 'EMAIL_CODE' ? [to, String(minute)] : [];
  const id = derivedId(tenant.environmentId, 'operatorEmail', shown.link, ...again);
  const from = { name: '', address: fromAddress };
  const { subject, text, html } = renderOperatorMail(kind, {
    link: shown.link,
    'organization.name': shown.organizationName,
    'operator.role': shown.role,
    'operator.invitedBy': shown.invitedBy,
  });
  const email: OperatorEmail = {
    id,
    kind,
    invoiceId: null,
    to,
    from,
    replyTo: null,
    subject,
    content: { text, html, headers: headersOf({ id, from, kind, locale }) },
    status: 'PENDING',
    reason: null,
    attempts: 0,
    sentAt: null,
    madeAt: now,
    changedAt: now,
    sendAt: now,
    expiresAt: shown.expiresAt ?? null,
    claimId: null,
    isHandedOver: false,
  };
  await operatorEmails.within(context).insert(only(email));
  return true;
}
