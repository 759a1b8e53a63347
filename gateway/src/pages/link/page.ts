import type { CheckoutLink } from '@billing/proto/billing/checkout/v1/checkout_link';
import { present } from '../../http/answer';
import { type FormProblems, problemSummary, textField } from '../frame/form-fields';
import { href, type Html, html } from '../frame/html';
import type { OfferedProduct } from './offer';
import { priceTerms, usageSummary } from '../terms/purchase-terms';
import type { Page } from '../frame/shell';
import type { UsageRate } from '../terms/usage-terms';

/** Data of a link's page. */
export interface LinkView {
  readonly link: CheckoutLink;
  /** Products that can currently be bought. */
  readonly products: readonly OfferedProduct[];
  readonly path: string;
  readonly isTest: boolean;
}

/** A link with the offered products. */
export interface LinkOffer extends LinkView {
  /** Usage rates of each product, in the order of the products. */
  readonly rates: readonly (readonly UsageRate[])[];
}

/** Input of a visitor with its problems. */
export interface LinkForm {
  /** Deduplicates a form that is submitted twice. */
  readonly nonce: string;
  readonly productId?: string | undefined;
  readonly email?: string | undefined;
  readonly problems?: FormProblems | undefined;
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
const labels = { email: emailField.label, productId: 'Product' };

/** Page on which a visitor chooses a product. */
export function linkPage(offer: LinkOffer, form: LinkForm): Page {
  const { link, products, path, isTest } = offer;
  const { nonce, problems = {}, email = '' } = form;
  const chosen = form.productId ?? products[0]?.id;
  const hasProblems = Object.keys(problems).length > 0;
  const { returnUrl } = link;
  const content = html`<section>
    <h1>${link.label}</h1>
    ${problemSummary(problems, labels)}
    <form method="post" action="${path}">
      <input type="hidden" name="nonce" value="${nonce}" />
      ${productChoice(offer, chosen, problems)}
      ${textField({ ...emailField, value: email }, problems)}
      <button type="submit">Continue to payment</button>
    </form>
    ${link.discountId !== undefined && discountHint(products)}
    ${returnUrl !== undefined && html`<p class="aside"><a href="${href(returnUrl)}" rel="noreferrer">Cancel and go back</a></p>`}
  </section>`;
  return {
    title: link.label,
    content,
    isTest,
    formTargets: [link.url],
    status: hasProblems ? 400 : 200,
  };
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

function productChoice(
  { products, rates }: LinkOffer,
  chosen: string | undefined,
  problems: FormProblems,
): Html {
  const messages = problems.productId ?? [];
  const isWrong = messages.length > 0;
  return html`<fieldset id="productId" ${isWrong && html` aria-describedby="productId-error"`}>
    <legend>${products.length === 1 ? 'Your order' : 'Choose a product'}</legend>
    ${isWrong && html`<span class="error" id="productId-error">${messages.join('. ')}</span>`}
    ${products.map((product, index) => choice(product, rates[index] ?? [], product.id === chosen))}
  </fieldset>`;
}

function choice(
  { id, name, description, price: current }: OfferedProduct,
  rates: readonly UsageRate[],
  isChosen: boolean,
): Html {
  const price = present(current);
  const usage = usageSummary(price, rates);
  return html`<label class="choice">
    <input type="radio" name="productId" value="${id}" ${isChosen && html` checked`} />
    <span>
      <strong>${name}</strong>
      <span>${priceTerms(price)}</span>
      ${usage !== undefined && [usage.billing, ...usage.rates].map((line) => html`<span class="hint">${line}</span>`)}
      ${description !== undefined && html`<span class="hint description">${description}</span>`}
    </span>
  </label>`;
}
