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
  selectField,
  type TextField,
  textField,
} from '../pages/frame/form-fields';
import { languageNames, languageOf, supportedLocale } from '@billing/presentation/locale';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { html } from '../pages/frame/html';
import type { Page } from '../pages/frame/shell';
import type { Visit } from './route';
import { doneNotice, placeOf, portalPage } from './shell';
import { taxIdFields, taxIdLabels, taxIdNames, taxIdTexts } from './tax-id-fields';

/** Path of the contact details. */
export const detailsPath = '/portal/details';

const lineMax = 200;
const isOptional = true;

const contact: readonly TextField[] = [
  { name: 'name', label: say('field.name'), autocomplete: 'name', lengthMax: lineMax, isOptional },
  {
    name: 'email',
    label: say('field.email'),
    autocomplete: 'email',
    type: 'email',
    inputMode: 'email',
    hint: say('field.emailPortalHint'),
    lengthMax: 254,
  },
  { name: 'phone', label: say('field.phone'), autocomplete: 'tel', lengthMax: 40, isOptional },
];

/** Names of the fields that a customer may change. */
export const detailNames = [
  ...contact.map(({ name }) => name),
  'locale',
  ...addressNames,
  ...taxIdNames,
];

const labels: Readonly<Record<string, Text>> = {
  locale: say('field.language'),
  ...Object.fromEntries(contact.map(({ name, label }) => [name, label])),
  ...addressLabels,
  ...taxIdLabels,
};

/** Page with the form of contact details. */
export function detailsPage(
  visit: Visit,
  { typed, problems, done }: { typed: TypedTexts; problems?: FormProblems; done?: unknown },
): Page {
  const field = (one: TextField) => textField({ ...one, value: typed[one.name] ?? '' }, problems);
  const content = html`<section>
    <h1>${say('portal.contactDetails')}</h1>
    ${doneNotice(done)} ${problemSummary(problems ?? {}, labels)}
    ${postForm(placeOf(visit, detailsPath), '', [
      contact.map(field),
      languageField(typed.locale ?? '', problems),
      addressFieldset(typed, { problems, isRequired: false }),
      taxIdFields(typed, problems),
      html`<button type="submit">${say('form.save')}</button>`,
    ])}
  </section>`;
  const status = problems === undefined ? 200 : 400;
  return portalPage(visit, {
    title: say('portal.contactDetails'),
    section: 'details',
    content,
    status,
  });
}

/** Languages under their own names; a locale with a region, such as de-CH, stays chosen. */
function languageField(typed: string, problems: FormProblems | undefined) {
  // Any text may be posted.
  const locale = supportedLocale(typed) ?? '';
  const chosen = locale === '' ? undefined : languageOf(locale);
  const own = languageNames.map(([language, name]): readonly [string, string] =>
    locale !== language && chosen === language ? [locale, `${name} (${locale})`] : [language, name],
  );
  return selectField(
    {
      name: 'locale',
      label: say('field.language'),
      hint: say('field.languageAutomatic'),
      autocomplete: 'language',
      choices: () => own,
      value: locale,
      isOptional,
    },
    problems,
  );
}

/** Field values of a customer. */
export function detailsOf(customer: Customer): TypedTexts {
  const { name, email, phone, locale, address: given } = customer;
  const parts = { name, email, phone, locale, ...given, ...taxIdTexts(customer) };
  return Object.fromEntries(
    detailNames.map((name) => [name, parts[name as keyof typeof parts] ?? '']),
  );
}
