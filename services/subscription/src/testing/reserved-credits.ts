import { DomainError } from '@billing/kernel/domain-error';
import type { Invoice, LineLeft } from '@billing/proto/billing/checkout/v1/checkout';
import type { ReserveForChangeRequest } from '@billing/proto/billing/checkout/v1/reservation';

/** Credits that changes reserve on invoices. They are never freed. */
export class ReservedCredits {
  readonly made: ReserveForChangeRequest[] = [];
  /** True: reservations are made, and their answers are lost. */
  isAnswerLost = false;

  reserve(request: ReserveForChangeRequest): void {
    this.made.push(request);
    this.answer();
  }

  /** Throws while answers are lost. */
  answer(): void {
    if (!this.isAnswerLost) return;
    throw new DomainError('unavailable', 'DOWN', 'Service unavailable');
  }

  /** Returns the rest of each line without the credit that other changes have reserved. */
  leftOf(invoice: Invoice | undefined, changeId: string | undefined): LineLeft[] {
    const reserved = this.made
      .filter((request) => request.changeId !== changeId)
      .flatMap(({ credits }) => credits);
    return (invoice?.lineItems ?? []).map(({ id: lineItemId, amount }) => ({
      lineItemId,
      amount: reserved
        .filter((credit) => credit.lineItemId === lineItemId)
        .reduce((left, credit) => left - credit.amount, amount),
    }));
  }
}
