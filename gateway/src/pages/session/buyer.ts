import { isTaxIdOf } from '@billing/kernel/tax/tax-id';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { toJsonTaxId } from '@billing/proto/json/customer';
import { TaxStatus } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { countriesFor, countryCode, countryText } from '@billing/documents/country-text';
import { type PhraseKey, say } from '@billing/documents/say';
import {
  type FormProblems,
  postForm,
  problemSummary,
  selectField,
  type TextField,
  textField,
} from '../frame/form-fields';
import { type Html, html } from '../frame/html';

/** Facts about the buyer as typed; undefined: left empty. */
export interface TypedBuyer {
  readonly country: string | undefined;
  readonly state: string | undefined;
  readonly name: string | undefined;
  readonly taxId: string | undefined;
}

/** A form about the buyer that was not accepted. */
export interface BuyerInput {
  readonly typed: TypedBuyer;
  readonly problems: FormProblems;
}

interface BuyerView {
  readonly path: string;
  readonly invoice: Invoice | undefined;
}

const country = { name: 'country', label: say('field.country'), autocomplete: 'country-name' };
const state = field('state', 'address.state', 'address-level1', 200);
const buyerName = field('name', 'field.company', 'organization', 200);
const taxId = field('taxId', 'field.taxId', 'off', 60);
const names = [country, state, buyerName, taxId].map(({ name }) => name);
const labels = Object.fromEntries(
  [country, state, buyerName, taxId].map(({ name, label }) => [name, label]),
);

/** True if the tax of a purchase depends on a country that is not known. */
export function isCountryMissing({ invoice }: Pick<BuyerView, 'invoice'>): boolean {
  return invoice !== undefined && isTaxed(invoice) && countryOf(invoice) === undefined;
}

/** Form that asks for the country before the card. */
export function countryForm({ path, invoice }: BuyerView, input: BuyerInput | undefined): Html {
  const { typed, problems = {} } = input ?? {};
  const { address, name } = invoice?.buyer ?? {};
  return html`<p>${say('session.countryText')}</p>
    ${problemSummary(problems, labels)}
    ${postForm({ path }, '/tax', [
      selectField(
        { ...country, choices: countriesFor, sendsTexts: true, value: typed?.country ?? '' },
        problems,
      ),
      address?.state === undefined && textField({ ...state, value: typed?.state ?? '' }, problems),
      name === undefined && textField({ ...buyerName, value: typed?.name ?? '' }, problems),
      textField({ ...taxId, hint: taxIdHint, value: typed?.taxId ?? '' }, problems),
      html`<button type="submit">${say('form.continue')}</button>`,
    ])}`;
}

/** Form that adds a tax id; undefined where one of the country is known, or nothing is taxed. */
export function taxIdForm(
  { path, invoice }: BuyerView,
  input: BuyerInput | undefined,
): Html | undefined {
  if (invoice === undefined || !isTaxed(invoice) || hasTaxId(invoice)) return undefined;
  const { typed, problems = {} } = input ?? {};
  return html`<details class="other unprinted" ${input !== undefined && html` open`}>
    <summary>${say('session.addTaxId')}</summary>
    ${problemSummary(problems, labels)}
    ${postForm({ path }, '/tax', [
      textField({ ...taxId, isOptional: false, value: typed?.taxId ?? '' }, problems),
      html`<button type="submit" class="quiet">${say('session.updateTotal')}</button>`,
    ])}
  </details>`;
}

/** Shows the known facts of the buyer that decide the tax. */
export function buyerFacts(invoice: Invoice | undefined): Html | undefined {
  const code = invoice === undefined ? undefined : countryOf(invoice);
  if (invoice === undefined || code === undefined || !isTaxed(invoice)) return undefined;
  const ids = invoice.buyer?.taxIds ?? [];
  return html`<dl>
    <dt>${say('field.country')}</dt>
    <dd>${countryText(code)}</dd>
    ${ids.map(
      ({ value }) =>
        html`<dt>${say('invoice.taxIdLabel')}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** Reads a form about the buyer. A country is read by its name or its code. */
export function readBuyer(form: ReadonlyMap<string, string>): TypedBuyer {
  const text = (name: string) => {
    const typed = (form.get(name) ?? '').trim();
    return typed === '' ? undefined : typed;
  };
  const [place, region, party, id] = names.map(text);
  return {
    country: place === undefined ? undefined : countryCode(place),
    state: region,
    name: party,
    taxId: id,
  };
}

const taxIdHint = say('field.taxIdHint');

function field(
  name: string,
  key: PhraseKey,
  autocomplete: string,
  lengthMax: number,
): TextField & { readonly isOptional: boolean } {
  return { name, label: say(key), autocomplete, lengthMax, isOptional: true };
}

function isTaxed({ taxStatus }: Invoice): boolean {
  return taxStatus === TaxStatus.TAX_STATUS_ESTIMATED || taxStatus === TaxStatus.TAX_STATUS_FINAL;
}

function countryOf({ buyer }: Pick<Invoice, 'buyer'>): string | undefined {
  return buyer?.address?.country;
}

function hasTaxId(invoice: Invoice): boolean {
  const code = countryOf(invoice) ?? '';
  const taxIds = invoice.buyer?.taxIds ?? [];
  return taxIds.some((taxId) => isTaxIdOf(toJsonTaxId(taxId), code));
}
