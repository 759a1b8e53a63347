import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { PricingType } from '@billing/proto/billing/catalog/v1/catalog';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import {
  ChangeAt,
  ChangeKind,
  ChangeProration,
  ChangeStatus,
} from '@billing/proto/billing/subscription/v1/change';
import { day } from '../testing/fixtures';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';

const under = serviceForTests((peers) => {
  const type = PricingType.PRICING_TYPE_PER_UNIT;
  peers.products.set('seats', aProduct({ id: 'seats' }, { type, amount: 1000n }));
});

const [start, end] = [day('01-31'), day('02-28')];
const rounds = 3;

const at = ({ tenant }: CallContext, now: Date): CallContext => ({
  ...testContext({ now }),
  tenant,
});

/** Invoices of a subscription that have reached checkout, by the time of their period. */
const invoicesOf = (id: string) =>
  under.peers.invoices
    .map(({ request }) => request)
    .filter(({ subscriptionId }) => subscriptionId === id);

async function begin(context: CallContext): Promise<string> {
  const { id } = await under.create({ productId: 'seats' }, context);
  await eventually(() => {
    expect(invoicesOf(id)).toHaveLength(1);
  });
  return id;
}

/** Three seats instead of one, without a payment first. */
async function change(id: string, context: CallContext, now: Date) {
  const asked = {
    ...{ kind: ChangeKind.CHANGE_KIND_UPDATE, resumeAt: undefined, notBefore: undefined },
    ...{ quantity: 3, ofItems: false, otherItems: [], requirePayment: false },
    at: ChangeAt.CHANGE_AT_NOW,
    proration: ChangeProration.CHANGE_PRORATION_UNSPECIFIED,
  };
  const request = { subscriptionId: id, change: asked, metadata: undefined };
  // The next period may begin, and its invoice be made, during the call.
  const retrySeed = { seed: newId(), isRetry: true };
  return eventually(async () => {
    const answer = await under.change.createChange(request, { ...at(context, now), retrySeed });
    return answer.change;
  });
}

/** When the renewal begins. This usually decides which of both is stored first. */
const beginnings = ['with the call', 'while it reads the invoice of its period'] as const;

const offsets = [
  ['a millisecond before', -1],
  ['at', 0],
  ['a millisecond after', 1],
] as const;

describe.each(offsets)('a change %s the end of a period', (_name, offset) => {
  test.each(beginnings)('and its renewal that begins %s count once each', async (beginning) => {
    for (let round = 0; round < rounds; round += 1) await race(offset, beginning);
  });
});

async function race(offset: number, beginning: (typeof beginnings)[number]): Promise<void> {
  const context = testContext({ now: start });
  const id = await begin(context);
  const { environmentId } = context.tenant;
  const due = { environmentId, until: end, workClass: WorkClass.WORK_CLASS_RENEWAL };
  const renew = () => eventually(() => under.dueWork.runDue(due, at(context, end)));
  const renewals: Promise<unknown>[] = [];
  if (beginning === 'with the call') renewals.push(renew());
  under.peers.onInvoiceRead = () => {
    if (renewals.length === 0) renewals.push(renew());
    return Promise.resolve();
  };
  const asked = new Date(end.getTime() + offset);
  const made = await change(id, context, asked);
  await Promise.all(renewals);
  under.peers.onInvoiceRead = () => Promise.resolve();
  await renew();
  expect(made?.status).toBe(ChangeStatus.CHANGE_STATUS_APPLIED);
  const isBefore = made?.from?.currentPeriodStart?.getTime() === start.getTime();
  // A request at the end counts before the renewal, unless that was stored first.
  if (offset > 0) expect(isBefore).toBe(false);
  const expected = isBefore ? asked : new Date(Math.max(asked.getTime(), end.getTime()));
  expect(made?.effectiveAt).toEqual(expected);
  expect(await under.get(id, at(context, end))).toMatchObject({
    ...{ quantity: 3, currentPeriodStart: end, pendingChange: undefined },
  });
  // A millisecond of two seats rounds to nothing. What is not paid yet is credited.
  const period = (from: Date, amount: bigint) => [from.getTime(), [amount]];
  const renewed = isBefore ? [period(end, 3000n)] : [period(end, 1000n), period(expected, 3000n)];
  await eventually(() => {
    // A command that is repeated orders the same invoice again.
    const orders = new Map(invoicesOf(id).map((order) => [order.invoiceId, order]));
    const amounts = [...orders.values()].map(({ periodStart, lineItems }) => [
      ...[periodStart?.getTime(), lineItems.map(({ amount }) => amount)],
    ]);
    expect(amounts).toEqual([period(start, 1000n), ...renewed]);
    const notes = under.peers.creditNotes
      .map(({ request }) => request)
      .filter(({ changeId }) => changeId === made?.id);
    const credited = [...new Map(notes.map((note) => [note.creditNoteId, note])).values()].flatMap(
      ({ lines }) => lines.map(({ amount }) => amount),
    );
    expect(credited).toEqual(isBefore ? [] : [1000n]);
  });
}
