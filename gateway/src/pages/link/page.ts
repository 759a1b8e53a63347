import { CollectedFact } from '@billing/proto/billing/checkout/v1/checkout_link';
import { present } from '../../http/answer';
import { quantityText } from '../../text/amount-text';
import { addressFieldset } from '../frame/address-fields';
import {
  type FormProblems,
  numberField,
  problemSummary,
  type TextField,
  textField,
} from '../frame/form-fields';
import { href, type Html, html } from '../frame/html';
import type { Page } from '../frame/shell';
import { priceTerms, quantityTerms, usageSummary } from '../terms/purchase-terms';
import type { UsageRate } from '../terms/usage-terms';
import type { OfferedProduct } from './offer';
import {
  choosableQuantity,
  collects,
  type Offer,
  orderedQuantity,
  type OrderForm,
  orderLabels,
} from './order-form';

/** Data of a link's page. */
export interface LinkView extends Offer {
  readonly path: string;
  readonly isTest: boolean;
}

/** A link with the offered products. */
export interface LinkOffer extends LinkView {
  /** Usage rates of each product, in the order of the products. */
  readonly rates: readonly (readonly UsageRate[])[];
}

const emailField = {
  name: 'email',
  label: 'E-mail',
  autocomplete: 'email',
  type: 'email',
  inputMode: 'email',
  hint: 'For your invoice and updates about your order.',
  // Maximum of RFC 5321.
  lengthMax: 254,
} as const;
const nameField = { name: 'name', label: 'Name', autocomplete: 'name', lengthMax: 200 } as const;

/** Page on which a visitor chooses a product. */
export function linkPage(offer: LinkOffer, form: OrderForm, problems: FormProblems = {}): Page {
  const { link, products, path, isTest } = offer;
  const { typed } = form;
  const field = (one: TextField) => textField({ ...one, value: typed[one.name] ?? '' }, problems);
  const hasProblems = Object.keys(problems).length > 0;
  const { returnUrl } = link;
  const content = html`<section>
    <h1>${link.label}</h1>
    ${problemSummary(problems, orderLabels)}
    <form method="post" action="${path}">
      <input type="hidden" name="nonce" value="${form.nonce}" />
      ${productChoice(offer, form, problems)} ${quantityChoice(offer, form, problems)}
      ${field(emailField)} ${collects(link, CollectedFact.COLLECTED_FACT_NAME) && field(nameField)}
      ${collects(link, CollectedFact.COLLECTED_FACT_ADDRESS) && addressFieldset(typed, { problems, isRequired: true })}
      <button type="submit">Continue to payment</button>
      ${priceUpdate(offer)}
    </form>
    ${link.discountId !== undefined && discountHint(products)}
    ${returnUrl !== undefined && html`<p class="aside"><a href="${href(returnUrl)}" rel="noreferrer">Cancel and go back</a></p>`}
  </section>`;
  return {
    title: link.label,
    content,
    isTest,
    hasScript: true,
    formTargets: [link.url],
    status: hasProblems ? 400 : 200,
  };
}

function quantityChoice(
  { link }: LinkOffer,
  { typed }: OrderForm,
  problems: FormProblems,
): Html | undefined {
  const bounds = choosableQuantity(link);
  if (bounds === undefined) return undefined;
  const { min, max } = bounds;
  const limits = { min: quantityText(String(min)), max: quantityText(String(max)) };
  return numberField(
    {
      name: 'quantity',
      label: 'Quantity',
      hint: `From ${limits.min} to ${limits.max}`,
      value: typed.quantity ?? String(min),
      min,
      max,
    },
    problems,
  );
}

/**
 * Button that shows the prices of the chosen quantity; the script does so on each change and hides
 * the button. Follows the button of the order, which the Enter key presses.
 */
function priceUpdate({ link, products, path }: LinkOffer): Html | undefined {
  const isPriced = products.some(({ price }) => quantityTerms(present(price)).length > 0);
  if (choosableQuantity(link) === undefined || !isPriced) return undefined;
  return html`<button class="quiet" type="submit" formaction="${path}/prices" id="prices">
    Update prices
  </button>`;
}

function discountHint(products: readonly OfferedProduct[]): Html {
  const discounted = products.filter(({ isDiscounted }) => isDiscounted);
  if (discounted.length === products.length) {
    return html`<p class="hint aside">The discount is applied on the next page.</p>`;
  }
  if (discounted.length === 0) {
    return html`<p class="aside">
      The discount of this offer is not available right now. You pay the full price.
    </p>`;
  }
  const names = discounted.map(({ name }) => name).join(', ');
  return html`<p class="aside">
    The discount on ${names} is applied on the next page. You pay the full price for everything
    else.
  </p>`;
}

/** Page of an inactive link or a link without products. */
export function closedLinkPage({ isTest }: Pick<LinkView, 'isTest'>): Page {
  const content = html`<section>
    <h1>This offer has ended</h1>
    <p>This link is no longer active. Please contact the seller.</p>
  </section>`;
  return { title: 'This offer has ended', content, isTest, status: 410 };
}

function productChoice(offer: LinkOffer, form: OrderForm, problems: FormProblems): Html {
  const { link, products, rates } = offer;
  const messages = problems.productId ?? [];
  const isWrong = messages.length > 0;
  const chosen = form.productId ?? products[0]?.id;
  const ordered = orderedQuantity(link, form);
  // Prices of a wrong quantity would be wrong, too.
  const quantity = problems.quantity === undefined ? ordered : (link.quantity?.min ?? 1);
  return html`<fieldset id="productId" ${isWrong && html` aria-describedby="productId-error"`}>
    <legend>${products.length === 1 ? 'Your order' : 'Choose a product'}</legend>
    ${isWrong && html`<span class="error" id="productId-error">${messages.join('. ')}</span>`}
    ${products.map((product, index) =>
      choice(product, {
        rates: rates[index] ?? [],
        isChosen: product.id === chosen,
        quantity,
        isQuantityShown: link.quantity !== undefined,
      }),
    )}
  </fieldset>`;
}

function choice(
  { id, name, description, price: current }: OfferedProduct,
  {
    rates,
    isChosen,
    quantity,
    isQuantityShown,
  }: {
    readonly rates: readonly UsageRate[];
    readonly isChosen: boolean;
    readonly quantity: number;
    readonly isQuantityShown: boolean;
  },
): Html {
  const price = present(current);
  const usage = usageSummary(price, rates);
  const unitPrices = isQuantityShown ? quantityTerms(price) : [];
  const count = `${quantityText(String(quantity))} for `;
  return html`<label class="choice">
    <input type="radio" name="productId" value="${id}" ${isChosen && html` checked`} />
    <span>
      <strong>${name}</strong>
      <span class="live" aria-live="polite"
        >${unitPrices.length > 0 && count}${priceTerms(price, quantity)}</span
      >
      ${unitPrices.map((line) => html`<span class="hint">${line}</span>`)}
      ${usage !== undefined && [usage.billing, ...usage.rates].map((line) => html`<span class="hint">${line}</span>`)}
      ${description !== undefined && html`<span class="hint description">${description}</span>`}
    </span>
  </label>`;
}
