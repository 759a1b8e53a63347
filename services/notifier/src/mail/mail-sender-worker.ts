import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { jitter, newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { Semaphore } from '@billing/chassis/semaphore';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { asksForPayment } from '@billing/presentation/mail-kind';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { MailPeers } from '../peer/peers';
import {
  abandonAttempt,
  claim,
  endLapsed,
  isClaimLost,
  leaseMs,
  markHandedOver,
  type OutgoingMail,
  renewClaim,
  retrySpread,
  settle,
  skip,
  type SkipReason,
  withoutSecret,
} from './email';
import type { MailFile } from '../attachment/attachment';
import { toMimeMessage } from './create-mime-message';
import { readMailFiles } from '../attachment/read-mail-files';
import { sendBySmtp, type SmtpSettings } from '../smtp/send-by-smtp';
import { ServerReach } from '../smtp/server-reach';
import type { SuppressionStore } from './suppression-store';

export interface MailSenderDependencies {
  readonly suppressions: SuppressionStore;
  readonly peers: MailPeers;
  /** Undefined: mails that wait for a server wait on. */
  readonly smtp: SmtpSettings | undefined;
  /** Envelope sender; undefined: the address that the mail is from. */
  readonly bounceAddress: string | undefined;
  readonly connectionsMax: number;
  /** Undefined: no limit. */
  readonly perSecondMax: number | undefined;
  /** Interval at which a server that cannot be reached is asked; absent: the usual one. */
  readonly askEveryMs?: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const renewEveryMs = leaseMs / 3;
const noServerWaitMs = 30_000;

/** Mails of one kind of recipient, and the id of one of them. */
interface StoredMail<M extends OutgoingMail> {
  readonly mails: AggregateCollection<M>;
  readonly id: string;
}

/**
 * Gives the mails of live environments to the mail server, each at most once: those to payers and
 * those to operators share its connections.
 */
export class MailSender {
  private readonly slots: Semaphore;
  private readonly reach: ServerReach;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly aborting = new AbortController();
  private stopped: Promise<void> | undefined;
  private nextStartMs = 0;

  constructor(private readonly dependencies: MailSenderDependencies) {
    this.slots = new Semaphore(dependencies.connectionsMax);
    this.reach = new ServerReach(dependencies.askEveryMs);
  }

  /** Sends a mail that is due. Other processes may try the same one: the claim decides. */
  async send<M extends OutgoingMail>(stored: StoredMail<M>, context: CallContext): Promise<void> {
    const { signal } = this.stopping;
    const { smtp, clock } = this.dependencies;
    if (signal.aborted || !context.tenant.live) return;
    if (smtp === undefined) {
      await this.wait(stored, context, noServerWaitMs);
      return;
    }
    const waitMs = await this.slots.run(async () => {
      if (signal.aborted) return 0;
      await this.keepPace(signal);
      if (!this.reach.mayTry(clock.now())) return this.reach.waitMs(clock.now());
      const sending = this.sendClaimed(stored, context, smtp);
      this.inFlight.add(sending);
      await sending.finally(() => this.inFlight.delete(sending));
      return 0;
    });
    // Holds no connection while it waits, so that a test mail can ask the server.
    if (waitMs > 0) await this.wait(stored, context, waitMs);
  }

  /** Runs an attempt that belongs to no stored mail, within the limits of all others. */
  async attemptOnce<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.slots.run(async () => {
      await this.keepPace(signal);
      // It may have waited for its turn until now.
      signal.throwIfAborted();
      return attempt();
    }, signal);
  }

  /** Lets running attempts finish for a while, then breaks their connections; waits end at once. */
  stop(graceMs: number): Promise<void> {
    this.stopped ??= this.stopOnce(graceMs);
    return this.stopped;
  }

  private async stopOnce(graceMs: number): Promise<void> {
    this.stopping.abort();
    const ended = Promise.allSettled(this.inFlight);
    const idle = new AbortController();
    void ended.then(() => {
      idle.abort();
    });
    await sleep(graceMs, idle.signal);
    this.aborting.abort();
    await ended;
  }

  /** Lets a mail wait for the server; ends one that has waited for too long. */
  private async wait<M extends OutgoingMail>(
    stored: StoredMail<M>,
    context: CallContext,
    ms: number,
  ): Promise<void> {
    const { status } = await this.endIfLapsed(stored, context);
    if (status === 'PENDING') await sleep(ms, this.stopping.signal);
  }

  private async endIfLapsed<M extends OutgoingMail>(
    { mails, id }: StoredMail<M>,
    context: CallContext,
  ): Promise<M> {
    const { clock } = this.dependencies;
    const store = mails.within(context);
    let isEnded = false as boolean;
    const { state } = await store.mutate(id, (email) => {
      const lapsed = withoutSecret(endLapsed(email, clock.now()));
      isEnded = lapsed.state !== email;
      return lapsed;
    });
    if (isEnded) this.reportUnsent(state);
    return state;
  }

  private async sendClaimed<M extends OutgoingMail>(
    stored: StoredMail<M>,
    context: CallContext,
    settings: SmtpSettings,
  ): Promise<void> {
    const { clock, logger } = this.dependencies;
    const { mails, id } = stored;
    const store = mails.within(context);
    const waiting = await this.endIfLapsed(stored, context);
    if (waiting.status !== 'PENDING') return;
    // Before the claim, so that no attempt is used up while the invoice cannot be read.
    const skipped = await this.skippedBecause(waiting, context);
    if (skipped !== undefined) {
      await store.mutate(id, (state) => withoutSecret(skip(state, skipped, clock.now())));
      return;
    }
    // A file that cannot be read delays the mail, and uses up no attempt.
    const { peers } = this.dependencies;
    const files = await readMailFiles(waiting.content, { peers, context });
    const claimId = newId();
    const { state: email } = await store.mutate(id, (state) =>
      claim(state, { claimId, now: clock.now() }),
    );
    if (email.claimId !== claimId || email.status !== 'PENDING') return;
    const renewing = setInterval(() => {
      void store
        .mutate(id, (state) => renewClaim(state, claimId, clock.now()))
        .catch(() => undefined);
    }, renewEveryMs);
    try {
      await this.attempt(email, context, { mails, claimId, settings, files });
    } catch (error) {
      if (!isClaimLost(error)) throw error;
      logger.warn({ emailId: id }, 'another process sends the mail');
    } finally {
      clearInterval(renewing);
    }
  }

  private async attempt<M extends OutgoingMail>(
    email: M,
    context: CallContext,
    {
      mails,
      claimId,
      settings,
      files,
    }: {
      readonly mails: AggregateCollection<M>;
      readonly claimId: string;
      readonly settings: SmtpSettings;
      readonly files: readonly MailFile[];
    },
  ): Promise<void> {
    const { bounceAddress, clock, logger } = this.dependencies;
    const { id, to, from } = email;
    const store = mails.within(context);
    const bytes = await toMimeMessage(email, files);
    const result = await sendBySmtp(
      { from: bounceAddress ?? from.address, to, bytes },
      {
        settings,
        signal: this.aborting.signal,
        beforeContent: async () => {
          await store.mutate(id, (state) => markHandedOver(state, claimId, clock.now()));
        },
      },
    );
    const now = clock.now();
    const spread = jitter(retrySpread);
    const isSilent = result.kind === 'NO_ANSWER' && result.isServerReached !== true;
    if (isSilent) this.reach.recordSilence(now);
    else this.reach.recordAnswer();
    if (result.kind === 'BOUNCED') await this.suppress(email, context, now);
    const { state } = await store.mutate(id, (current) =>
      withoutSecret(
        result.kind === 'NO_ANSWER'
          ? abandonAttempt(current, { claimId, reason: result.reason, now, spread })
          : settle(current, { claimId, outcome: result, now, spread }),
      ),
    );
    const { status, reason } = state;
    if (status === 'UNKNOWN' || status === 'FAILED') this.reportUnsent(state);
    else logger.info({ emailId: id, status, reason }, 'mail attempted');
  }

  private async suppress(
    mail: OutgoingMail,
    { tenant }: CallContext,
    createdAt: Date,
  ): Promise<void> {
    const { id: emailId, to: email, customerId } = mail;
    // The list is the seller's, of addresses of customers.
    if (customerId === undefined) return;
    const fact = { email, reason: 'HARD_BOUNCE', emailId, customerId, createdAt } as const;
    await this.dependencies.suppressions.add(tenant.environmentId, fact);
  }

  private reportUnsent({ id: emailId, status, reason }: OutgoingMail): void {
    const facts = { emailId, status, reason };
    const { logger } = this.dependencies;
    // A person decides if the mail is sent again.
    if (status === 'UNKNOWN') logger.error({ alarm: 'mail_unknown', ...facts }, 'mail not sent');
    if (status !== 'FAILED') return;
    const alarm = reason === 'expired' ? { alarm: 'mail_expired' } : {};
    logger.error({ ...alarm, ...facts }, 'mail not sent');
  }

  /** Reason for which a mail that waits is not to be sent any more; undefined: it is. */
  private async skippedBecause(
    mail: OutgoingMail,
    context: CallContext,
  ): Promise<SkipReason | undefined> {
    const { suppressions } = this.dependencies;
    const { environmentId } = context.tenant;
    // The address may have refused another mail since this one was made.
    const isSuppressed =
      mail.customerId !== undefined &&
      (await suppressions.isSuppressed(environmentId, mail.to, mail.id));
    if (isSuppressed) return 'suppressed';
    return (await this.isSettled(mail, context)) ? 'invoice_settled' : undefined;
  }

  /** True for a mail that asks for a payment of an invoice that is not owed any more. */
  private async isSettled(
    { kind, attempts, invoiceId }: OutgoingMail,
    context: CallContext,
  ): Promise<boolean> {
    // The payment may have come since the first attempt.
    if (attempts < 1 || invoiceId === null || !asksForPayment(kind)) return false;
    const { checkout } = this.dependencies.peers;
    const found = await unlessNotFound(checkout.getInvoice({ id: invoiceId }, context));
    return found?.invoice?.status !== InvoiceStatus.INVOICE_STATUS_OPEN;
  }

  private async keepPace(signal: AbortSignal): Promise<void> {
    const { perSecondMax, clock } = this.dependencies;
    if (perSecondMax === undefined) return;
    const nowMs = clock.now().getTime();
    const startMs = Math.max(this.nextStartMs, nowMs);
    this.nextStartMs = startMs + 1_000 / perSecondMax;
    if (startMs > nowMs) await sleep(startMs - nowMs, signal);
  }
}
