import { chargeKey } from '../invoice/attempt';
import { isOwed, outstandingOf, totalOf } from '../invoice/invoice';
import type { World } from './collection';

const finishing = ['SUCCEEDED', 'NOTHING_DUE', 'UNCOLLECTIBLE', 'VOIDED'];

/** Lists every violated invariant. */
export function problemsOf({
  record,
  successes,
  results,
  sources,
  provider,
  entries,
  taken,
  credited,
  balanceLeft,
}: World): string[] {
  const last = results.findIndex(({ outcome }) => finishing.includes(String(outcome)));
  const writtenOff = results.findIndex(({ outcome }) => outcome === 'WRITTEN_OFF');
  const afterWriteOff = writtenOff === -1 ? [] : results.slice(writtenOff + 1);
  const facts: [string, boolean][] = [
    ['at most one successful charge', successes <= 1],
    ['results 1, 2, 3 …', results.every((each, index) => each.resultNumber === index + 1)],
    ['no result after the end', last === -1 || last === results.length - 1],
    [
      'only payments after a write-off',
      afterWriteOff.every(({ outcome }) => outcome === 'SUCCEEDED' || outcome === 'FAILED'),
    ],
    ['one source for an attempt', [...sources.values()].every(({ size }) => size === 1)],
    ['nothing charged for a void', record?.status !== 'VOID' || successes === 0],
  ];
  if (record === undefined || record.isTombstone) return failing(facts);
  const { status, attempt, payments, collectAt, retriesLeft, ended: end } = record;
  const outstanding = outstandingOf(record);
  const succeeded = payments.filter((paid) => paid.status === 'SUCCEEDED');
  const over = succeeded.filter(({ overpayment }) => overpayment > 0n);
  const ofBalance = succeeded.filter(({ provider: name }) => name === 'balance');
  const dates = [...(collectAt === undefined ? [] : [collectAt]), ...retriesLeft];
  const isRising = dates.every((date, index) => index === 0 || date > (dates[index - 1] ?? date));
  const isAsCharged = payments.every(
    ({ status: paymentStatus, number: paid, recorded }) =>
      recorded !== undefined ||
      provider.get(chargeKey(record.id, { number: paid }))?.status === paymentStatus,
  );
  const due = totalOf(record) - (entries.applied ?? 0n);
  const isAsPosted =
    record.balanceApplied ===
    (status === 'DRAFT' || status === 'VOID' ? 0n : (entries.applied ?? 0n));
  // A sent invoice keeps its due date and its reminders while it is payable.
  const staysDue = end === 'PAYABLE' && record.collectionMethod === 'SEND_INVOICE';
  const hasEnded = status !== 'OPEN' || (end !== undefined && !staysDue);
  return failing([
    ...facts,
    ['a number from OPEN on', (record.number === undefined) === (status === 'DRAFT')],
    ['a slot only while owed', attempt === undefined || isOwed(record)],
    ['attempts 1, 2, 3 …', attempt === undefined || attempt.number === payments.length + 1],
    ['one payment an attempt', new Set(payments.map(({ id }) => id)).size === payments.length],
    // A payer may still pay it: the charge is recorded by the running attempt.
    [
      'nothing charged for a loss',
      status !== 'UNCOLLECTIBLE' || attempt !== undefined || successes === 0,
    ],
    ['PAID with nothing outstanding', status !== 'PAID' || outstanding === 0n],
    ['OPEN with something outstanding', status !== 'OPEN' || outstanding > 0n],
    ['VOID without payments', status !== 'VOID' || succeeded.length === 0],
    ['never below 0', outstanding >= 0n && balanceLeft >= 0n],
    [
      'overpayments as credited',
      over.length === credited.size &&
        over.every(({ id, overpayment }) => credited.get(id) === overpayment),
    ],
    [
      'payments as the balance gave them',
      ofBalance.every(({ number: paid, amount }) => taken.get(paid) === amount),
    ],
    ['payments as the provider tells them', isAsCharged],
    [
      'charges of what was outstanding',
      payments.every(({ recorded, amount }, index) => {
        const before = payments.slice(0, index).filter((paid) => paid.status === 'SUCCEEDED');
        const paid = before.reduce((sum, each) => sum + each.amount - each.overpayment, 0n);
        return recorded !== undefined || amount === due - paid;
      }),
    ],
    ['as much from the balance as was posted', isAsPosted],
    ['rising dates', isRising],
    ['nothing to come after the end', !hasEnded || dates.length === 0],
    [
      'written off once no attempt runs',
      end !== 'WRITTEN_OFF' || status !== 'OPEN' || attempt !== undefined,
    ],
  ]);
}

function failing(facts: readonly [string, boolean][]): string[] {
  return facts.filter(([, holds]) => !holds).map(([name]) => name);
}
