import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import {
  type FormProblems,
  postForm,
  problemSummary,
  type TextField,
  textField,
} from '../pages/frame/form-fields';
import { html } from '../pages/frame/html';
import type { Page } from '../pages/frame/shell';
import type { Visit } from './route';
import { doneNotice, placeOf, portalPage } from './shell';

/** Path of the contact details. */
export const detailsPath = '/portal/details';

/** Values by field name. */
export type TypedDetails = Readonly<Record<string, string>>;

const lineMax = 200;
const isOptional = true;

const contact: readonly TextField[] = [
  { name: 'name', label: 'Name', autocomplete: 'name', lengthMax: lineMax, isOptional },
  {
    name: 'email',
    label: 'E-mail',
    autocomplete: 'email',
    type: 'email',
    inputMode: 'email',
    hint: 'For your invoices and updates about your subscription.',
    lengthMax: 254,
  },
  { name: 'phone', label: 'Phone', autocomplete: 'tel', lengthMax: 40, isOptional },
];

const address: readonly TextField[] = [
  addressField('line1', 'Street and number', 'address-line1'),
  addressField('line2', 'Apartment, suite', 'address-line2'),
  addressField('postalCode', 'Postal code', 'postal-code'),
  addressField('city', 'City', 'address-level2'),
  addressField('state', 'State or region', 'address-level1'),
  {
    ...addressField('country', 'Country', 'country'),
    hint: 'Two-letter code, such as CH',
    lengthMax: 2,
  },
];

/** Fields that a customer may change. */
export const detailFields = [...contact, ...address];
/** Names of the address fields. */
export const addressNames = address.map(({ name }) => name);

const labels = Object.fromEntries(detailFields.map(({ name, label }) => [name, label]));

/** Page with the form of contact details. */
export function detailsPage(
  visit: Visit,
  { typed, problems, done }: { typed: TypedDetails; problems?: FormProblems; done?: unknown },
): Page {
  const field = (one: TextField) => textField({ ...one, value: typed[one.name] ?? '' }, problems);
  const content = html`<section>
    <h1>Contact details</h1>
    ${doneNotice(done)} ${problemSummary(problems ?? {}, labels)}
    ${postForm(placeOf(visit, detailsPath), '', [
      contact.map(field),
      html`<fieldset id="address" class="fields">
        <legend>Address <span class="hint">(optional)</span></legend>
        ${address.map(field)}
      </fieldset>`,
      html`<button type="submit">Save</button>`,
    ])}
  </section>`;
  const status = problems === undefined ? 200 : 400;
  return portalPage(visit, { title: 'Contact details', section: 'details', content, status });
}

/** Field values of a customer. */
export function detailsOf({ name, email, phone, address: given }: Customer): TypedDetails {
  const parts = { name, email, phone, ...given };
  return Object.fromEntries(
    detailFields.map((field) => [field.name, parts[field.name as keyof typeof parts] ?? '']),
  );
}

function addressField(name: string, label: string, autocomplete: string): TextField {
  return { name, label, autocomplete, lengthMax: lineMax };
}
