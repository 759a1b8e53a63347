import {
  countText,
  durationText,
  labelText,
  moneyText,
  pluralText,
  shortMoneyText,
  wordsText,
} from './text';

test.each([
  [2900, 'USD', '$29.00'],
  ['-2900', 'USD', '−$29.00'],
  [2900, 'JPY', '¥2,900'],
  [2900, 'KWD', 'KWD 2.900'],
  ['9007199254740993', 'USD', '$90,071,992,547,409.93'],
])('%s of %s reads %s', (amount, currency, text) => {
  expect(moneyText(amount, currency).replace(/\s/g, ' ')).toBe(text);
});

test('a short amount uses the decimals of its currency', () => {
  expect(shortMoneyText(1_234_500, 'USD')).toBe('$12.3K');
  expect(shortMoneyText(1_234_500, 'JPY')).toBe('¥1.2M');
});

test.each([
  [12, '12 ms'],
  [12_440, '12.4 s'],
  [180_000, '3 min'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('names read as words or labels, and counts have a plural', () => {
  expect([wordsText('PAST_DUE'), labelText('PAST_DUE')]).toEqual(['past due', 'Past due']);
  expect([pluralText(1, 'key'), pluralText(1_200, 'delivery', 'deliveries')]).toEqual([
    '1 key',
    '1,200 deliveries',
  ]);
});

test('an incomplete count has a plus sign', () => {
  expect([countText(10_000), countText(10_000, true)]).toEqual(['10,000', '10,000+']);
});
