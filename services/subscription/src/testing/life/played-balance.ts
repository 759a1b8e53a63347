import { DomainError } from '@billing/kernel/domain-error';
import type {
  ReleaseForChangeRequest,
  ReserveForChangeRequest,
} from '@billing/proto/billing/checkout/v1/reservation';

const zero = 0n;

/** What a change has reserved of the balance for its invoice. */
interface Held {
  readonly changeId: string;
  readonly round: number;
  readonly amount: bigint;
}

/** The customer's balance. */
export class PlayedBalance {
  /** What nothing has reserved. */
  left = zero;
  private readonly held = new Map<string, Held>();

  /** What it would pay of a total. */
  offer(total: bigint): bigint {
    return this.left < total ? this.left : total;
  }

  /** Pays a total: what is reserved for the invoice, else as much as there is. */
  pay(invoiceId: string, total: bigint): bigint {
    const held = this.held.get(invoiceId);
    this.held.delete(invoiceId);
    if (held !== undefined) return held.amount;
    const amount = this.offer(total);
    this.left -= amount;
    return amount;
  }

  reserve({ changeId, round, changeInvoiceId, balance: amount }: ReserveForChangeRequest): void {
    if (amount === undefined || this.held.has(changeInvoiceId)) return;
    if (amount > this.left) throw moved();
    this.left -= amount;
    this.held.set(changeInvoiceId, { changeId, round, amount });
  }

  release({ changeId, round }: Pick<ReleaseForChangeRequest, 'changeId' | 'round'>): void {
    for (const [invoiceId, held] of this.held) {
      if (held.changeId === changeId && held.round === round) this.giveBack(invoiceId);
    }
  }

  /** Frees what is reserved for an invoice that does not open any more. */
  giveBack(invoiceId: string): void {
    this.left += this.held.get(invoiceId)?.amount ?? zero;
    this.held.delete(invoiceId);
  }
}

function moved(): DomainError {
  return new DomainError('failed_precondition', 'BALANCE_MOVED', 'Balance has moved');
}
