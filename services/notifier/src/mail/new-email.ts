import { only } from '@billing/kernel/transition';
import type { MailKind, MailText } from '@billing/presentation/mail-kind';
import { oneLine } from '@billing/presentation/one-line';
import { type MailRequest, type RenderedMail, renderMail } from '@billing/presentation/render-mail';
import { type EmailSettings, maySendFrom } from '../mail-settings/email-settings';
import type { EmailAttachment } from '../attachment/attachment';
import { type Email, type Mailbox, withoutSecret } from './email';
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

/** The seller's settings for a mail. */
export interface MailStyle {
  readonly settings: EmailSettings;
  /** Texts in place of the built-in ones. */
  readonly changed: Partial<MailText> | undefined;
  /** Domains that live environments may send from. */
  readonly fromDomains: readonly string[];
}

/** An event, and the kind and id of its mail. */
export interface MailOccasion {
  readonly id: string;
  readonly kind: MailKind;
  readonly event: MailEvent;
  /** Null for a mail that was asked for. */
  readonly webhookEventId: string | null;
  /** Time from which on the link of the mail is invalid. Optional. */
  readonly expiresAt?: Date | undefined;
}

/**
 * The mail of an event. `isChangedTextRefused`: the built-in text took the place of the seller's.
 */
export function newEmail(
  { id, kind, event, webhookEventId, expiresAt }: MailOccasion,
  facts: MailFacts,
  {
    style,
    attachments,
    ...place
  }: MailPlace & { readonly style: MailStyle; readonly attachments: readonly EmailAttachment[] },
): { readonly email: Email; readonly isChangedTextRefused: boolean } {
  const { locale, brand } = facts;
  const request = {
    kind,
    locale,
    values: mailValues(event, facts, locale),
    isTest: !place.isLive,
    brand,
  };
  const { changed, settings } = style;
  const written = changed && tryToRender({ ...request, changed });
  const rendered = written ?? tryToRender(request);
  const from = senderOf(facts, place, style);
  const email: Email = {
    id,
    kind,
    ...resourcesOf(event),
    webhookEventId,
    to: facts.customer.email,
    from,
    replyTo: settings.replyTo ?? facts.seller.email ?? null,
    locale,
    subject: rendered?.subject ?? '',
    content: rendered && {
      text: rendered.text,
      html: rendered.html,
      headers: headersOf({ id, from, kind, locale }),
      ...(brand.logo !== undefined && { logoSha256: brand.logo.sha256 }),
      ...(attachments.length > 0 && { attachments }),
    },
    resendOf: null,
    madeAt: place.now,
    ...(expiresAt !== undefined && { expiresAt }),
    ...startOf(facts.customer.email, place),
    ...(rendered === null && cannotRender),
  };
  // In a sandbox the inbox shows the link.
  const kept = place.isLive ? withoutSecret(only(email)).state : email;
  return { email: kept, isChangedTextRefused: changed !== undefined && written === null };
}

/** Sender of a mail. A domain that the configuration no longer allows counts as not set. */
export function senderOf(
  { seller }: Pick<MailFacts, 'seller'>,
  { isLive, fromAddress = sandboxAddress }: Pick<MailPlace, 'isLive' | 'fromAddress'>,
  { settings, fromDomains }: Pick<MailStyle, 'settings' | 'fromDomains'>,
): Mailbox {
  const { fromName, fromAddress: own } = settings;
  const isAllowed = own !== null && maySendFrom(own, isLive ? fromDomains : undefined);
  return {
    name: oneLine(fromName ?? seller.name ?? ''),
    address: isAllowed ? own : fromAddress,
  };
}

const cannotRender = {
  status: 'FAILED',
  reason: 'cannot_render',
  sendAt: null,
  sentAt: null,
} as const;

/**
 * Null if the mail cannot be rendered: the reason is a fault of texts or of a value, which no retry
 * repairs.
 */
export function tryToRender(request: MailRequest): RenderedMail | null {
  try {
    return renderMail(request);
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

/** Resources that an event is about. */
export function resourcesOf(
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
    case 'CARD':
    case 'PORTAL': {
      const { customerId } = event.data;
      return { customerId, invoiceId: null, creditNoteId: null, subscriptionId: null };
    }
    case 'SUBSCRIPTION': {
      const { id: subscriptionId, customerId } = event.data.subscription;
      return { customerId, invoiceId: null, creditNoteId: null, subscriptionId };
    }
  }
}
