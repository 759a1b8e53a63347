import { isDeepStrictEqual } from 'node:util';
import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { atBoundary } from '@billing/chassis/failpoint';
import {
  beginReservation,
  type ChangeReservation,
  checkNotReleased,
  completeReservation,
  forgetReservation,
  keepReservation,
  postponeLook,
  preventReservation,
  releaseReservation,
  releaseUnknown,
  reservationReleased,
  type Reserved,
} from './change-reservation';
import { reservationIdOf } from './reservation-store';
import { reservationOf } from '../balance/balance';
import { appliedEntry, type BalanceStore } from '../balance/balance-store';
import type { InvoiceRecord } from '../invoice/invoice';
import { type ChangeRound, isOf, release, reserve } from '../invoice/reservation';
import type { Peers } from '../peer/peers';

export interface ReservationDependencies {
  readonly reservations: AggregateCollection<ChangeReservation>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly balances: Pick<BalanceStore, 'post' | 'giveBack'>;
  readonly peers: Pick<Peers, 'subscription'>;
  readonly clock: Clock;
}

/** First invoice of a subscription that is about to be created. */
interface FirstInvoice {
  readonly id: string;
  readonly subscriptionId: string;
  readonly total: bigint;
}

// A change waits this long for the reservation of another one.
const waitMsMax = 8_000;
// A creation reserves under the id of its subscription, once.
const creationRound = 1;

/**
 * Reserves and frees for plan changes. One document for each round decides: a round that was
 * released reserves nothing. Every step can be retried, also by several replicas in parallel.
 */
export class ReservationWorker {
  constructor(private readonly dependencies: ReservationDependencies) {}

  /**
   * Reserves all of a round or nothing. A retry finds what it has reserved; one with another
   * content frees the round, unless its change exists.
   */
  async reserve(round: ChangeRound, reserved: Reserved, context: CallContext): Promise<void> {
    const reservations = this.dependencies.reservations.within(context);
    const id = reservationIdOf(round, context);
    const begun = beginReservation({ id, ...round }, reserved, this.dependencies.clock.now());
    const { stored } = await atBoundary('reservation', 'begin', () => reservations.insert(begun));
    checkNotReleased(stored.state);
    const { status } = stored.state;
    if (!isDeepStrictEqual(stored.state.reserved, reserved)) {
      if (status !== 'KEPT') await this.release(round, context);
      throw reservationReleased();
    }
    if (status !== 'RESERVING') return;
    try {
      await this.reserveAll(round, reserved, context);
      await atBoundary('reservation', 'complete', () =>
        reservations.mutate(id, completeReservation),
      );
    } catch (error) {
      await this.release(round, context);
      throw error;
    }
  }

  /**
   * Frees what a round has reserved, and prevents that it reserves anything later. With
   * `keepsBalance` the amount of the balance is not returned.
   */
  async release(
    round: ChangeRound,
    context: CallContext,
    kept: { readonly keepsBalance?: boolean } = {},
  ): Promise<void> {
    const reservations = this.dependencies.reservations.within(context);
    const id = reservationIdOf(round, context);
    const realNow = this.dependencies.clock.now();
    const { inserted } = await reservations.insert(preventReservation({ id, ...round }));
    if (inserted) return;
    const { state } = await atBoundary('reservation', 'release', () =>
      reservations.mutate(id, (reservation) => releaseReservation(reservation, realNow, kept)),
    );
    await this.free(state, context);
  }

  /**
   * Finds the round in which the first invoice of a subscription takes from the balance what the
   * creation has reserved for it; undefined: nothing was reserved. The sweeper leaves the
   * reservation to the invoice from then on. If it is released already, or the invoice is of less,
   * the invoice takes what the balance holds, in the next round. Nothing is released here: of two
   * calls with another total, the stored invoice decides, and its opening in the next round returns
   * what is reserved. Release 0.1.0 neither knows such reservations nor names a round.
   */
  async roundOfFirst(
    { id: invoiceId, subscriptionId, total }: FirstInvoice,
    context: CallContext,
  ): Promise<number | undefined> {
    const reservations = this.dependencies.reservations.within(context);
    const round = { changeId: subscriptionId, round: creationRound };
    const id = reservationIdOf(round, context);
    const found = (await reservations.find(id))?.state.reserved;
    if (found?.balance === undefined || found.changeInvoiceId !== invoiceId) return undefined;
    const { state } = await reservations.mutate(id, keepReservation);
    const isUsed = state.status !== 'RELEASED' && found.balance <= total;
    return isUsed ? creationRound : creationRound + 1;
  }

  /**
   * Looks at a reservation that is older than any call that reserves. If its change was never
   * stored with its round, the reservation is released; a released one is freed again. A look that
   * fails is repeated after those of other reservations.
   */
  async look(id: string, context: CallContext): Promise<void> {
    try {
      await this.keepOrFree(id, context);
    } catch (error) {
      const realNow = this.dependencies.clock.now();
      const reservations = this.dependencies.reservations.within(context);
      await reservations.mutate(id, (reservation) => postponeLook(reservation, realNow));
      throw error;
    }
  }

  private async keepOrFree(id: string, context: CallContext): Promise<void> {
    const reservations = this.dependencies.reservations.within(context);
    const { state } = await reservations.get(id);
    const { changeId, round, reserved, status } = state;
    if (reserved === undefined || status === 'KEPT') return;
    if (status === 'RELEASED') {
      await this.free(state, context);
      await reservations.mutate(id, forgetReservation);
      return;
    }
    const { subscription } = this.dependencies.peers;
    const { subscriptionId } = reserved;
    const request = { subscriptionId, changeId, round };
    const { exists } = await subscription.checkChange(request, context);
    if (exists) {
      await reservations.mutate(id, keepReservation);
      return;
    }
    const realNow = this.dependencies.clock.now();
    const { state: left } = await atBoundary('reservation', 'release', () =>
      reservations.mutate(id, (reservation) => releaseUnknown(reservation, realNow)),
    );
    if (left.status === 'RELEASED') await this.free(left, context);
  }

  private async reserveAll(
    round: ChangeRound,
    { credits, balance, changeInvoiceId, ...owner }: Reserved,
    context: CallContext,
  ): Promise<void> {
    const byInvoice = Map.groupBy(credits, ({ invoiceId }) => invoiceId);
    // In the order of their ids, so that two changes never wait for each other.
    for (const [invoiceId, lines] of [...byInvoice].sort(([a], [b]) => (a < b ? -1 : 1))) {
      await this.reserveOn(invoiceId, { ...round, credits: lines }, context);
    }
    if (balance === undefined) return;
    const posting = appliedEntry(changeInvoiceId, round.round, context);
    const amountOf = reservationOf(balance);
    await this.dependencies.balances.post(owner, posting, { amountOf, context });
  }

  private async reserveOn(
    invoiceId: string,
    change: Parameters<typeof reserve>[1],
    context: CallContext,
  ): Promise<void> {
    const { invoices, clock } = this.dependencies;
    const until = waitAtMost(waitMsMax, context, clock.now());
    const isReached = ({ state }: Stored<InvoiceRecord>) =>
      state.isTombstone || state.reservation === undefined || isOf(state.reservation, change);
    await invoices.waitFor(invoiceId, context, { isReached, until });
    await atBoundary('invoice', 'reserve', () =>
      invoices.within(context).mutate(invoiceId, (record) => reserve(record, change)),
    );
  }

  private async free({ reserved, ...round }: ChangeReservation, context: CallContext) {
    if (reserved === undefined) return;
    const { credits, balance, changeInvoiceId: id, ...owner } = reserved;
    const invoices = this.dependencies.invoices.within(context);
    for (const invoiceId of new Set(credits.map((credit) => credit.invoiceId))) {
      // An unknown invoice has failed the reservation.
      if ((await invoices.find(invoiceId)) === undefined) continue;
      await atBoundary('invoice', 'release', () =>
        invoices.mutate(invoiceId, (record) => release(record, round)),
      );
    }
    if (balance === undefined) return;
    const invoice = (await invoices.find(id))?.state;
    // A replica of the release before may not know whose reservation this is. An invoice that uses
    // the balance returns it when it is void.
    if (invoice !== undefined && usesRound(invoice, round)) return;
    await this.dependencies.balances.giveBack({ id, ...owner }, round, context);
  }
}

function usesRound(record: InvoiceRecord, { round }: Pick<ChangeRound, 'round'>): boolean {
  return !record.isTombstone && record.status !== 'VOID' && record.balanceRound === round;
}
