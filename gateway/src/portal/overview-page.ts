import type { Balance } from '@billing/proto/billing/checkout/v1/balance';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import { CollectionMethod, type Customer } from '@billing/proto/billing/customer/v1/customer';
import type { PortalSettings } from '@billing/proto/billing/customer/v1/portal';
import type { UsageState } from '@billing/proto/billing/metering/v1/metering';
import { ChangeKind, ChangeStatus } from '@billing/proto/billing/subscription/v1/change';
import type { Plan, UpcomingCharge } from '@billing/proto/billing/subscription/v1/plan';
import {
  SubscriptionPhase,
  SubscriptionStatus,
} from '@billing/proto/billing/subscription/v1/subscription';
import { amountText } from '@billing/documents/amount-text';
import { dateText } from '@billing/documents/date-text';
import { present } from '../http/answer';
import { postForm } from '../pages/frame/form-fields';
import { joined, type Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { type Html, html, local } from '../pages/frame/html';
import { sayHtml } from '../pages/frame/say-html';
import type { Page } from '../pages/frame/shell';
import { billedLines } from '@billing/documents/customer-text';
import { methodText } from '../text/method-text';
import { expiryNote } from './payment-method-page';
import { itemTerms, mayChange } from './plan-offer';
import type { Visit } from './route';
import { doneNotice, placeOf, portalPage } from './shell';
import { tooMuchText } from './usage-page';

/** Data of the overview page. */
export interface Overview {
  readonly visit: Visit;
  readonly customer: Customer;
  readonly plans: readonly Plan[];
  /** Invoices that can be paid in the portal, newest first. */
  readonly openInvoices: readonly Invoice[];
  readonly usage: readonly UsageState[];
  readonly methods: readonly PaymentMethod[];
  /** Amounts that the seller owes the customer, by currency. */
  readonly balances: readonly Balance[];
  /** Changes that customers may make. */
  readonly settings: Pick<PortalSettings, 'products' | 'quantity'>;
  /** Names of the products of pending changes, by id. */
  readonly productNames: ReadonlyMap<string, string>;
  readonly done: unknown;
  /** Environment time. */
  readonly now: Date;
}

type Subscription = ReturnType<typeof subscriptionOf>;

const { SUBSCRIPTION_STATUS_CANCELED, SUBSCRIPTION_STATUS_PAST_DUE } = SubscriptionStatus;

/** Overview page: open invoices, subscriptions and next charges. */
export function overviewPage(overview: Overview): Page {
  const { visit, customer, plans, done } = overview;
  const [running, ended] = [plans.filter((plan) => !isEnded(plan)), plans.filter(isEnded)];
  const content = [
    html`<h1>${customer.name ?? customer.email}</h1>`,
    doneNotice(done),
    owed(overview),
    balance(overview),
    running.length === 0 && nothing,
    running.map((plan) => planCard(plan, overview)),
    running.length > 0 && methodCard(overview),
    ended.length > 0 && endedPlans(ended),
    billedTo(customer),
  ];
  return portalPage(visit, { title: say('portal.overview'), section: 'overview', content });
}

const nothing = html`<section>
  <h2>${say('overview.noSubscriptions')}</h2>
  <p>
    ${sayHtml('overview.noSubscriptionsText', { invoices: html`<a href="${local('/portal/invoices')}">${say('overview.invoicesLink')}</a>` })}
  </p>
</section>`;

function owed({ openInvoices, plans }: Overview): Html | undefined {
  const isPastDue = plans.some(
    ({ subscription }) => subscription?.status === SUBSCRIPTION_STATUS_PAST_DUE,
  );
  if (openInvoices.length === 0) return undefined;
  return html`<section class="${isPastDue ? 'problem' : ''}" aria-labelledby="owed">
    <h2 id="owed">${say(isPastDue ? 'overview.overdue' : 'overview.openInvoices')}</h2>
    ${isPastDue && html`<p>${say('overview.overdueText')}</p>`}
    <ul class="rows">
      ${openInvoices.map((invoice) => owedRow(invoice, isPastDue))}
    </ul>
  </section>`;
}

/** Money that the next invoices use; undefined if there is none. */
function balance({ balances }: Overview): Html | undefined {
  const amounts = balances
    .filter(({ balance: amount }) => amount > 0n)
    .map(({ balance: amount, currency }) => amountText(amount, currency));
  if (amounts.length === 0) return undefined;
  return html`<section aria-labelledby="balance">
    <h2 id="balance">${say('overview.balance')}</h2>
    <p>${say('overview.balanceText', { amounts: joined(amounts, ' + ') })}</p>
  </section>`;
}

function owedRow({ id, number, amountDue, currency }: Invoice, isPastDue: boolean): Html {
  return html`<li>
    <span>${amountText(amountDue, currency)} <span class="hint">${number ?? ''}</span></span>
    <a class="button small" href="${local(`/portal/invoices/${id}`)}"
      >${say(isPastDue ? 'overview.fixPayment' : 'overview.pay')}<span class="unseen"
        >${say('overview.ofInvoice', { number: number ?? '' })}</span
      ></a
    >
  </li>`;
}

function planCard(plan: Plan, overview: Overview): Html {
  const subscription = subscriptionOf(plan);
  const { id } = subscription;
  const { name, tone } = statusOf(subscription);
  return html`<section aria-labelledby="plan-${id}">
    <p class="status ${tone}">${name}</p>
    <h2 id="plan-${id}">${plan.productName}</h2>
    <p>${itemTerms(subscription)}</p>
    ${otherItems(plan)} ${nextCharge(plan, overview)} ${chargedTo(subscription, overview)}
    ${planned(subscription, overview)} ${ending(subscription, overview)}
  </section>`;
}

/** Items after the main one, with their terms. */
function otherItems(plan: Plan): Html | undefined {
  const [, ...others] = subscriptionOf(plan).items;
  if (others.length === 0) return undefined;
  return html`<ul>
    ${others.map(({ price, quantity }, index) => {
      const name = plan.itemNames[index + 1] ?? '';
      return html`<li>${say('plan.named', { name, terms: itemTerms({ price, quantity }) })}</li>`;
    })}
  </ul>`;
}

/** Exact next charge. Usage is shown separately, since it still grows. */
function nextCharge(plan: Plan, overview: Overview): Html | undefined {
  const usage = usageSoFar(plan, overview);
  const { upcoming } = plan;
  if (upcoming === undefined && usage === undefined) return undefined;
  return html`<dl class="next">
    ${upcoming !== undefined && charge(plan, upcoming, overview)} ${usage}
  </dl>`;
}

function charge(
  plan: Plan,
  { total, discountAmount, discountName, at }: UpcomingCharge,
  overview: Overview,
): Html {
  const { currency } = subscriptionOf(plan);
  const label = isSent(overview) ? 'overview.nextInvoice' : 'overview.nextCharge';
  return html`<dt>${say(label)}</dt>
    <dd>
      ${amountOn(total, currency, present(at))}
      ${discountName !== undefined && html`<span class="hint line">${say('overview.discountOff', { name: discountName, amount: amountText(discountAmount, currency) })}</span>`}
    </dd>`;
}

/** An amount in bold on a date. */
export function amountOn(amount: bigint, currency: string, at: Date) {
  return sayHtml('overview.amountOn', {
    amount: html`<strong>${amountText(amount, currency)}</strong>`,
    date: dateText(at),
  });
}

/** Usage so far; undefined without meters, or if an ending subscription has no billable usage. */
function usageSoFar({ upcoming, ...plan }: Plan, { usage }: Overview): Html | undefined {
  const { currency, id, discountId, discountEndsAt, currentPeriodEnd } = subscriptionOf(plan);
  const states = usage.filter(({ subscriptionId }) => subscriptionId === id);
  const estimate = sumOf(states);
  const isLast = upcoming === undefined;
  if (states.length === 0 || (isLast && estimate === 0n)) return undefined;
  const at = present(upcoming?.at ?? currentPeriodEnd);
  const hasDiscountThen = discountEndsAt === undefined || discountEndsAt > at;
  const isDiscounted = discountId !== undefined && hasDiscountThen;
  return html`<dt>${say('overview.usageSoFar')}</dt>
    <dd>
      ${estimate === undefined ? tooMuchText : say('overview.about', { amount: amountText(estimate, currency) })}
      <span class="hint line"
        >${say(isDiscounted ? 'overview.estimateBefore' : 'overview.estimate')}
        ${say(isLast ? 'overview.billedAtEnd' : 'overview.addedToNext')}
        <a href="${local('/portal/usage')}">${say('overview.seeUsage')}</a></span
      >
    </dd>`;
}

/** Sum of the estimates; undefined if one exceeds the maximum amount. */
function sumOf(states: Overview['usage']): bigint | undefined {
  let sum = 0n;
  for (const { estimatedAmount } of states) {
    if (estimatedAmount === undefined) return undefined;
    sum += estimatedAmount;
  }
  return sum;
}

function chargedTo(subscription: Subscription, overview: Overview): Html | undefined {
  const method = ownMethod(subscription, overview);
  return (
    method &&
    html`<p>
      ${say('overview.chargedTo', { card: methodText(method) })} ${expiryNote(method, overview.now)}
    </p>`
  );
}

/** Payment method of a subscription; undefined for the customer's default. */
function ownMethod({ id }: Subscription, overview: Overview): PaymentMethod | undefined {
  if (isSent(overview)) return undefined;
  const others = overview.methods.filter(({ isDefault }) => !isDefault);
  return others.find(({ subscriptionIds }) => subscriptionIds.includes(id));
}

/** The change that waits for the period end, or is being paid. */
function planned(
  subscription: Subscription,
  { visit, settings, productNames }: Overview,
): Html | undefined {
  const { id, pendingChange: change } = subscription;
  const [item] = change?.to?.items ?? [];
  if (change === undefined || item === undefined) return undefined;
  if (change.kind === ChangeKind.CHANGE_KIND_PAUSE) {
    const date = html`<strong>${dateText(present(change.effectiveAt))}</strong>`;
    return html`<p>${sayHtml('overview.pausesOn', { date })}</p>`;
  }
  const to = html`${sayHtml('plan.named', {
    name: html`<strong>${productNames.get(item.productId) ?? ''}</strong>`,
    terms: itemTerms(item),
  })}`;
  if (change.status !== ChangeStatus.CHANGE_STATUS_PENDING) {
    return html`<p>${sayHtml('overview.changePaying', { plan: to })}</p>`;
  }
  const place = placeOf(visit, `/portal/subscriptions/${id}`);
  return html`<p>
      ${sayHtml('overview.changeAt', { plan: to, date: html`<strong>${dateText(present(change.effectiveAt))}</strong>` })}
    </p>
    ${
      mayChange(settings, subscription) &&
      postForm(place, '/keep-plan', [
        html`<input type="hidden" name="change" value="${change.id}" />`,
        html`<button class="quiet" type="submit">${say('overview.keepPlan')}</button>`,
      ])
    }`;
}

function ending(subscription: Subscription, { visit, settings }: Overview): Html {
  const { id, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  const path = `/portal/subscriptions/${id}`;
  if (!cancelAtPeriodEnd) {
    const isPaused = subscription.phase === SubscriptionPhase.SUBSCRIPTION_PHASE_PAUSED;
    const isChangeable = !isPaused && mayChange(settings, subscription);
    return html`${isPaused && pauseNote(subscription)}
      <p class="after actions">
        ${isChangeable && html`<a href="${local(`${path}/plan`)}">${say('overview.changePlan')}</a>`}
        <a href="${local(`${path}/cancel`)}">${say('overview.cancelSubscription')}</a>
      </p>`;
  }
  return html`<p>
      ${sayHtml('overview.endsOn', { date: html`<strong>${dateText(present(currentPeriodEnd))}</strong>` })}
    </p>
    ${postForm(placeOf(visit, path), '/keep', html`<button class="quiet" type="submit">${say('overview.keepSubscription')}</button>`)}`;
}

/** Only the merchant ends a pause. */
function pauseNote({ pausedAt, resumeAt }: Subscription): Html {
  const since = html`<strong>${dateText(present(pausedAt))}</strong>`;
  const note =
    resumeAt === undefined
      ? sayHtml('overview.pausedSince', { since })
      : sayHtml('overview.pausedUntil', {
          since,
          date: html`<strong>${dateText(resumeAt)}</strong>`,
        });
  return html`<p>${note}</p>`;
}

function methodCard(overview: Overview): Html {
  const method = overview.methods.find(({ isDefault }) => isDefault);
  const running = overview.plans.filter((plan) => !isEnded(plan)).map(subscriptionOf);
  const hasOther = running.some((one) => ownMethod(one, overview) !== undefined);
  const charged = hasOther ? 'overview.cardChargedExcept' : 'overview.cardCharged';
  const text: Text = isSent(overview)
    ? say('overview.invoicesSent')
    : method === undefined
      ? say('overview.noCard')
      : say(charged, { card: methodText(method) });
  return html`<section aria-labelledby="paying">
    <h2 id="paying">${say('overview.paymentMethod')}</h2>
    <p>${text} ${method !== undefined && !isSent(overview) && expiryNote(method, overview.now)}</p>
    <p><a href="${local('/portal/payment-methods')}">${say('overview.managePaymentMethods')}</a></p>
  </section>`;
}

/** Name and address on invoices. */
function billedTo(customer: Customer): Html {
  return html`<section aria-labelledby="billed">
    <h2 id="billed">${say('overview.billingDetails')}</h2>
    <p>${billedLines(customer).map((line) => html`<span class="line">${line}</span>`)}</p>
    <p><a href="${local('/portal/details')}">${say('overview.editDetails')}</a></p>
  </section>`;
}

function endedPlans(plans: readonly Plan[]): Html {
  return html`<section aria-labelledby="ended">
    <h2 id="ended">${say('overview.ended')}</h2>
    <ul class="rows">
      ${plans.map(({ productName, ...plan }) => {
        const { endedAt } = subscriptionOf(plan);
        return html`<li>
          <span>${productName}</span>
          <span class="hint"
            >${endedAt !== undefined && say('overview.endedOn', { date: dateText(endedAt) })}</span
          >
        </li>`;
      })}
    </ul>
  </section>`;
}

function statusOf({ status, phase, cancelAtPeriodEnd }: Subscription) {
  if (status === SUBSCRIPTION_STATUS_PAST_DUE) return { name: say('status.pastDue'), tone: 'bad' };
  if (cancelAtPeriodEnd) return { name: say('status.ending'), tone: '' };
  if (phase === SubscriptionPhase.SUBSCRIPTION_PHASE_TRIAL)
    return { name: say('status.trial'), tone: 'good' };
  if (phase === SubscriptionPhase.SUBSCRIPTION_PHASE_SCHEDULED)
    return { name: say('status.scheduled'), tone: '' };
  if (phase === SubscriptionPhase.SUBSCRIPTION_PHASE_PAUSED)
    return { name: say('status.paused'), tone: '' };
  return { name: say('status.active'), tone: 'good' };
}

function isSent({ customer }: Overview): boolean {
  return customer.collectionMethod === CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
}

function isEnded({ subscription }: Plan): boolean {
  return subscription?.status === SUBSCRIPTION_STATUS_CANCELED;
}

function subscriptionOf({ subscription }: Pick<Plan, 'subscription'>) {
  return present(subscription);
}
