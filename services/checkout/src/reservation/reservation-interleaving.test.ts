import fc from 'fast-check';
import { DomainError } from '@billing/kernel/domain-error';
import {
  beginReservation,
  type ChangeReservation,
  completeReservation,
  forgetReservation,
  preventReservation,
  releaseReservation,
  type Reserved,
} from './change-reservation';
import { consumptionOf, reservationOf } from '../balance/balance';
import { type Invoice, voidInvoice } from '../invoice/invoice';
import { release, reserve } from '../invoice/reservation';
import { anOpened, asInvoice } from '../testing/invoice';

// Calls that reserve and release one round of a change run in any order and stop anywhere. Each
// step is one decision on the current document, as a compare-and-set gives it; an entry in the
// balance is posted once by its id.

const round = { changeId: 'change', round: 1 };
const realNow = new Date('2026-01-01T00:00:00.000Z');
const credit = { lineItemId: anOpened().lineItems[0]?.id ?? '', amount: 500n };
const asked: Reserved = {
  subscriptionId: 's',
  customerId: 'c',
  currency: 'USD',
  changeInvoiceId: 'i',
  credits: [{ ...credit, invoiceId: 'paid' }],
  balance: 300n,
};

const reserving = ['begin', 'onInvoice', 'onBalance', 'complete'] as const;
const releasing = ['decide', 'freeInvoice', 'tombstone', 'return'] as const;
type Step = (typeof reserving)[number] | (typeof releasing)[number];
type Call = Step[];

class World {
  reservation: ChangeReservation | undefined;
  invoice: Invoice = { ...anOpened(), status: 'PAID' };
  applied: bigint | undefined;
  returned: bigint | undefined;
  succeeded = false;

  constructor(private balance: bigint) {}

  /** Runs the next step of a call; a refused call goes on by releasing. */
  run(call: Call): void {
    const step = call.shift();
    if (step === undefined) return;
    try {
      this.take(step, call);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      call.splice(0, call.length, ...releasing);
    }
  }

  /** The sweeper finds that the change was never stored, and looks a second time. */
  sweep(): void {
    if (this.reservation === undefined || this.reservation.lookAt === undefined) return;
    const isReleased = this.reservation.status === 'RELEASED';
    const call: Call = isReleased ? [...releasing.slice(1)] : [...releasing];
    while (call.length > 0) this.run(call);
    if (isReleased) this.reservation = forgetReservation(this.reservation).state;
  }

  private take(step: Step, call: Call): void {
    const { reservation } = this;
    switch (step) {
      case 'begin':
        this.reservation ??= beginReservation({ id: 'r', ...round }, asked, realNow).state;
        if (this.reservation.status === 'RELEASED') call.splice(0);
        return;
      case 'onInvoice':
        this.invoice = asInvoice(reserve(this.invoice, { ...round, credits: [credit] }).state);
        return;
      case 'onBalance':
        this.post(reservationOf(300n));
        return;
      case 'complete':
        if (reservation === undefined) throw new Error('The reservation was never begun');
        this.reservation = completeReservation(reservation).state;
        this.succeeded = true;
        return;
      case 'decide':
        if (reservation === undefined) {
          this.reservation = preventReservation({ id: 'r', ...round }).state;
          call.splice(0);
          return;
        }
        this.reservation = releaseReservation(reservation, realNow).state;
        return;
      case 'freeInvoice':
        this.invoice = asInvoice(release(this.invoice, round).state);
        return;
      case 'tombstone':
        this.post(consumptionOf(0n));
        return;
      case 'return':
        if (this.returned !== undefined) return;
        this.returned = -(this.applied ?? 0n);
        this.balance += this.returned;
    }
  }

  private post(amountOf: (balance: bigint) => bigint): void {
    if (this.applied !== undefined) return;
    this.applied = amountOf(this.balance);
    this.balance += this.applied;
  }

  get holds(): { readonly credit: boolean; readonly balance: bigint } {
    const taken = -(this.applied ?? 0n) - (this.returned ?? 0n);
    return { credit: this.invoice.reservation !== undefined, balance: taken };
  }
}

const steps = fc.array(fc.nat({ max: 3 }), { maxLength: 40, size: 'max' });
const calls = fc.array(fc.constantFrom('RESERVE', 'RELEASE'), { minLength: 1, maxLength: 4 });

test.each([1_000n, 100n])(
  'a round holds all that it reserved or nothing, with a balance of %s, in any order of steps and crashes',
  (balance) => {
    fc.assert(
      fc.property(calls, steps, (kinds, turns) => {
        const world = new World(balance);
        const running: Call[] = kinds.map((kind) => [
          ...(kind === 'RESERVE' ? reserving : releasing),
        ]);
        // A call that gets no further turn has crashed.
        for (const turn of turns) world.run(running[turn % running.length] ?? []);
        const { status } = world.reservation ?? {};
        if (status === 'RESERVED') expect(world.holds).toEqual({ credit: true, balance: 300n });
        // Nothing is lost before the sweeper looks: the release of a stored round is repeated.
        world.sweep();
        world.sweep();
        expect(world.holds).toEqual({ credit: false, balance: 0n });
        expect(world.reservation?.lookAt).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  },
);

test('the void of an invoice lets its reservation lapse', () => {
  const open = { ...anOpened(), attempt: undefined };
  const held = asInvoice(reserve(open, { ...round, credits: [credit] }).state);
  const { state } = voidInvoice(held, { number: undefined, now: realNow });
  expect(asInvoice(state).reservation).toBeUndefined();
  expect(release(state, round).state).toBe(state);
});
