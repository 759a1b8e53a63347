import type { Currency } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { ChangeRound, LineCredit } from '../invoice/reservation';

/** Amounts and credits that one round of a plan change reserves. */
export interface Reserved {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly currency: Currency;
  /** Invoice that the change will create. */
  readonly changeInvoiceId: string;
  readonly credits: readonly (LineCredit & { readonly invoiceId: string })[];
  /** Amount to take from the balance; undefined: the balance is not asked. */
  readonly balance: bigint | undefined;
}

/**
 * Decides if a round of a change may reserve.
 * - RESERVING: parts of it may be reserved.
 * - RESERVED: all is reserved.
 * - KEPT: its change exists, and frees or uses it.
 * - RELEASED: freed; nothing is reserved for the round any more.
 */
export interface ChangeReservation extends ChangeRound {
  readonly id: string;
  readonly status: 'RESERVING' | 'RESERVED' | 'KEPT' | 'RELEASED';
  /** Undefined if the release came before the reservation. */
  readonly reserved: Reserved | undefined;
  /** Real time at which the sweeper looks at it; undefined: never. */
  readonly lookAt: Date | undefined;
}

// Longer than any call that reserves.
const lookAfterMs = 60_000;

/** A reservation that is about to be made. */
export function beginReservation(
  round: ChangeRound & Pick<ChangeReservation, 'id'>,
  reserved: Reserved,
  realNow: Date,
): Transition<ChangeReservation> {
  return only({ ...round, status: 'RESERVING', reserved, lookAt: lookAfter(realNow) });
}

/** Takes the place of a reservation that was released before it was made. */
export function preventReservation(
  round: ChangeRound & Pick<ChangeReservation, 'id'>,
): Transition<ChangeReservation> {
  return only({ ...round, status: 'RELEASED', reserved: undefined, lookAt: undefined });
}

/** Marks the reservation as complete. Throws if it was released in the meantime. */
export function completeReservation(reservation: ChangeReservation): Transition<ChangeReservation> {
  checkNotReleased(reservation);
  if (reservation.status !== 'RESERVING') return unchanged(reservation);
  return only({ ...reservation, status: 'RESERVED' });
}

/** Leaves the reservation to its change, which exists, or to an invoice that uses it. */
export function keepReservation(reservation: ChangeReservation): Transition<ChangeReservation> {
  if (reservation.status === 'RELEASED' || reservation.status === 'KEPT') {
    return unchanged(reservation);
  }
  return only({ ...reservation, status: 'KEPT', lookAt: undefined });
}

/** Releases a reservation whose owner does not know it, unless an invoice uses it. */
export function releaseUnknown(
  reservation: ChangeReservation,
  realNow: Date,
): Transition<ChangeReservation> {
  if (reservation.status === 'KEPT') return unchanged(reservation);
  return releaseReservation(reservation, realNow);
}

/**
 * Releases the reservation. It is freed a second time later, because a call that was reserving at
 * that moment may have gone on. `keepsBalance`: the change's invoice has used the amount of the
 * balance.
 */
export function releaseReservation(
  reservation: ChangeReservation,
  realNow: Date,
  { keepsBalance = false } = {},
): Transition<ChangeReservation> {
  if (reservation.status === 'RELEASED') return unchanged(reservation);
  const { reserved } = reservation;
  const kept = keepsBalance && reserved !== undefined;
  return only({
    ...reservation,
    status: 'RELEASED',
    reserved: kept ? { ...reserved, balance: undefined } : reserved,
    lookAt: lookAfter(realNow),
  });
}

/** Lets other reservations go first after a look that failed. */
export function postponeLook(
  reservation: ChangeReservation,
  realNow: Date,
): Transition<ChangeReservation> {
  if (reservation.lookAt === undefined) return unchanged(reservation);
  return only({ ...reservation, lookAt: lookAfter(realNow) });
}

/** Ends the sweeper's work on a released reservation. */
export function forgetReservation(reservation: ChangeReservation): Transition<ChangeReservation> {
  const isDone = reservation.status !== 'RELEASED' || reservation.lookAt === undefined;
  return isDone ? unchanged(reservation) : only({ ...reservation, lookAt: undefined });
}

/** Throws if the round was released. */
export function checkNotReleased({ status }: ChangeReservation): void {
  if (status === 'RELEASED') throw reservationReleased();
}

/** Refusal of a round that reserves nothing: the change tries the next one. */
export function reservationReleased(): DomainError {
  const message = 'The reservation was released';
  return new DomainError('failed_precondition', 'RESERVATION_RELEASED', message);
}

function lookAfter(realNow: Date): Date {
  return new Date(realNow.getTime() + lookAfterMs);
}
