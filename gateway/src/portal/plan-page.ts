import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { present } from '../http/answer';
import {
  type FormProblems,
  notice,
  numberField,
  postForm,
  problemSummary,
} from '../pages/frame/form-fields';
import { type Html, html } from '../pages/frame/html';
import type { Page } from '../pages/frame/shell';
import { priceTerms, quantityTerms } from '../pages/terms/purchase-terms';
import { itemTerms, type OfferedPlan, type PlanOffer } from './plan-offer';
import type { Visit } from './route';
import { placeOf, portalPage } from './shell';

const labels = { productId: 'Plan', quantity: 'Quantity' };

/** Data of the page on which a customer chooses a plan. */
export interface PlanChoice {
  readonly visit: Visit;
  readonly plan: Plan;
  readonly offer: PlanOffer;
  /** Texts of the form that was refused. */
  readonly typed?: Readonly<Record<string, string | undefined>>;
  readonly problems?: FormProblems;
  /** Reason why the chosen change is not possible. */
  readonly refusal?: string;
}

/** Page with the plans that a customer may change to. */
export function planPage(choice: PlanChoice): Page {
  const { visit, plan, offer, problems = {}, refusal } = choice;
  const { id, price, quantity } = present(plan.subscription);
  const content = html`<section>
    <h1>Change your plan</h1>
    ${problemSummary(problems, labels)}
    ${refusal !== undefined && notice('This change is not possible', refusal)}
    <p>Current plan: <strong>${plan.productName}</strong>, ${itemTerms({ price, quantity })}</p>
    ${
      offer.plans.length === 0
        ? html`<p>No other plan is available for this subscription.</p>`
        : postForm(placeOf(visit, `/portal/subscriptions/${id}`), '/review', [
            plansField(choice),
            quantityField(choice),
            html`<p class="hint">You see the exact price before anything is changed.</p>`,
            html`<button type="submit">Review change</button>`,
          ])
    }
    <p class="aside"><a class="button quiet" href="/portal">Back to the overview</a></p>
  </section>`;
  return portalPage(visit, {
    title: 'Change your plan',
    section: 'overview',
    status: statusOf(choice),
    content,
  });
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
    <legend>Plan</legend>
    ${isWrong && html`<span class="error" id="productId-error">${messages.join('. ')}</span>`}
    ${plans.map((plan) => planField(plan, plan.productId === chosen))}
  </fieldset>`;
}

function planField({ productId, name, price, isCurrent }: OfferedPlan, isChosen: boolean): Html {
  const terms = quantityTerms(price);
  return html`<label class="choice">
    <input type="radio" name="productId" value="${productId}" ${isChosen && html` checked`} />
    <span>
      <strong>${name}${isCurrent && ' (your plan)'}</strong>
      <span>${priceTerms({ ...price, trialDays: undefined })}</span>
      ${terms.length > 1 && terms.map((line) => html`<span class="hint">${line}</span>`)}
    </span>
  </label>`;
}

function quantityField({ plan, offer, typed, problems }: PlanChoice): Html | undefined {
  if (!offer.hasQuantity) return undefined;
  const { quantity } = present(plan.subscription);
  return numberField(
    {
      name: 'quantity',
      label: 'Quantity',
      hint: 'For plans that are priced per unit.',
      value: typed?.quantity ?? String(quantity),
      min: 1,
      max: 1_000_000,
    },
    problems,
  );
}
