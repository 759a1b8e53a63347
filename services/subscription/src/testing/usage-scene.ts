import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import { type MeterPrice, MeterPricingType } from '@billing/proto/billing/catalog/v1/catalog';
import {
  ChangeAt,
  ChangeKind,
  ChangeProration,
} from '@billing/proto/billing/subscription/v1/change';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import type { PreviewInvoice } from '@billing/proto/billing/subscription/v1/change_service';
import { day } from './fixtures';
import { aProduct, type ServiceUnderTest } from './service-under-test';

/** Half a cent a unit beyond 100. */
export function aMeterPrice(parts: Partial<MeterPrice> = {}): MeterPrice {
  return {
    id: 'meter-price',
    productId: 'metered',
    meterId: 'meter',
    type: MeterPricingType.METER_PRICING_TYPE_PER_UNIT,
    unitAmount: '0.5',
    tiers: [],
    includedUnits: '100',
    metadata: {},
    createdAt: day('01-01'),
    ...parts,
  };
}

/** A product that bills usage by the given prices. */
export function aMeteredProduct(id: string, meterPrices: MeterPrice[]) {
  return aProduct({ id, meterPriceSet: 1, meterPrices });
}

export const later = ({ tenant }: CallContext, now: Date): CallContext => ({
  ...testContext({ now }),
  tenant,
});

/** A price of a meter per unit beyond what is included. */
export const meterPriceOf = (productId: string, unitAmount: string, includedUnits: string) =>
  aMeterPrice({ id: `price-of-${productId}`, productId, unitAmount, includedUnits });

/** A request for a change to a product now, without proration. */
export function asking(subscriptionId: string, productId: string, parts: object = {}) {
  const change = {
    ...{
      kind: ChangeKind.CHANGE_KIND_UPDATE,
      resumeAt: undefined,
      notBefore: undefined,
      ...(productId !== '' && { productId }),
    },
    ...{ at: ChangeAt.CHANGE_AT_NOW, requirePayment: false, ofItems: false, otherItems: [] },
    proration: ChangeProration.CHANGE_PRORATION_NONE,
    ...parts,
  };
  return { subscriptionId, change };
}

/** Helpers of the usage tests. */
export function usageScene(under: ServiceUnderTest) {
  /** Runs all work that is due by a time. */
  async function reach(context: CallContext, workClass = WorkClass.WORK_CLASS_RENEWAL) {
    const { environmentId } = context.tenant;
    const due = { environmentId, until: context.now, workClass };
    await under.dueWork.runDue(due, context);
  }

  /** Waits until all ordered work is done. */
  async function settled({ tenant: { environmentId } }: CallContext, until: Date) {
    const asked = { environmentId, until, workClass: WorkClass.WORK_CLASS_END };
    await eventually(async () => {
      const { pending } = await under.dueWork.getActivity(asked, testContext());
      expect(pending).toBe(0);
    });
  }

  /** Advances the clock through every due instant, as identity does. */
  async function pass(context: CallContext, until: Date) {
    const { environmentId } = context.tenant;
    const classes = [WorkClass.WORK_CLASS_END, WorkClass.WORK_CLASS_RENEWAL];
    for (;;) {
      const { dueAt } = await under.dueWork.getNextDue({ environmentId, until }, context);
      if (dueAt === undefined) return;
      for (const workClass of classes) {
        await reach(later(context, dueAt), workClass);
        await settled(context, dueAt);
      }
    }
  }

  /**
   * Waits for a number of invoices of a subscription, and returns each one's lines as `[meter,
   * quantity, amount, start]`.
   */
  async function invoiced(id: string, count: number) {
    const found = await eventually(async () => {
      const { invoices } = under.peers;
      const ofSubscription = invoices.filter(({ request }) => request.subscriptionId === id);
      expect(ofSubscription).toHaveLength(count);
      return ofSubscription;
    });
    return found.map(({ request }) => ({
      reason: request.billingReason,
      period: [request.periodStart, request.periodEnd],
      lines: request.lineItems.map(({ meterId, quantity, amount, periodStart }) => [
        meterId,
        quantity,
        amount,
        periodStart,
      ]),
    }));
  }

  async function subscribe(productId = 'metered') {
    const context = testContext({ now: day('01-31') });
    const { id } = await under.create({ productId }, context);
    await invoiced(id, 1);
    return { id, context };
  }

  return { reach, settled, pass, invoiced, subscribe };
}

/** The line of a period's recurring charge, as `invoiced` shows it. */
export const recurring = (start: Date) => [undefined, '1', 2900n, start];

/** The lines of a previewed invoice, as `invoiced` shows those of one. */
export const shownLines = (invoice: PreviewInvoice | undefined) =>
  invoice?.lineItems.map(({ meterId, quantity, amount, periodStart }) => [
    meterId,
    quantity,
    amount,
    periodStart,
  ]);
