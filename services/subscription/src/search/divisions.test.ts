import { divisionsOf } from './divisions';

const asText = (words: readonly string[]) =>
  divisionsOf(words).map(({ customer, product }) => `${customer.join(' ')} | ${product.join(' ')}`);

test.each([
  ['one word', ['ada'], ['ada | ', ' | ada']],
  ['two words', ['ada', 'pro'], ['ada pro | ', ' | ada pro', 'ada | pro', 'pro | ada']],
  [
    'three words',
    ['a', 'b', 'c'],
    ['a b c | ', ' | a b c', 'a | b c', 'b c | a', 'a b | c', 'c | a b'],
  ],
])('%s may name a customer, a product, or both', (_case, words, divisions) => {
  expect(asText(words)).toEqual(divisions);
});
