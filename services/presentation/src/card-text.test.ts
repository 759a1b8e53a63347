import { cardText } from './card-text';

test.each([
  ['visa', 'Visa ···· 4242'],
  ['amex', 'American Express ···· 4242'],
  ['jcb', 'JCB ···· 4242'],
])('a card of %s is shown as %s', (brand, text) => {
  expect(cardText(brand, '4242')).toBe(text);
});
