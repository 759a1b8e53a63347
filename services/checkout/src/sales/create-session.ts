import type { InlineCommands, Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import {
  answerBy,
  type CallContext,
  mayHaveRun,
  newResourceId,
} from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { previewStale } from '@billing/chassis/preview-promise';
import { withinTime } from '@billing/chassis/within-time';
import { DomainError, isRefusal } from '@billing/kernel/domain-error';
import type { PreviewSessionResponse } from '@billing/proto/billing/checkout/v1/session';
import type { InvoiceRecord } from '../invoice/invoice';
import { discountNotValid } from '../peer/discount';
import {
  abandonUnanswered,
  createSession,
  isAbandoned,
  type Session,
  type SessionRecord,
  resumeCreation,
} from './session';
import { describeSession } from './describe-session';
import {
  describePromised,
  type PreviewedSession,
  previewSession,
  type SessionPreviewDependencies,
} from './describe-session-preview';
import { endEarlierSession } from './end-session';
import type { SessionInput } from './session-input';
import { abandonAt } from './session-ending';
import type { SessionPreparer } from './session-preparation-worker';

export interface SessionCreationDependencies extends SessionPreviewDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly preparer: SessionPreparer;
  readonly clock: Clock;
}

/** A payable session and its invoice. */
export interface PayableSession {
  readonly session: Stored<SessionRecord>;
  readonly invoice: Stored<InvoiceRecord>;
}

/**
 * Creates sessions. The first write stores the session with the commands of everything left to do,
 * and the call carries them out.
 */
export class SessionCreationWorker {
  constructor(private readonly dependencies: SessionCreationDependencies) {}

  /** Computes what a session would cost now. */
  preview(asked: PreviewedSession, context: CallContext): Promise<PreviewSessionResponse> {
    return previewSession(asked, context, this.dependencies);
  }

  /** Throws the reason if the session cannot be created. */
  async create(input: SessionInput, context: CallContext): Promise<PayableSession> {
    const { id, begun } = await this.findPlace(context);
    if (begun !== undefined)
      return this.createdOrAbandoned(begun, context, this.waitForRelay(begun, input, context));
    const { previewToken: token } = input;
    const session =
      token === undefined
        ? await describeSession(id, input, context, this.dependencies)
        : await describePromised(id, { token, input }, context, this.dependencies);
    await endEarlierSession(input, context, this.dependencies);
    // The end of the earlier session may have needed the rest of the time.
    context.storing?.close();
    const inline = await this.dependencies.sessions
      .within(context)
      .insertWithInlineCommands(createSession(session, context.now));
    const made = inline.inserted
      ? this.make(inline, input, context)
      : this.waitForRelay(inline.stored, input, context);
    return this.createdOrAbandoned(inline.stored, context, made);
  }

  /**
   * Id of the new session, and the record that an earlier call of the same request left there; a
   * retry waits for that record in place of the earlier call. The id of an abandoned session is
   * never used again: the next id follows from it.
   */
  private async findPlace(
    context: CallContext,
  ): Promise<{ id: string; begun?: Stored<SessionRecord> }> {
    let id = newResourceId(context, 'checkoutSession');
    if (!mayHaveRun(context)) return { id };
    const sessions = this.dependencies.sessions.within(context);
    for (;;) {
      if ((await sessions.find(id)) === undefined) return { id };
      const begun = await sessions.mutate(id, (record) =>
        resumeCreation(record, abandonAt(context)),
      );
      if (!isAbandoned(begun.state)) return { id, begun };
      id = derivedId(context.tenant.environmentId, id, 'again');
    }
  }

  /**
   * Returns the session if it is created before the deadline. Otherwise the session ends, because
   * no caller knows its address.
   */
  private async createdOrAbandoned(
    { state: { id } }: Stored<SessionRecord>,
    context: CallContext,
    making: Promise<PayableSession>,
  ): Promise<PayableSession> {
    const msLeft = answerBy(context).getTime() - this.dependencies.clock.now().getTime();
    try {
      return await withinTime(Math.max(msLeft, 0), making);
    } catch (error) {
      if (!isRefusal(error)) {
        await this.dependencies.sessions
          .within(context)
          .mutate(id, (record) => abandonUnanswered(record, abandonAt(context)));
      }
      throw error;
    }
  }

  private async make(
    { stored, markDone, leaveToRelay }: InlineCommands<SessionRecord>,
    input: SessionInput,
    context: CallContext,
  ): Promise<PayableSession> {
    try {
      const { session, state } = requireCreated(await this.reserved(stored, context), input);
      const invoice = await this.dependencies.preparer.openInvoice(state, context);
      // Not awaited; the relay carries out what is left.
      void markDone().catch(leaveToRelay);
      return { session, invoice };
    } catch (error) {
      leaveToRelay();
      // The caller may still get a session that the relay can finish.
      if (isRefusal(error)) throw error;
      return this.waitForRelay(stored, input, context);
    }
  }

  private async reserved(
    stored: Stored<SessionRecord>,
    context: CallContext,
  ): Promise<Stored<SessionRecord>> {
    const { state } = stored;
    if (state.isTombstone || state.phase !== 'CREATING') return stored;
    return this.dependencies.preparer.reserve(state, context);
  }

  /** Waits for the relay to finish a begun session. */
  private async waitForRelay(
    begun: Stored<SessionRecord>,
    input: SessionInput,
    context: CallContext,
  ): Promise<PayableSession> {
    const { session, state } = requireCreated(await this.untilCreated(begun, context), input);
    return { session, invoice: await this.dependencies.preparer.invoiceOf(state, context) };
  }

  private untilCreated(
    { state: { id } }: Stored<SessionRecord>,
    context: CallContext,
  ): Promise<Stored<SessionRecord>> {
    return this.dependencies.sessions.waitFor(id, context, {
      isReached: ({ state }) => state.isTombstone || state.phase !== 'CREATING',
      until: answerBy(context),
    });
  }
}

function requireCreated(
  session: Stored<SessionRecord>,
  { discountId, previewToken }: Pick<SessionInput, 'discountId' | 'previewToken'>,
): { session: Stored<SessionRecord>; state: Session } {
  const { state } = session;
  if (state.isTombstone || state.refusal === 'ABANDONED') {
    const message = 'The earlier request was abandoned; retry with another Idempotency-Key';
    throw new DomainError('failed_precondition', 'SESSION_ABANDONED', message);
  }
  if (state.refusal === 'DISCOUNT_NOT_VALID') {
    if (previewToken !== undefined) throw previewStale(['discount']);
    throw discountNotValid(discountId === undefined ? 'checkoutLinkId' : 'discountId');
  }
  if (state.phase === 'CREATING') {
    throw new DomainError('unavailable', 'SESSION_NOT_MADE', 'Service unavailable');
  }
  return { session, state };
}
