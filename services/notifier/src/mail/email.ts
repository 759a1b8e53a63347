import { DomainError } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { MailKind, OperatorMailKind } from '@billing/presentation/mail-kind';
import type { AttachedContent } from '../attachment/attachment';
import type { SendOutcome } from '../smtp/send-outcome';

type EmailStatus = 'PENDING' | 'SENT' | 'FAILED' | 'BOUNCED' | 'SKIPPED' | 'UNKNOWN';

export interface EmailHeader {
  readonly name: string;
  readonly value: string;
}

/** Content of a mail, as it was rendered when the mail was created. */
interface EmailContent extends AttachedContent {
  readonly text: string;
  readonly html: string;
  readonly headers: readonly EmailHeader[];
}

/** An address with a name. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** A mail as its sender needs it. */
export interface OutgoingMail {
  readonly id: string;
  readonly kind: MailKind | OperatorMailKind;
  readonly invoiceId: string | null;
  /** Absent for a mail to an operator. */
  readonly customerId?: string;
  readonly to: string;
  readonly from: Mailbox;
  readonly replyTo: string | null;
  readonly subject: string;
  /** Null for a mail that could not be rendered. */
  readonly content: EmailContent | null;
  readonly status: EmailStatus;
  readonly reason: string | null;
  readonly attempts: number;
  /** Real time, as all times below. */
  readonly sentAt: Date | null;
  readonly madeAt: Date;
  readonly changedAt: Date;
  /** Time of the next attempt, or end of the claim's lease; null unless PENDING. */
  readonly sendAt: Date | null;
  /** Time from which on its link is invalid; absent or null: the mail has none that expires. */
  readonly expiresAt?: Date | null;
  /** The claim of the sender; the last one stays, so that its late answer is recognized. */
  readonly claimId: string | null;
  /** True from before the first byte of content was given to the server. */
  readonly isHandedOver: boolean;
}

/** A mail to a payer. */
export interface Email extends OutgoingMail {
  readonly kind: MailKind;
  readonly customerId: string;
  readonly creditNoteId: string | null;
  readonly subscriptionId: string | null;
  readonly webhookEventId: string | null;
  readonly locale: string;
  readonly resendOf: string | null;
}

const minute = 60_000;
const hour = 60 * minute;

/** Lease of a claim. A sender renews it while it sends. */
export const leaseMs = minute;

/** Delays between attempts; the last one repeats. */
const retryDelaysMs = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60, 24 * 60, 24 * 60].map(
  (minutes) => minutes * minute,
);
/** Deviation of a delay in either direction. */
export const retrySpread = 0.2;
const expiresAfterMs = 72 * hour;

/** True if a mail waits for a sender. */
function isDue({ status, sendAt }: OutgoingMail, now: Date): boolean {
  return status === 'PENDING' && sendAt !== null && sendAt <= now;
}

/**
 * Ends a due mail that is not sent any more. One whose sender was lost after it handed the content
 * over is UNKNOWN: the server may have sent it. One that waited for three days, or whose link has
 * expired, is FAILED.
 */
export function endLapsed<M extends OutgoingMail>(email: M, now: Date): Transition<M> {
  if (!isDue(email, now)) return unchanged(email);
  if (email.isHandedOver) return end(email, 'UNKNOWN', 'outcome_unknown', now);
  const { madeAt, expiresAt } = email;
  const isLinkExpired = expiresAt instanceof Date && expiresAt <= now;
  const isExpired = isLinkExpired || now.getTime() - madeAt.getTime() >= expiresAfterMs;
  return isExpired ? end(email, 'FAILED', 'expired', now) : unchanged(email);
}

/** Claims a due mail, but none that `endLapsed` ends. */
export function claim<M extends OutgoingMail>(
  email: M,
  { claimId, now }: { readonly claimId: string; readonly now: Date },
): Transition<M> {
  if (!isDue(email, now) || endLapsed(email, now).state !== email) return unchanged(email);
  const attempts = email.attempts + 1;
  const sendAt = new Date(now.getTime() + leaseMs);
  return only({ ...email, attempts, claimId, sendAt, changedAt: now });
}

/** Prolongs the lease of a sender. Throws if the sender has lost its claim. */
export function renewClaim<M extends OutgoingMail>(
  email: M,
  claimId: string,
  now: Date,
): Transition<M> {
  requireClaim(email, claimId);
  return only({ ...email, sendAt: new Date(now.getTime() + leaseMs) });
}

/**
 * Records that the content goes to the server now. From here on only the server's answer counts.
 * Throws if the sender has lost its claim: then another one may be sending the mail.
 */
export function markHandedOver<M extends OutgoingMail>(
  email: M,
  claimId: string,
  now: Date,
): Transition<M> {
  requireClaim(email, claimId);
  return only({ ...email, isHandedOver: true, changedAt: now });
}

/**
 * Ends an attempt with the server's answer. The answer of a sender that was taken for lost counts.
 */
export function settle<M extends OutgoingMail>(
  email: M,
  {
    claimId,
    outcome,
    now,
    spread,
  }: {
    readonly claimId: string;
    readonly outcome: SendOutcome;
    readonly now: Date;
    /** Factor of the delay, around 1. */
    readonly spread: number;
  },
): Transition<M> {
  const isOpen = email.status === 'PENDING' || email.status === 'UNKNOWN';
  if (email.claimId !== claimId || !isOpen) return unchanged(email);
  switch (outcome.kind) {
    case 'ACCEPTED':
      return end({ ...email, sentAt: now }, 'SENT', null, now);
    case 'BOUNCED':
      return end(email, 'BOUNCED', 'hard_bounce', now);
    case 'REFUSED':
      return end(email, 'FAILED', outcome.reason, now);
    case 'POSTPONED':
      return postpone(email, { reason: outcome.reason, now, spread });
  }
}

/**
 * Lets a mail wait for its next attempt. One that is UNKNOWN stays so: its alarm was raised, and a
 * person may have sent a copy of it. Its content may be deleted, too.
 */
function postpone<M extends OutgoingMail>(
  email: M,
  { reason, now, spread }: { readonly reason: string; readonly now: Date; readonly spread: number },
): Transition<M> {
  if (email.status === 'UNKNOWN') return unchanged(email);
  return only({
    ...email,
    status: 'PENDING',
    reason,
    sendAt: nextAttemptAt(email, now, spread),
    claimId: null,
    isHandedOver: false,
    changedAt: now,
  });
}

/**
 * Ends an attempt without an answer: a mail that was handed over is UNKNOWN, any other is sent
 * again.
 */
export function abandonAttempt<M extends OutgoingMail>(
  email: M,
  {
    claimId,
    reason,
    now,
    spread,
  }: {
    readonly claimId: string;
    readonly reason: string;
    readonly now: Date;
    readonly spread: number;
  },
): Transition<M> {
  if (email.claimId !== claimId || email.status !== 'PENDING') return unchanged(email);
  if (email.isHandedOver) return end(email, 'UNKNOWN', 'outcome_unknown', now);
  return settle(email, { claimId, outcome: { kind: 'POSTPONED', reason }, now, spread });
}

/** Why a mail is never sent: the invoice is not owed any more, or the address gets no mail. */
export type SkipReason = 'invoice_settled' | 'suppressed';

/** Ends a due mail that is never to be sent. */
export function skip<M extends OutgoingMail>(
  email: M,
  reason: SkipReason,
  now: Date,
): Transition<M> {
  const isOpen = isDue(email, now) && !email.isHandedOver;
  return isOpen ? end(email, 'SKIPPED', reason, now) : unchanged(email);
}

/**
 * Ends a mail that waited at the instant of a restore. It may have been sent since, in the time
 * that was lost, so a person decides if it is sent again.
 */
export function endRestored<M extends OutgoingMail>(email: M, now: Date): Transition<M> {
  return email.status === 'PENDING'
    ? end(email, 'UNKNOWN', 'outcome_unknown', now)
    : unchanged(email);
}

/** Records that the address refused a mail that was sent. */
export function bounce(
  email: Email,
  { reason, now }: { readonly reason: 'hard_bounce' | 'complaint'; readonly now: Date },
): Transition<Email> {
  if (email.status === 'BOUNCED') return unchanged(email);
  requireSent(email);
  return end(email, 'BOUNCED', reason, now);
}

/**
 * Erases what a mail says and to whom, because its customer was deleted. A mail that waits is never
 * sent; for one that was handed over, its sender's answer may still come.
 */
export function eraseEmail(email: Email, now: Date): Transition<Email> {
  if (isErased(email)) return unchanged(email);
  const erased = { ...email, to: '', subject: '', content: null };
  if (email.status !== 'PENDING') return only(erased);
  return email.isHandedOver
    ? end(erased, 'UNKNOWN', 'outcome_unknown', now)
    : end(erased, 'SKIPPED', 'suppressed', now);
}

/** True for a mail of a deleted customer. */
function isErased({ to, content }: OutgoingMail): boolean {
  return to === '' && content === null;
}

/** Refuses a mail that no address can have refused. */
export function requireSent({ status }: Email): void {
  if (['SENT', 'UNKNOWN', 'BOUNCED'].includes(status)) return;
  throw new DomainError('failed_precondition', 'EMAIL_NOT_SENT', 'This email was not sent');
}

/** True for a mail to an operator. */
function isToOperator({ kind }: Pick<OutgoingMail, 'kind'>): boolean {
  return kind === 'INVITATION' || kind === 'PASSWORD_RESET' || kind === 'EMAIL_CODE';
}

/** True for a mail whose content is a secret, since its link or code proves who reads it. */
export function isSecret(mail: Pick<OutgoingMail, 'kind'>): boolean {
  return mail.kind === 'PORTAL_LINK' || isToOperator(mail);
}

/** Deletes the content of a secret mail of a live environment that has ended. */
export function withoutSecret<M extends OutgoingMail>(ended: Transition<M>): Transition<M> {
  const { state } = ended;
  const isEnded = state.status !== 'PENDING' && state.content !== null;
  return isEnded && isSecret(state) ? { ...ended, state: { ...state, content: null } } : ended;
}

/** Refuses a mail that still waits to be sent, and a link that works only once. */
export function requireResendable({ kind, status }: Email): void {
  if (status !== 'PENDING' && kind !== 'PORTAL_LINK') return;
  throw notResendable();
}

export function notResendable(): DomainError {
  const message = 'This email cannot be sent again';
  return new DomainError('failed_precondition', 'EMAIL_NOT_RESENDABLE', message);
}

/** True if the error says that another sender has the mail. */
export function isClaimLost(error: unknown): boolean {
  return error instanceof ClaimLostError;
}

class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}

function requireClaim({ status, claimId: current }: OutgoingMail, claimId: string): void {
  if (status !== 'PENDING' || current !== claimId) throw new ClaimLostError('Claim lost');
}

function end<M extends OutgoingMail>(
  email: M,
  status: EmailStatus,
  reason: string | null,
  now: Date,
): Transition<M> {
  return only({ ...email, status, reason, sendAt: null, changedAt: now });
}

/** Time of the next attempt, or of the end of a mail whose link expires before. */
function nextAttemptAt({ attempts, expiresAt }: OutgoingMail, now: Date, spread: number): Date {
  const index = Math.min(Math.max(attempts, 1), retryDelaysMs.length) - 1;
  const delayMs = retryDelaysMs[index] ?? 24 * hour;
  const nextMs = now.getTime() + Math.round(delayMs * spread);
  return new Date(Math.min(nextMs, expiresAt?.getTime() ?? nextMs));
}
