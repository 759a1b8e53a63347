import type { Address } from '@billing/proto/billing/customer/v1/customer';
import { countriesFor, countryCode } from '@billing/documents/country-text';
import type { Text } from '@billing/documents/reader';
import { type PhraseKey, say } from '@billing/documents/say';
import { type FormProblems, selectField, type TextField, textField } from './form-fields';
import { type Html, html } from './html';

/** Texts that a visitor typed, by field name. */
export type TypedTexts = Readonly<Record<string, string>>;

const lineMax = 200;

const lines: readonly TextField[] = [
  addressField('line1', 'address.line1', 'address-line1'),
  addressField('line2', 'address.line2', 'address-line2'),
  addressField('postalCode', 'address.postalCode', 'postal-code'),
  addressField('city', 'address.city', 'address-level2'),
  addressField('state', 'address.state', 'address-level1'),
];
const country = { name: 'country', label: say('field.country'), autocomplete: 'country-name' };
const all = [...lines, country];

/** Names of the address fields. */
export const addressNames = all.map(({ name }) => name);
export const addressLabels: Readonly<Record<string, Text>> = {
  address: say('address.address'),
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
    <legend>
      ${say('address.address')}${!isRequired && html` <span class="hint">${say('form.optional')}</span>`}
    </legend>
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
    ${selectField({ ...country, choices: countriesFor, sendsTexts: true, value: value('country') }, problems)}
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

function addressField(name: string, key: PhraseKey, autocomplete: string): TextField {
  return { name, label: say(key), autocomplete, lengthMax: lineMax };
}
