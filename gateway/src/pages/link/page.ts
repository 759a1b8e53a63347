import { CollectedFact } from '@billing/proto/billing/checkout/v1/checkout_link';
import { present } from '../../http/answer';
import { quantityText } from '@billing/documents/amount-text';
import { addressFieldset } from '../frame/address-fields';
import {
  type FormProblems,
  numberField,
  problemsText,
  problemSummary,
  type TextField,
  textField,
} from '../frame/form-fields';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import type { TaxNote } from '@billing/documents/tax-text';
import { href, type Html, html, local } from '../frame/html';
import type { Page } from '../frame/shell';
import { priceScript } from '../frame/payer-script';
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
  /** How the prices relate to tax; undefined while tax is off. */
  readonly taxNote: TaxNote | undefined;
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
  label: say('field.email'),
  autocomplete: 'email',
  type: 'email',
  inputMode: 'email',
  hint: say('field.emailOrderHint'),
  // Maximum of RFC 5321.
  lengthMax: 254,
} as const;
const nameField = {
  name: 'name',
  label: say('field.name'),
  autocomplete: 'name',
  lengthMax: 200,
} as const;

/** Page on which a visitor chooses a product. */
export function linkPage(offer: LinkOffer, form: OrderForm, problems: FormProblems = {}): Page {
  const { link, products, path, isTest } = offer;
  const { typed } = form;
  const field = (one: TextField) => textField({ ...one, value: typed[one.name] ?? '' }, problems);
  const hasProblems = Object.keys(problems).length > 0;
  const { returnUrl } = link;
  const update = priceUpdate(offer);
  const content = html`<section>
    <h1>${link.label}</h1>
    ${problemSummary(problems, orderLabels)}
    <form method="post" action="${local(path)}">
      <input type="hidden" name="nonce" value="${form.nonce}" />
      ${productChoice(offer, form, problems)} ${quantityChoice(offer, form, problems)}
      ${field(emailField)} ${collects(link, CollectedFact.COLLECTED_FACT_NAME) && field(nameField)}
      ${collects(link, CollectedFact.COLLECTED_FACT_ADDRESS) && addressFieldset(typed, { problems, isRequired: true })}
      <button type="submit">${say('link.toPayment')}</button>
      ${update}
    </form>
    ${link.discountId !== undefined && discountHint(products)}
    ${returnUrl !== undefined && html`<p class="aside"><a href="${href(returnUrl)}" rel="noreferrer">${say('form.cancelBack')}</a></p>`}
  </section>`;
  return {
    title: link.label,
    content,
    isTest,
    isPlain: true,
    script: update === undefined ? undefined : priceScript,
    formTargets: [link.url],
    status: hasProblems ? 400 : 200,
  };
}

function quantityChoice(
  offer: LinkOffer,
  { typed }: OrderForm,
  problems: FormProblems,
): Html | undefined {
  const bounds = choosableQuantity(offer);
  if (bounds === undefined) return undefined;
  const { min, max } = bounds;
  const limits = { min: quantityText(String(min)), max: quantityText(String(max)) };
  return numberField(
    {
      name: 'quantity',
      label: say('field.quantity'),
      hint: say('field.quantityRange', limits),
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
function priceUpdate(offer: LinkOffer): Html | undefined {
  if (choosableQuantity(offer) === undefined) return undefined;
  return html`<button
    class="quiet"
    type="submit"
    formaction="${local(`${offer.path}/prices`)}"
    id="prices"
  >
    ${say('link.updatePrices')}
  </button>`;
}

function discountHint(products: readonly OfferedProduct[]): Html {
  const discounted = products.filter(({ isDiscounted }) => isDiscounted);
  if (discounted.length === products.length) {
    return html`<p class="hint aside">${say('link.discountNext')}</p>`;
  }
  if (discounted.length === 0) {
    return html`<p class="aside">${say('session.discountGone')}</p>`;
  }
  const names = discounted.map(({ name }) => name).join(', ');
  return html`<p class="aside">${say('link.discountSome', { products: names })}</p>`;
}

/** Page of an inactive link or a link without products. */
export function closedLinkPage({ isTest }: Pick<LinkView, 'isTest'>): Page {
  const content = html`<section>
    <h1>${say('link.ended')}</h1>
    <p>${say('link.endedText')}</p>
  </section>`;
  return { title: say('link.ended'), content, isTest, isPlain: true, status: 410 };
}

function productChoice(offer: LinkOffer, form: OrderForm, problems: FormProblems): Html {
  const { link, products, rates, taxNote } = offer;
  const messages = problems.productId ?? [];
  const isWrong = messages.length > 0;
  const chosen = form.productId ?? products[0]?.id;
  const ordered = orderedQuantity(link, form);
  // Prices of a wrong quantity would be wrong, too.
  const quantity = problems.quantity === undefined ? ordered : (link.quantity?.min ?? 1);
  return html`<fieldset id="productId" ${isWrong && html` aria-describedby="productId-error"`}>
    <legend>${say(products.length === 1 ? 'link.yourOrder' : 'link.chooseProduct')}</legend>
    ${isWrong && html`<span class="error" id="productId-error">${problemsText(messages)}</span>`}
    ${products.map((product, index) =>
      choice(product, {
        rates: rates[index] ?? [],
        taxNote,
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
    taxNote,
    isChosen,
    quantity,
    isQuantityShown,
  }: {
    readonly rates: readonly UsageRate[];
    readonly taxNote: TaxNote | undefined;
    readonly isChosen: boolean;
    readonly quantity: number;
    readonly isQuantityShown: boolean;
  },
): Html {
  const price = present(current);
  const usage = usageSummary(price, rates);
  const unitPrices = isQuantityShown ? quantityTerms(price) : [];
  const terms = priceTerms(price, quantity, taxNote);
  const shown: Text =
    unitPrices.length > 0
      ? say('link.quantityFor', { quantity: quantityText(String(quantity)), terms })
      : terms;
  return html`<label class="choice">
    <input type="radio" name="productId" value="${id}" ${isChosen && html` checked`} />
    <span>
      <strong>${name}</strong>
      <span class="live" aria-live="polite">${shown}</span>
      ${unitPrices.map((line) => html`<span class="hint">${line}</span>`)}
      ${usage !== undefined && [usage.billing, ...usage.rates].map((line) => html`<span class="hint">${line}</span>`)}
      ${description !== undefined && html`<span class="hint description">${description}</span>`}
    </span>
  </label>`;
}
