import { IntlMessageFormat } from 'intl-messageformat';
import { mailKinds, variablesOf } from '../mail-kind';
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

/** Arguments and their arms of a message. */
function shapeOf(text: string): string[] {
  const format = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true });
  const found = JSON.stringify(format.getAst()).matchAll(/"value":"(\w+)"/g);
  return [...found]
    .map(([, name]) => name!)
    .filter((name) => text.includes(`{${name}`))
    .sort();
}

test('a phrase inserts its values', () => {
  expect(phrase('contact', 'en', { email: 'a@b.co' })).toBe('Questions? Write to a@b.co.');
});

test('the reason of a failed payment is told by its code', () => {
  expect(paymentReasonText('insufficient_funds', 'en')).toBe('The card has insufficient funds.');
  const other = 'The payment could not be processed.';
  expect(paymentReasonText('stolen_card', 'en')).toBe(other);
  expect(paymentReasonText(null, 'en')).toBe(other);
});
