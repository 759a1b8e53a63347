import type { Address } from '@billing/proto/billing/customer/v1/customer';
import { countryCode, countryNames, countryText } from '../../text/country-text';
import { type FormProblems, selectField, type TextField, textField } from './form-fields';
import { type Html, html } from './html';

/** Texts that a visitor typed, by field name. */
export type TypedTexts = Readonly<Record<string, string>>;

const lineMax = 200;

const lines: readonly TextField[] = [
  addressField('line1', 'Street and number', 'address-line1'),
  addressField('line2', 'Apartment, suite', 'address-line2'),
  addressField('postalCode', 'Postal code', 'postal-code'),
  addressField('city', 'City', 'address-level2'),
  addressField('state', 'State or region', 'address-level1'),
];
const country = { name: 'country', label: 'Country', autocomplete: 'country-name' };
const all = [...lines, country];

/** Names of the address fields. */
export const addressNames = all.map(({ name }) => name);
export const addressLabels: Readonly<Record<string, string>> = {
  address: 'Address',
  ...Object.fromEntries(all.map(({ name, label }) => [name, label])),
};

/** Parts without which an address that is asked for is refused. */
const requiredNames = ['line1', 'city', 'country'];

/** Fields of a postal address; if it is required, its other fields are marked as optional. */
export function addressFieldset(
  typed: TypedTexts,
  { problems, isRequired }: { readonly problems?: FormProblems; readonly isRequired: boolean },
): Html {
  const value = (name: string) => typed[name] ?? '';
  return html`<fieldset id="address" class="fields">
    <legend>Address${!isRequired && html` <span class="hint">(optional)</span>`}</legend>
    ${lines.map((line) =>
      textField(
        {
          ...line,
          value: value(line.name),
          isOptional: isRequired && !requiredNames.includes(line.name),
        },
        problems,
      ),
    )}
    ${selectField({ ...country, choices: countryNames, value: countryText(value('country')) }, problems)}
  </fieldset>`;
}

/** Reads texts of a form by field name. A country is read as its code. */
export function readTexts(form: ReadonlyMap<string, string>, names: readonly string[]): TypedTexts {
  const text = (name: string) => (form.get(name) ?? '').trim();
  return Object.fromEntries(
    names.map((name) => [name, name === country.name ? countryCode(text(name)) : text(name)]),
  );
}

/** The typed address; undefined if every part is empty. */
export function readAddress(typed: TypedTexts): Partial<Address> | undefined {
  const parts = addressNames.flatMap((name) => {
    const text = typed[name] ?? '';
    return text === '' ? [] : [[name, text] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/** Problems of required parts that are empty. */
export function missingAddressParts(typed: TypedTexts): FormProblems {
  const missing = requiredNames.filter((name) => (typed[name] ?? '') === '');
  return Object.fromEntries(missing.map((name) => [name, ['Required']]));
}

/** Moves problems of the address, such as `country: Invalid country`, to their fields. */
export function withAddressProblems({ address = [], ...fields }: FormProblems): FormProblems {
  const parts = address.map((message) => {
    const [, part = '', text = message] = /^(\w+): (.*)$/.exec(message) ?? [];
    return [addressNames.includes(part) ? part : 'address', [text]] as const;
  });
  return { ...fields, ...Object.fromEntries(parts) };
}

function addressField(name: string, label: string, autocomplete: string): TextField {
  return { name, label, autocomplete, lengthMax: lineMax };
}
