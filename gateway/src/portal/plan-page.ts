import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { present } from '../http/answer';
import {
  type FormProblems,
  notice,
  numberField,
  postForm,
  problemsText,
  problemSummary,
} from '../pages/frame/form-fields';
import { quantityText } from '@billing/documents/amount-text';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { type Html, html, local } from '../pages/frame/html';
import { sayHtml } from '../pages/frame/say-html';
import type { Page } from '../pages/frame/shell';
import { priceTerms, quantityTerms } from '../pages/terms/purchase-terms';
import { itemTerms, type OfferedPlan, type PlanOffer } from './plan-offer';
import type { Visit } from './route';
import { placeOf, portalPage } from './shell';

const labels = { productId: say('field.plan'), quantity: say('field.quantity') };

/** Data of the page on which a customer chooses a plan. */
export interface PlanChoice {
  readonly visit: Visit;
  readonly plan: Plan;
  readonly offer: PlanOffer;
  /** Texts of the form that was refused. */
  readonly typed?: Readonly<Record<string, string | undefined>>;
  readonly problems?: FormProblems;
  /** Reason why the chosen change is not possible. */
  readonly refusal?: Text;
}

/** Page with the plans that a customer may change to. */
export function planPage(choice: PlanChoice): Page {
  const { visit, plan, offer, problems = {}, refusal } = choice;
  const { id, price, quantity } = present(plan.subscription);
  const content = html`<section>
    <h1>${say('plan.change')}</h1>
    ${problemSummary(problems, labels)}
    ${refusal !== undefined && notice(say('plan.notPossible'), refusal)}
    <p>
      ${sayHtml('plan.current', { plan: namedPlan(plan.productName, itemTerms({ price, quantity })) })}
    </p>
    ${
      offer.plans.length === 0
        ? html`<p>${say('plan.noOther')}</p>`
        : postForm(placeOf(visit, `/portal/subscriptions/${id}`), '/review', [
            plansField(choice),
            quantityField(choice),
            html`<p class="hint">${say('plan.exactPrice')}</p>`,
            html`<button type="submit">${say('plan.review')}</button>`,
          ])
    }
    <p class="aside">
      <a class="button quiet" href="${local('/portal')}">${say('plan.backToOverview')}</a>
    </p>
  </section>`;
  return portalPage(visit, {
    title: say('plan.change'),
    section: 'overview',
    status: statusOf(choice),
    content,
  });
}

/** A plan with its price, its name in bold. */
export function namedPlan(name: string, terms: Text): Html {
  return html`${sayHtml('plan.named', { name: html`<strong>${name}</strong>`, terms })}`;
}

function statusOf({ problems = {}, refusal }: PlanChoice): number {
  if (refusal !== undefined) return 409;
  return Object.keys(problems).length > 0 ? 400 : 200;
}

function plansField({ offer: { plans }, typed, problems }: PlanChoice): Html {
  const messages = problems?.productId ?? [];
  const isWrong = messages.length > 0;
  const chosen = typed?.productId ?? plans[0]?.productId;
  return html`<fieldset id="productId" ${isWrong && html` aria-describedby="productId-error"`}>
    <legend>${say('field.plan')}</legend>
    ${isWrong && html`<span class="error" id="productId-error">${problemsText(messages)}</span>`}
    ${plans.map((plan) => planField(plan, plan.productId === chosen))}
  </fieldset>`;
}

function planField({ productId, name, price, isCurrent }: OfferedPlan, isChosen: boolean): Html {
  const unitPrices = quantityTerms(price);
  const terms = priceTerms({ ...price, trialDays: undefined });
  return html`<label class="choice">
    <input type="radio" name="productId" value="${productId}" ${isChosen && html` checked`} />
    <span>
      <strong>${isCurrent ? say('plan.yours', { name }) : name}</strong>
      <span
        >${unitPrices.length > 0 ? say('link.quantityFor', { quantity: quantityText('1'), terms }) : terms}</span
      >
      ${unitPrices.length > 1 && unitPrices.map((line) => html`<span class="hint">${line}</span>`)}
    </span>
  </label>`;
}

function quantityField({ plan, offer, typed, problems }: PlanChoice): Html | undefined {
  if (!offer.hasQuantity) return undefined;
  const { quantity } = present(plan.subscription);
  return numberField(
    {
      name: 'quantity',
      label: say('field.quantity'),
      hint: say('field.quantityPlanHint'),
      value: typed?.quantity ?? String(quantity),
      min: 1,
      max: 1_000_000,
    },
    problems,
  );
}
