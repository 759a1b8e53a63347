import { sumOf } from '@billing/kernel/money';
import { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import {
  ChangeSettlement,
  type PreviewChangeResponse,
} from '@billing/proto/billing/subscription/v1/change_service';
import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { present } from '../http/answer';
import { notice, postForm } from '../pages/frame/form-fields';
import { type Html, html, local } from '../pages/frame/html';
import { sayHtml } from '../pages/frame/say-html';
import type { Page } from '../pages/frame/shell';
import { invoiceTable } from '../pages/invoice/table';
import { amountText } from '@billing/documents/amount-text';
import { dateText } from '@billing/documents/date-text';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { methodText } from '../text/method-text';
import { amountOn } from './overview-page';
import { namedPlan } from './plan-page';
import { itemTerms, type OfferedPlan, type WantedPlan } from './plan-offer';
import type { Visit } from './route';
import { placeOf, portalPage } from './shell';

/** Reason why a change that was confirmed has not happened. */
export type ReviewNotice =
  { readonly kind: 'STALE' } | { readonly kind: 'DECLINED'; readonly message: Text };

/** Data of the page on which a customer reviews the price of a change. */
export interface PlanReview {
  readonly visit: Visit;
  readonly plan: Plan;
  readonly chosen: OfferedPlan;
  readonly wanted: WantedPlan;
  readonly preview: PreviewChangeResponse;
  /** Card that is charged; undefined: none is saved. */
  readonly method: PaymentMethod | undefined;
  readonly notice: ReviewNotice | undefined;
}

/** Page with the exact price of a change, which the form confirms. */
export function planReviewPage(review: PlanReview): Page {
  const { visit, plan, chosen, wanted, preview } = review;
  const { id, price, quantity, currency } = present(plan.subscription);
  const { productId, token, invoice } = { ...wanted, ...preview };
  const after = { price: chosen.price, quantity: wanted.quantity ?? quantity };
  const content = html`<section>
    <h1>${say('review.title')}</h1>
    ${shownNotice(review.notice)}
    <dl class="next">
      <dt>${say('review.now')}</dt>
      <dd>
        ${say('plan.named', { name: plan.productName, terms: itemTerms({ price, quantity }) })}
      </dd>
      <dt>${say('review.then')}</dt>
      <dd>${namedPlan(chosen.name, itemTerms(after))}</dd>
      <dt>${say('review.starts')}</dt>
      <dd>${startText(preview)}</dd>
      <dt>${say('invoice.dueToday')}</dt>
      <dd>${due(review, currency)}</dd>
      ${credits(preview, currency)} ${usageInvoice(preview)} ${nextInvoice(preview)}
    </dl>
    ${invoice !== undefined && invoiceTable(Invoice.fromPartial(invoice), say('invoice.dueToday'))}
    ${postForm(placeOf(visit, `/portal/subscriptions/${id}`), '/change', [
      hidden('productId', productId),
      wanted.quantity !== undefined && hidden('quantity', String(wanted.quantity)),
      hidden('token', token),
      html`<button type="submit">${confirmLabel(preview, currency)}</button>`,
    ])}
    <p class="aside">
      <a class="button quiet" href="${local(`/portal/subscriptions/${id}/plan`)}"
        >${say('review.another')}</a
      >
    </p>
    <p class="aside"><a href="${local('/portal')}">${say('overview.keepPlan')}</a></p>
  </section>`;
  return portalPage(visit, {
    title: say('review.title'),
    section: 'overview',
    status: review.notice?.kind === 'STALE' ? 409 : 200,
    content,
  });
}

function shownNotice(problem: PlanReview['notice']): Html | undefined {
  if (problem === undefined) return undefined;
  if (problem.kind === 'STALE') {
    return notice(say('review.stale'), say('review.again'));
  }
  return html`<div class="problem" role="alert" tabindex="-1" autofocus>
    <h2>${say('payment.failed')}</h2>
    <p>
      ${problem.message} ${say('review.notChanged')}
      <a href="${local('/portal/payment-methods')}">${say('overview.managePaymentMethods')}</a>
    </p>
  </div>`;
}

function startText({ at, effectiveAt }: PreviewChangeResponse): Html {
  const start = present(effectiveAt);
  if (start.getTime() === present(at).getTime()) return html`${say('review.today')}`;
  return html`<strong>${dateText(start)}</strong>
    <span class="hint line">${say('review.untilThen')}</span>`;
}

function due({ preview, method }: PlanReview, currency: string): Html {
  const { dueNow, invoice } = preview;
  if (dueNow > 0n) {
    const payer =
      method === undefined
        ? sayHtml('review.noCard', {
            addCard: html`<a href="${local('/portal/payment-methods')}"
              >${say('review.addCard')}</a
            >`,
          })
        : say('review.chargedTo', { card: methodText(method) });
    return html`<strong>${amountText(dueNow, currency)}</strong>
      <span class="hint line">${payer}</span>`;
  }
  const sent = invoice?.amountDue ?? 0n;
  if (sent === 0n) return html`<strong>${amountText(0n, currency)}</strong>`;
  return html`<strong>${amountText(sent, currency)}</strong>
    <span class="hint line">${say('review.getInvoice')}</span>`;
}

/** Rows of the amounts that the change gives back. */
function credits({ creditNotes }: PreviewChangeResponse, currency: string): Html[] {
  return creditPlaces.flatMap(([settledBy, label]) => {
    const notes = creditNotes.filter((note) => note.settledBy === settledBy);
    if (notes.length === 0) return [];
    const sum = sumOf(notes.map(({ amount }) => amount));
    return html`<dt>${say(label)}</dt>
      <dd>${amountText(sum, currency)}</dd>`;
  });
}

const creditPlaces = [
  [ChangeSettlement.CHANGE_SETTLEMENT_AMOUNT_DUE, 'review.takenOff'],
  [ChangeSettlement.CHANGE_SETTLEMENT_BALANCE, 'creditNote.toBalance'],
] as const;

/** Row of the invoice of usage that a new cycle is followed by. */
function usageInvoice({ usageInvoice: usage }: PreviewChangeResponse): Html | undefined {
  if (usage === undefined) return undefined;
  return html`<dt>${say('review.usageUntilToday')}</dt>
    <dd>
      ${amountText(usage.total, usage.currency)}
      <span class="hint line">${say('review.ownInvoice')}</span>
    </dd>`;
}

function nextInvoice({
  nextInvoice: next,
  nextInvoiceEstimated,
}: PreviewChangeResponse): Html | undefined {
  if (next === undefined) return undefined;
  const { total, currency, periodStart } = next;
  return html`<dt>${say('overview.nextInvoice')}</dt>
    <dd>
      ${amountOn(total, currency, present(periodStart))}
      ${nextInvoiceEstimated && html`<span class="hint line">${say('review.usageSoFar')}</span>`}
    </dd>`;
}

function confirmLabel({ dueNow }: PreviewChangeResponse, currency: string): Text {
  return dueNow > 0n
    ? say('review.payAndChange', { amount: amountText(dueNow, currency) })
    : say('review.confirm');
}

function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}
