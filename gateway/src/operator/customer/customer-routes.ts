import type { CallContext } from '@billing/chassis/call-context';
import type {
  CustomerAccount as ProtoCustomerAccount,
  PlannedCharge,
} from '@billing/proto/billing/checkout/v1/report';
import type { AuditEntry } from '@billing/proto/billing/identity/v1/operator';
import type { SubscriptionWebhook } from '@billing/proto/billing/notifier/v1/webhook_delivery';
import type { SubscriptionChange } from '@billing/proto/billing/subscription/v1/change';
import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { toJsonBalance } from '@billing/proto/json/balance';
import { toJsonAmount, toJsonOptionalTime, toJsonTime } from '@billing/proto/json/scalars';
import { toJsonSubscription } from '@billing/proto/json/subscription';
import { operatorRoles } from '@billing/proto/values/identity';
import { param } from '../../api/input/request';
import { ok, present } from '../../http/answer';
import type { Peers } from '../../peer/peers';
import { toJsonSum } from '../report/json-sum';
import type { EnvironmentRequest, EnvironmentRoute } from '../route/route';
import { type OperatorNames, operatorNamesOf } from '../route/operator-names';
import { activityOf, type Source } from './activity';

const newest = { page: 1, perPage: 100 } as const;
// Subscriptions whose webhooks one call lists, and the number that it lists of each.
const subscriptionsMax = 20;
const webhooksMax = 100;
const targetsMax = 200;
// One call each; customers with more subscriptions are rare.
const changedMax = 20;
const none = { items: [], isCut: false, names: new Map<string, string>() };

/** Routes of the customer page for data that the public API does not have. */
export const customerRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/customers/:id/account',
    isOfEnvironment: true,
    handle: async (request, { peers }) =>
      ok(await customerAccountOf(param(request, 'id'), request.context, peers)),
  },
  {
    method: 'GET',
    path: '/customers/:id/activity',
    isOfEnvironment: true,
    handle: async (request, { peers }) => ok(await customerActivityOf(request, peers)),
  },
];

/** Account of a customer, as the dashboard reads it. */
export type CustomerAccount = Awaited<ReturnType<typeof customerAccountOf>>;

/** Sums of a customer's invoices, their balances, and their subscriptions with the next charge. */
export async function customerAccountOf(customerId: string, context: CallContext, peers: Peers) {
  const [{ accounts, isMore }, { balances }, { plans }] = await Promise.all([
    peers.checkoutReport.getCustomerAccount({ customerId }, context),
    peers.balance.listBalances({ customerId, currency: undefined, ...newest }, context),
    peers.plan.listPlans({ customerId }, context),
  ]);
  return {
    accounts: accounts.map(toJsonAccount),
    /** True if older invoices are not counted. */
    isMore,
    balances: balances.map(toJsonBalance),
    plans: plans.map(toJsonPlan),
  };
}

function toJsonAccount({ currency, openInvoices, paidInvoices, ...account }: ProtoCustomerAccount) {
  return {
    currency,
    owed: toJsonSum(account.owed),
    overdue: toJsonSum(account.overdue),
    openInvoices,
    paid: toJsonSum(account.paid),
    paidInvoices,
    firstPaidAt: toJsonOptionalTime(account.firstPaidAt),
    lastPaidAt: toJsonOptionalTime(account.lastPaidAt),
    /** Part of `paid`, and the rest of it. */
    refunded: toJsonSum(account.refunded),
    received: toJsonSum(account.paid - account.refunded),
    /** Earliest planned charge of an open invoice; null if there is none. */
    nextCharge: toJsonPlannedCharge(account.nextCharge),
  };
}

function toJsonPlannedCharge(charge: PlannedCharge | undefined) {
  if (charge === undefined) return null;
  const { invoiceId, number = null, at, amount } = charge;
  return { invoiceId, number, at: toJsonTime(at), amount: toJsonAmount(amount) };
}

function toJsonPlan({ subscription, productName, upcoming }: Plan) {
  return {
    subscription: toJsonSubscription(present(subscription)),
    productName,
    /** Next charge without usage; null if there is none. */
    upcoming:
      upcoming === undefined
        ? null
        : { at: toJsonOptionalTime(upcoming.at), total: toJsonAmount(upcoming.total) },
  };
}

/** Activity of a customer, as the dashboard reads it. */
export type CustomerActivity = Awaited<ReturnType<typeof customerActivityOf>>;

/** Everything that happened to a customer, newest first. */
export async function customerActivityOf(request: EnvironmentRequest, peers: Peers) {
  const { context } = request;
  const customerId = param(request, 'id');
  const { customer } = await peers.customer.getCustomer({ id: customerId }, context);
  const own = { ...newest, customerId, invoiceId: undefined, oldestFirst: undefined };
  const ofAnyStatus = { ...own, status: undefined };
  const [found, { plans }, entries, notes, refunded, disputed] = await Promise.all([
    peers.checkout.listInvoices(
      { ...newest, customerId, subscriptionId: undefined, status: undefined, ids: undefined },
      context,
    ),
    peers.plan.listPlans({ customerId }, context),
    peers.balance.listBalanceEntries(
      { ...newest, customerId, currency: undefined, invoiceId: undefined, kind: undefined },
      context,
    ),
    peers.creditNote.listCreditNotes(own, context),
    peers.refund.listRefunds({ ...ofAnyStatus, paymentId: undefined }, context),
    peers.refund.listDisputes(ofAnyStatus, context),
  ]);
  const subscriptionIds = plans.map(({ subscription }) => present(subscription).id);
  const targetIds = [customerId, ...subscriptionIds, ...found.invoices.map(({ id }) => id)];
  const [webhooks, changes, planChanges] = await Promise.all([
    webhooksOf(subscriptionIds.slice(0, subscriptionsMax), context, peers),
    changesOf(targetIds.slice(0, targetsMax), request, peers),
    planChangesOf(subscriptionIds.slice(0, changedMax), context, peers),
  ]);
  const { names, ...known } = changes ?? none;
  const activity = activityOf({
    ...{ customer: present(customer), plans, webhooks, planChanges },
    invoices: sourceOf(found.invoices, found.total),
    balanceEntries: sourceOf(entries.entries, entries.total),
    creditNotes: sourceOf(notes.creditNotes, notes.total),
    refunds: sourceOf(refunded.refunds, refunded.total),
    disputes: sourceOf(disputed.disputes, disputed.total),
    changes: known,
    isPartial: subscriptionIds.length > changedMax || targetIds.length > targetsMax,
    operatorNames: names,
  });
  /** False if the operator's role may not see what others changed. */
  return { ...activity, hasChanges: changes !== undefined };
}

/** Webhooks of some subscriptions in the last 30 days, each list newest first. */
async function webhooksOf(
  subscriptionIds: readonly string[],
  context: CallContext,
  peers: Peers,
): Promise<Source<SubscriptionWebhook>[]> {
  const { webhooks } = await peers.webhookDelivery.listSubscriptionWebhooks(
    { subscriptionIds: [...subscriptionIds], messageIds: [] },
    context,
  );
  const lists = Map.groupBy(webhooks, ({ subscriptionId }) => subscriptionId);
  return [...lists.values()].map((items) => ({ items, isCut: items.length >= webhooksMax }));
}

/** Changes of items and pauses of some subscriptions, each list newest first. */
function planChangesOf(
  subscriptionIds: readonly string[],
  context: CallContext,
  peers: Peers,
): Promise<Source<SubscriptionChange>[]> {
  const wanted = { ...newest, status: undefined, oldestFirst: undefined };
  return Promise.all(
    subscriptionIds.map(async (subscriptionId) => {
      const { changes, total } = await peers.change.listChanges(
        { ...wanted, subscriptionId },
        context,
      );
      return sourceOf(changes, total);
    }),
  );
}

/** Changes by operators and keys; undefined for a role that may not read the audit log. */
async function changesOf(
  targetIds: string[],
  { session: sessionToken, signedIn, call }: EnvironmentRequest,
  peers: Peers,
): Promise<(Source<AuditEntry> & { names: OperatorNames }) | undefined> {
  const role = operatorRoles.nameOf(signedIn.operator.role);
  if (role !== 'OWNER' && role !== 'ADMIN') return undefined;
  const all = { actorId: undefined, targetId: undefined, since: undefined, until: undefined };
  const [{ entries, total }, names] = await Promise.all([
    peers.operator.listAuditEntries(
      { sessionToken, targetIds, ...all, ...newest },
      call as CallContext,
    ),
    operatorNamesOf(sessionToken, call, peers),
  ]);
  return { ...sourceOf(entries, total), names };
}

function sourceOf<T>(items: readonly T[], total: number): Source<T> {
  return { items, isCut: items.length < total };
}
