import { IntlMessageFormat } from 'intl-messageformat';
import { languages } from './locale';
import { mailKinds, variablesOf } from './mail-kind';
import { markVariables } from '../mail/template';
import { phrase, paymentReasonText } from '../phrase';
import { catalogues } from './catalogue';
import { en } from './en';

const catalogueList = Object.entries(catalogues);

describe.each(catalogueList)('the catalogue of %s', (_, catalogue) => {
  test('has the texts and arguments of the English one', () => {
    expect(Object.keys(catalogue.phrases).sort()).toEqual(Object.keys(en.phrases).sort());
    expect(Object.keys(catalogue.mails).sort()).toEqual([...mailKinds].sort());
    for (const [key, text] of Object.entries(catalogue.phrases)) {
      const english = en.phrases[key as keyof typeof en.phrases];
      expect([key, shapeOf(text)]).toEqual([key, shapeOf(english)]);
    }
  });

  test.each(mailKinds)('names only variables of the kind in %s', (kind) => {
    const allowed = variablesOf(kind);
    const values = Object.fromEntries(allowed.map((name) => [name, 'v']));
    for (const text of Object.values(catalogue.mails[kind])) {
      for (const given of [values, {}]) {
        expect(() => markVariables(text, given, allowed)).not.toThrow();
      }
    }
  });
});

interface Element {
  readonly type: number;
  readonly value?: string;
  readonly options?: Readonly<Record<string, { readonly value: readonly Element[] }>>;
}

const [argument, select, plural] = [1, 5, 6];

/** Names and kinds of the arguments of a message, and the arms of its selections. */
function shapeOf(text: string): string[] {
  const format = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true });
  const names = (elements: readonly Element[]): string[] =>
    elements.flatMap(({ type, value = '', options = {} }) => {
      const arms = Object.values(options).flatMap((arm) => names(arm.value));
      if (type === argument) return [value];
      if (type === select) return [`${value}: ${Object.keys(options).sort().join()}`, ...arms];
      return type === plural ? [`${value}, plural`, ...arms] : [];
    });
  return [...new Set(names(format.getAst()))].sort();
}

/** Arms of the plurals of a message. */
function pluralArms(text: string): string[][] {
  const format = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true });
  return (format.getAst() as unknown as Element[])
    .filter(({ type }) => type === plural)
    .map(({ options = {} }) => Object.keys(options).sort());
}

test.each(languages)('the plurals of %s have the arms of the language', (language) => {
  const arms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort();
  for (const [key, text] of Object.entries(catalogues[language].phrases)) {
    for (const found of pluralArms(text)) expect([key, found]).toEqual([key, arms]);
  }
});

test('a phrase inserts its values', () => {
  expect(phrase('contact', 'en', { email: 'a@b.co' })).toBe('Questions? Write to a@b.co.');
});

test('the reason of a failed payment is told by its code', () => {
  expect(paymentReasonText('insufficient_funds', 'en')).toBe('The card has insufficient funds.');
  const other = 'The payment could not be processed.';
  expect(paymentReasonText('stolen_card', 'en')).toBe(other);
  expect(paymentReasonText(null, 'en')).toBe(other);
});
