import type { MailKind } from '@billing/presentation/mail-kind';
import { oneLine } from '@billing/presentation/one-line';
import { type RenderedMail, renderMail } from '@billing/presentation/render-mail';
import type { Email, Mailbox } from './email';
import { headersOf } from './email-headers';
import type { MailEvent } from './mail-event';
import { type MailFacts, mailValues } from './mail-values';

/** Address from which sandboxes seem to send where no server is configured. */
const sandboxAddress = 'no-reply@sandbox.invalid';

// A sandbox's mail to this domain bounces, so that integrators can test it.
const bouncingDomain = '@bounce.example';

/** Circumstances in which a mail is made. */
export interface MailPlace {
  readonly isLive: boolean;
  /** Address of the sender, where a server is configured. */
  readonly fromAddress: string | undefined;
  readonly isSuppressed: boolean;
  /** Real time. */
  readonly now: Date;
}

/** The mail of an event. */
export function newEmail(
  {
    id,
    kind,
    event,
    webhookEventId,
  }: {
    readonly id: string;
    readonly kind: MailKind;
    readonly event: MailEvent;
    readonly webhookEventId: string;
  },
  facts: MailFacts,
  place: MailPlace,
): Email {
  const { locale, brand } = facts;
  const rendered = tryToRender(() =>
    renderMail({
      kind,
      locale,
      values: mailValues(event, facts, locale),
      isTest: !place.isLive,
      brand,
    }),
  );
  const from: Mailbox = {
    name: oneLine(facts.seller.name ?? ''),
    address: place.fromAddress ?? sandboxAddress,
  };
  return {
    id,
    kind,
    ...resourcesOf(event),
    webhookEventId,
    to: facts.customer.email,
    from,
    replyTo: facts.seller.email ?? null,
    locale,
    subject: rendered?.subject ?? '',
    content: rendered && {
      text: rendered.text,
      html: rendered.html,
      headers: headersOf({ id, from, kind, locale }),
    },
    resendOf: null,
    madeAt: place.now,
    ...startOf(facts.customer.email, place),
    ...(rendered === null && cannotRender),
  };
}

const cannotRender = {
  status: 'FAILED',
  reason: 'cannot_render',
  sendAt: null,
  sentAt: null,
} as const;

// The maker goes on: the reason is a fault of texts or of a value, which no retry repairs.
function tryToRender(render: () => RenderedMail): RenderedMail | null {
  try {
    return render();
  } catch {
    return null;
  }
}

/** A new mail with the texts of another one. */
export function copyOf(
  original: Email,
  { id, to, place }: { readonly id: string; readonly to: string; readonly place: MailPlace },
): Email {
  const { kind, locale, from, content } = original;
  return {
    ...original,
    id,
    to,
    webhookEventId: null,
    resendOf: original.id,
    content: content && { ...content, headers: headersOf({ id, from, kind, locale }) },
    madeAt: place.now,
    ...startOf(to, place),
  };
}

/** True for an address at which every mail of a sandbox bounces. */
function bouncesInSandboxes(address: string): boolean {
  return address.toLowerCase().endsWith(bouncingDomain);
}

type Start = Pick<
  Email,
  'status' | 'reason' | 'sentAt' | 'sendAt' | 'attempts' | 'claimId' | 'isHandedOver' | 'changedAt'
>;

// The mail of a sandbox has arrived when it is made: it is never given to a server.
function startOf(to: string, { isLive, isSuppressed, now }: MailPlace): Start {
  const unsent = {
    sentAt: null,
    sendAt: null,
    attempts: 0,
    claimId: null,
    isHandedOver: false,
    changedAt: now,
  };
  if (isSuppressed) return { ...unsent, status: 'SKIPPED', reason: 'suppressed' };
  if (isLive) return { ...unsent, status: 'PENDING', reason: null, sendAt: now };
  if (bouncesInSandboxes(to)) return { ...unsent, status: 'BOUNCED', reason: 'hard_bounce' };
  return { ...unsent, status: 'SENT', reason: null, sentAt: now };
}

function resourcesOf(
  event: MailEvent,
): Pick<Email, 'customerId' | 'invoiceId' | 'creditNoteId' | 'subscriptionId'> {
  switch (event.kind) {
    case 'INVOICE': {
      const { id: invoiceId, customerId, subscriptionId } = event.data.invoice;
      return { customerId, invoiceId, creditNoteId: null, subscriptionId };
    }
    case 'CREDIT_NOTE': {
      const { creditNote, invoice } = event.data;
      const { id: creditNoteId, customerId } = creditNote;
      const { id: invoiceId, subscriptionId } = invoice;
      return { customerId, invoiceId, creditNoteId, subscriptionId };
    }
    case 'SUBSCRIPTION': {
      const { id: subscriptionId, customerId } = event.data.subscription;
      return { customerId, invoiceId: null, creditNoteId: null, subscriptionId };
    }
  }
}
