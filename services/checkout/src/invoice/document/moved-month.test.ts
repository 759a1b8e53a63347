import { newId } from '@billing/chassis/ids';
import { anOpened } from '../../testing/invoice';
import { type Dispute, noCredits } from '../credit/credit';
import type { Invoice } from '../invoice';
import { movedMonthOf } from './moved-month';

const at = (month: string) => new Date(`2026-${month}-10T12:00:00Z`);
const finalization = (time: Date | undefined) => ({
  ...{ at: time, netDays: 30, invoicePrefix: 'INV-', parties: undefined, taxes: undefined },
});

const cases: readonly (readonly [string, Partial<Invoice>, string | null])[] = [
  ['of an earlier release has an unknown month', { finalization: undefined }, null],
  ['that may still change has none', { finalization: finalization(undefined) }, ''],
  ['has the month of its finalization', {}, '2026-01'],
  ['has the month of its void', { voidedAt: at('03') }, '2026-03'],
  ['has the month of its last dispute', { disputes: [aDispute(at('05'))] }, '2026-05'],
  ['does not move while a dispute is open', { disputes: [aDispute(undefined)] }, '2026-01'],
];

test.each(cases)('an invoice %s', (_name, change, month) => {
  const invoice = { ...anOpened(), ...noCredits, finalization: finalization(at('01')), ...change };
  expect(movedMonthOf(invoice)).toBe(month);
});

function aDispute(closedAt: Date | undefined): Dispute {
  return {
    ...{ id: newId(), paymentId: newId(), amount: 100n, reason: 'fraudulent', status: 'LOST' },
    ...{ provider: 'sandbox', providerDisputeId: 'd', evidenceDueBy: undefined },
    ...{ openedAt: at('02'), closedAt },
  };
}
