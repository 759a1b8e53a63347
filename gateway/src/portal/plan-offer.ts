import {
  BillingInterval,
  type Price,
  PricingType,
  type Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import type { PortalSettings } from '@billing/proto/billing/customer/v1/portal';
import type { SubscriptionItem } from '@billing/proto/billing/subscription/v1/change';
import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import type { Subscription } from '@billing/proto/billing/subscription/v1/subscription';
import { present } from '../http/answer';
import type { FormProblems } from '../pages/frame/form-fields';
import { priceTerms } from '../pages/terms/purchase-terms';
import { quantityText } from '@billing/documents/amount-text';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';

const quantityMax = 1_000_000;
const quantityPattern = /^\d{1,7}$/;

/** A plan that a customer may choose. */
export interface OfferedPlan {
  readonly productId: string;
  readonly name: string;
  readonly price: Price;
  readonly isCurrent: boolean;
}

/** Changes of a subscription that its customer may choose from. */
export interface PlanOffer {
  readonly plans: readonly OfferedPlan[];
  readonly hasQuantity: boolean;
}

/** Choice of a customer. */
export interface WantedPlan {
  readonly productId: string;
  /** Undefined: the quantity stays. */
  readonly quantity: number | undefined;
}

type Allowed = Pick<PortalSettings, 'products' | 'quantity'>;

/** True if customers may change anything about the plan of a subscription. */
export function mayChange(settings: Allowed, { price }: Pick<Subscription, 'price'>): boolean {
  return settings.products.length > 0 || (settings.quantity && isCounted(present(price)));
}

/**
 * Plans that are offered for a subscription, in the order of the settings: active products of its
 * currency that its other items allow. The current plan is one of them if its quantity may change.
 */
export function planOffer(
  { subscription, productName }: Pick<Plan, 'subscription' | 'productName'>,
  { settings, products }: { readonly settings: Allowed; readonly products: readonly Product[] },
): PlanOffer {
  const {
    productId,
    price,
    items: [, ...otherItems],
  } = present(subscription);
  const current = { productId, name: productName, price: present(price), isCurrent: true };
  const others = settings.products
    .filter((id) => id !== productId)
    .flatMap((id) => products.find((product) => product.id === id) ?? [])
    .flatMap(({ id, name, active, price: offered }): OfferedPlan[] =>
      active &&
      offered !== undefined &&
      isFor(current.price, offered) &&
      otherItems.every((item) => canBeBilledWith(item, id, offered))
        ? [{ productId: id, name, price: offered, isCurrent: false }]
        : [],
    );
  const hasOwnQuantity = settings.quantity && isCounted(current.price);
  const plans = hasOwnQuantity ? [current, ...others] : others;
  return { plans, hasQuantity: settings.quantity && plans.some((plan) => isCounted(plan.price)) };
}

function isFor({ currency }: Price, offered: Price): boolean {
  const isRecurring = offered.billingInterval !== BillingInterval.BILLING_INTERVAL_ONE_TIME;
  return isRecurring && offered.currency === currency;
}

// All items are billed together, and a product is one of them at most once.
function canBeBilledWith(item: SubscriptionItem, productId: string, offered: Price): boolean {
  const { billingInterval, intervalCount } = present(item.price);
  const isTogether =
    billingInterval === offered.billingInterval && intervalCount === offered.intervalCount;
  return isTogether && item.productId !== productId;
}

/** Reads what a customer has chosen among the offered plans. */
export function readWantedPlan(
  form: ReadonlyMap<string, string>,
  { plans, hasQuantity }: PlanOffer,
): { readonly wanted: WantedPlan } | { readonly problems: FormProblems } {
  const chosen = plans.find(({ productId }) => productId === form.get('productId'));
  if (chosen === undefined) return { problems: { productId: ['Please choose a plan'] } };
  const { productId } = chosen;
  if (!hasQuantity || !isCounted(chosen.price)) {
    return { wanted: { productId, quantity: undefined } };
  }
  const text = (form.get('quantity') ?? '').trim();
  const quantity = quantityPattern.test(text) ? Number(text) : 0;
  if (quantity >= 1 && quantity <= quantityMax) return { wanted: { productId, quantity } };
  return { problems: { quantity: [`Must be a whole number from 1 to ${String(quantityMax)}`] } };
}

/** Recurring price in words. For tiers, the price of one unit would be misleading. */
export function itemTerms({
  price,
  quantity,
}: {
  readonly price: Price | undefined;
  readonly quantity: number;
}): Text {
  const { type, ...terms } = present(price);
  const one = priceTerms({ ...terms, type, trialDays: undefined });
  if (quantity === 1 || type === PricingType.PRICING_TYPE_FLAT) return one;
  const isPlain = type === PricingType.PRICING_TYPE_PER_UNIT;
  const count = quantityText(String(quantity));
  return isPlain
    ? say('plan.times', { quantity: count, terms: one })
    : say('plan.inTiers', { quantity: count });
}

/** The saved card that a subscription is charged to: its own, else the default one. */
export function chargedMethod(
  methods: readonly PaymentMethod[],
  subscriptionId: string,
): PaymentMethod | undefined {
  const own = methods.find(({ subscriptionIds }) => subscriptionIds.includes(subscriptionId));
  return own ?? methods.find(({ isDefault }) => isDefault);
}

// The quantity does not count for a flat fee.
function isCounted({ type }: Price): boolean {
  return type !== PricingType.PRICING_TYPE_FLAT;
}
