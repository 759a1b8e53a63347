import { createHash } from 'node:crypto';
import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import type { Product } from '@billing/proto/billing/catalog/v1/catalog';
import {
  ChangeAt,
  ChangeKind,
  ChangeProration,
  ChangeStatus,
  type SubscriptionChange,
} from '@billing/proto/billing/subscription/v1/change';
import type { ChangeInput } from '@billing/proto/billing/subscription/v1/change_service';
import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import type { Peers } from '../peer/peers';
import { type ApiAnswer, present } from '../http/answer';
import type { FormProblems } from '../pages/frame/form-fields';
import { pageAnswer, redirectAnswer } from '../pages/frame/shell';
import { payerMessage } from '../text/problem-text';
import { type PhraseKey, say } from '@billing/documents/say';
import { paymentDeadlineMs } from '../pages/payment/routes';
import { hasEnded, ownSubscription } from './own-subscription';
import {
  chargedMethod,
  mayChange,
  type OfferedPlan,
  type PlanOffer,
  planOffer,
  readWantedPlan,
  type WantedPlan,
} from './plan-offer';
import { type PlanChoice, planPage } from './plan-page';
import { planReviewPage, type ReviewNotice } from './plan-review-page';
import type { PortalRequest, PortalRoute } from './route';
import { doneAt } from './shell';

const path = '/portal/subscriptions/:id';

export const planRoutes: readonly PortalRoute[] = [
  {
    method: 'GET',
    path: `${path}/plan`,
    handle: async (request, peers) => {
      const found = await readOffer(request, peers);
      return found === undefined ? redirectAnswer('/portal') : choosePlan(found, request);
    },
  },
  {
    method: 'POST',
    path: `${path}/review`,
    handle: (request, peers) => act(request, peers, review),
  },
  {
    method: 'POST',
    path: `${path}/change`,
    deadlineMs: paymentDeadlineMs,
    handle: (request, peers) => act(request, peers, change),
  },
  { method: 'POST', path: `${path}/keep-plan`, handle: keepPlan },
];

/** A subscription, what its customer may change, and what they have chosen. */
interface Offered {
  readonly plan: Plan;
  readonly offer: PlanOffer;
}
interface Chosen extends Offered {
  readonly wanted: WantedPlan;
  readonly chosen: OfferedPlan;
}

/** Runs a step for the chosen plan; shows the choice again if it is not valid. */
async function act(
  request: PortalRequest,
  peers: Peers,
  step: (chosen: Chosen, request: PortalRequest, peers: Peers) => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const found = await readOffer(request, peers);
  if (found === undefined) return redirectAnswer('/portal');
  const read = readWantedPlan(request.form, found.offer);
  if ('problems' in read) return choosePlan(found, request, { problems: read.problems });
  const { wanted } = read;
  const chosen = found.offer.plans.find(({ productId }) => productId === wanted.productId);
  return step({ ...found, wanted, chosen: present(chosen) }, request, peers);
}

/** Undefined for a subscription that has ended, or that customers may not change. */
async function readOffer(request: PortalRequest, peers: Peers): Promise<Offered | undefined> {
  const { visit, context } = request;
  const [own, { plans }, answer] = await Promise.all([
    ownSubscription(request, peers),
    peers.plan.listPlans({ customerId: visit.customerId }, context),
    peers.portal.getPortalSettings({}, context),
  ]);
  const settings = present(answer.settings);
  const plan = plans.find(({ subscription }) => subscription?.id === own.id);
  if (plan === undefined || hasEnded(own) || !mayChange(settings, own)) return undefined;
  const products = await productsOf(settings.products, { peers, context });
  return { plan, offer: planOffer(plan, { settings, products }) };
}

/** Products by id; empty without ids. */
export async function productsOf(
  ids: readonly string[],
  { peers, context }: { readonly peers: Peers; readonly context: CallContext },
): Promise<readonly Product[]> {
  if (ids.length === 0) return [];
  const unfiltered = { active: undefined, lookupKey: undefined, oldestFirst: undefined };
  const wanted = { page: 1, perPage: ids.length, ids: { ids: [...ids] }, ...unfiltered };
  return (await peers.catalog.listProducts(wanted, context)).products;
}

function choosePlan(
  { plan, offer }: Offered,
  { visit, form }: PortalRequest,
  problem: Pick<PlanChoice, 'problems' | 'refusal'> = {},
): ApiAnswer {
  const typed = { productId: form.get('productId'), quantity: form.get('quantity') };
  return pageAnswer(planPage({ visit, plan, offer, typed, ...problem }));
}

async function review(chosen: Chosen, request: PortalRequest, peers: Peers): Promise<ApiAnswer> {
  return reviewAgain(chosen, request, peers, undefined);
}

async function reviewAgain(
  found: Chosen,
  request: PortalRequest,
  peers: Peers,
  notice: ReviewNotice | undefined,
): Promise<ApiAnswer> {
  const { visit, context } = request;
  const { id } = present(found.plan.subscription);
  try {
    const [preview, { paymentMethods }] = await Promise.all([
      peers.change.previewChange({ subscriptionId: id, change: inputOf(found.wanted) }, context),
      peers.paymentMethod.listPaymentMethods({ customerId: visit.customerId }, context),
    ]);
    const method = chargedMethod(paymentMethods, id);
    return pageAnswer(planReviewPage({ ...found, visit, preview, method, notice }));
  } catch (error) {
    return choosePlan(found, request, problemOf(error));
  }
}

async function change(found: Chosen, request: PortalRequest, peers: Peers): Promise<ApiAnswer> {
  const { form, context } = request;
  const previewToken = form.get('token');
  if (previewToken === undefined) return review(found, request, peers);
  const { id: subscriptionId } = present(found.plan.subscription);
  const input = {
    subscriptionId,
    change: inputOf(found.wanted),
    metadata: undefined,
    previewToken,
    expectedVersion: undefined,
  };
  try {
    const answer = await peers.change.createChange(input, keyedByToken(context, input));
    return await afterChange(present(answer.change), found, request, peers);
  } catch (error) {
    if (!isStale(error)) throw error;
    return reviewAgain(found, request, peers, { kind: 'STALE' });
  }
}

function afterChange(
  { status, failure }: SubscriptionChange,
  found: Chosen,
  request: PortalRequest,
  peers: Peers,
): Promise<ApiAnswer> | ApiAnswer {
  switch (status) {
    case ChangeStatus.CHANGE_STATUS_FAILED: {
      const message = payerMessage(failure?.code ?? 'card_declined');
      return reviewAgain(found, request, peers, { kind: 'DECLINED', message });
    }
    case ChangeStatus.CHANGE_STATUS_PENDING:
      return redirectAnswer(doneAt('/portal', 'plan-scheduled'));
    case ChangeStatus.CHANGE_STATUS_PAYING:
      return redirectAnswer(doneAt('/portal', 'plan-paying'));
    default:
      return redirectAnswer(doneAt('/portal', 'plan-changed'));
  }
}

async function keepPlan(request: PortalRequest, peers: Peers): Promise<ApiAnswer> {
  const { form, context } = request;
  const [own, { settings }] = await Promise.all([
    ownSubscription(request, peers),
    peers.portal.getPortalSettings({}, context),
  ]);
  const id = form.get('change') ?? '';
  // Merchants who let customers change nothing take changes back themselves.
  // A pause is the merchant's, and ended by the merchant.
  const isUpdate = own.pendingChange?.kind !== ChangeKind.CHANGE_KIND_PAUSE;
  if (own.pendingChange?.id !== id || !isUpdate || !mayChange(present(settings), own)) {
    return redirectAnswer('/portal');
  }
  try {
    await peers.change.cancelChange({ subscriptionId: own.id, id }, context);
  } catch (error) {
    // The change has taken effect in between, which the page shows.
    if (!isOf(error, 'CHANGE_NOT_PENDING')) throw error;
    return redirectAnswer('/portal');
  }
  return redirectAnswer(doneAt('/portal', 'plan-kept'));
}

function inputOf({ productId, quantity }: WantedPlan): ChangeInput {
  return {
    productId,
    priceId: undefined,
    quantity,
    ofItems: false,
    otherItems: [],
    at: ChangeAt.CHANGE_AT_UNSPECIFIED,
    proration: ChangeProration.CHANGE_PRORATION_UNSPECIFIED,
    requirePayment: undefined,
    kind: ChangeKind.CHANGE_KIND_UPDATE,
    resumeAt: undefined,
    notBefore: undefined,
  };
}

/** Calls with an idempotency key of the token: a form that is sent twice is one change. */
function keyedByToken(context: CallContext, input: object): CallContext {
  const requestHash = createHash('sha256').update(JSON.stringify(input)).digest('base64');
  return { ...context, idempotency: { key: `portal-change:${requestHash}`, requestHash } };
}

function isStale(error: unknown): boolean {
  if (isOf(error, 'PREVIEW_STALE')) return true;
  return error instanceof DomainError && error.fields?.previewToken !== undefined;
}

function isOf(error: unknown, reason: string): boolean {
  return error instanceof DomainError && error.reason === reason;
}

const refusals: Readonly<Record<string, PhraseKey>> = {
  NOTHING_TO_CHANGE: 'plan.nothingToChange',
  CHANGE_PAYING: 'plan.changePaying',
  SUBSCRIPTION_SET_TO_CANCEL: 'plan.setToCancel',
  TOO_MANY_CHANGES: 'plan.tooManyChanges',
};

/** Problems of a refused preview, for the page with the choice. Throws other errors. */
function problemOf(error: unknown): Pick<PlanChoice, 'problems' | 'refusal'> {
  if (!(error instanceof DomainError)) throw error;
  const { kind, reason, fields, message } = error;
  if (reason === 'PRODUCT_NOT_FOUND') {
    return { problems: { productId: ['This plan is no longer available'] } };
  }
  if (kind === 'invalid_input') return { problems: knownFields(fields ?? {}, message) };
  if (kind !== 'failed_precondition') throw error;
  return { refusal: say(refusals[reason] ?? 'plan.refused') };
}

function knownFields(
  { productId, quantity, ...others }: FormProblems,
  message: string,
): FormProblems {
  const rest = Object.values(others).flat();
  const ofProduct = [...(productId ?? []), ...rest];
  if (ofProduct.length === 0 && quantity === undefined) return { productId: [message] };
  return { ...(ofProduct.length > 0 && { productId: ofProduct }), ...(quantity && { quantity }) };
}
