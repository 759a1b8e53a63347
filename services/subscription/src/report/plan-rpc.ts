import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { rpcService } from '@billing/chassis/rpc';
import {
  type Plan,
  type PlanServiceServer,
  PlanServiceService,
} from '@billing/proto/billing/subscription/v1/plan';
import { planCallers } from '../peer/callers';
import { toProtoSubscription } from '../message/subscription-message';
import { mainItem, type Subscription, type SubscriptionStatus } from '../subscription/subscription';
import type { Subscriptions } from '../storage/subscription-store';
import { upcomingCharge } from '../billing/upcoming-charge';

// More are of no use to a customer, and ended ones are history.
const shown: readonly { readonly status: SubscriptionStatus; readonly perPage: number }[] = [
  { status: 'ACTIVE', perPage: 100 },
  { status: 'PAST_DUE', perPage: 100 },
  { status: 'CANCELED', perPage: 10 },
];

/** The RPCs that show subscriptions to their customer. */
export function planRpc({ subscriptions }: { readonly subscriptions: Subscriptions }) {
  return rpcService<PlanServiceServer>(
    PlanServiceService,
    {
      listPlans: async ({ customerId }, context) => ({
        plans: await plansOf(customerId, context, subscriptions),
      }),
    },
    { callers: planCallers },
  );
}

async function plansOf(
  customerId: string,
  context: CallContext,
  subscriptions: Subscriptions,
): Promise<Plan[]> {
  const lists = await Promise.all(
    shown.map(({ status, perPage }) =>
      subscriptions.list({ customerId, status }, { page: 1, perPage }, context),
    ),
  );
  return lists.flatMap(({ data }) => data.map(toProtoPlan));
}

function toProtoPlan(stored: Stored<Subscription>): Plan {
  const { state } = stored;
  const upcoming = upcomingCharge(state);
  return {
    subscription: toProtoSubscription(stored),
    productName: mainItem(state).productName,
    itemNames: state.items.map((item) => item.productName),
    upcoming:
      upcoming === null
        ? undefined
        : { ...upcoming, discountName: upcoming.discountName ?? undefined },
  };
}
