import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import {
  addressFieldset,
  addressLabels,
  addressNames,
  type TypedTexts,
} from '../pages/frame/address-fields';
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

/** Names of the fields that a customer may change. */
export const detailNames = [...contact.map(({ name }) => name), ...addressNames];

const labels = {
  ...Object.fromEntries(contact.map(({ name, label }) => [name, label])),
  ...addressLabels,
};

/** Page with the form of contact details. */
export function detailsPage(
  visit: Visit,
  { typed, problems, done }: { typed: TypedTexts; problems?: FormProblems; done?: unknown },
): Page {
  const field = (one: TextField) => textField({ ...one, value: typed[one.name] ?? '' }, problems);
  const content = html`<section>
    <h1>Contact details</h1>
    ${doneNotice(done)} ${problemSummary(problems ?? {}, labels)}
    ${postForm(placeOf(visit, detailsPath), '', [
      contact.map(field),
      addressFieldset(typed, { problems, isRequired: false }),
      html`<button type="submit">Save</button>`,
    ])}
  </section>`;
  const status = problems === undefined ? 200 : 400;
  return portalPage(visit, { title: 'Contact details', section: 'details', content, status });
}

/** Field values of a customer. */
export function detailsOf({ name, email, phone, address: given }: Customer): TypedTexts {
  const parts = { name, email, phone, ...given };
  return Object.fromEntries(
    detailNames.map((name) => [name, parts[name as keyof typeof parts] ?? '']),
  );
}
