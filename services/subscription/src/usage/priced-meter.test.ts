import { day } from '../testing/fixtures';
import { boundedStretches, gapsBetween, pricedMeters } from './priced-meter';

const january = { start: day('01-01'), end: day('02-01') };
const price = (productId: string, meterId: string, id = productId) => ({
  item: { productId },
  price: { meterId, id },
});

type Price = ReturnType<typeof price>;

/** Meters of January as `[meter, [price, from, until]…]`. */
function metersOf(...stretches: readonly (readonly [Date | null, ...Price[]])[]) {
  const all = stretches.map(([start, ...prices]) => ({ start, prices }));
  return pricedMeters(boundedStretches(january, all)).map(({ meterId, parts }) => [
    meterId,
    ...parts.map(({ priced, start, end }) => [priced.price.id, start, end]),
  ]);
}

test('a meter has a part for each product that prices it', () => {
  expect(metersOf([null, price('basic', 'calls')], [day('01-10'), price('pro', 'calls')])).toEqual([
    ['calls', ['basic', day('01-01'), day('01-10')], ['pro', day('01-10'), day('02-01')]],
  ]);
});

test('a product that stays has one part, with the price of its beginning', () => {
  const stays = price('base', 'calls', 'earlier');
  expect(
    metersOf(
      [null, stays, price('basic', 'files')],
      [day('01-10'), price('base', 'calls', 'later'), price('pro', 'files')],
    ),
  ).toEqual([
    ['calls', ['earlier', day('01-01'), day('02-01')]],
    ['files', ['basic', day('01-01'), day('01-10')], ['pro', day('01-10'), day('02-01')]],
  ]);
});

test('a meter joins and leaves with the products that price it', () => {
  expect(
    metersOf(
      [null, price('basic', 'calls')],
      [day('01-10'), price('pro', 'files')],
      [day('01-20'), price('basic', 'calls', 'again')],
    ),
  ).toEqual([
    ['calls', ['basic', day('01-01'), day('01-10')], ['again', day('01-20'), day('02-01')]],
    ['files', ['pro', day('01-10'), day('01-20')]],
  ]);
});

test('a stretch without any time is left out: at the beginning, the end, and twice at once', () => {
  const [basic, pro, max] = ['basic', 'pro', 'max'].map((id) => price(id, 'calls'));
  if (basic === undefined || pro === undefined || max === undefined) throw new Error('No price');
  expect(metersOf([null, basic], [day('01-01'), pro])).toEqual([
    ['calls', ['pro', day('01-01'), day('02-01')]],
  ]);
  expect(metersOf([null, basic], [day('02-01'), pro])).toEqual([
    ['calls', ['basic', day('01-01'), day('02-01')]],
  ]);
  expect(metersOf([null, basic], [day('01-10'), pro], [day('01-10'), max])).toEqual([
    ['calls', ['basic', day('01-01'), day('01-10')], ['max', day('01-10'), day('02-01')]],
  ]);
});

test('a gap is the time between two parts', () => {
  const parts = [
    { start: day('01-01'), end: day('01-10') },
    { start: day('01-20'), end: day('01-25') },
    { start: day('01-25'), end: day('02-01') },
  ];
  expect(gapsBetween(parts)).toEqual([{ start: day('01-10'), end: day('01-20') }]);
});

test('a part that starts before the one before it takes over from there', () => {
  const of = (product: string) => price(product, 'calls');
  expect(
    metersOf(
      [null, of('a')],
      [day('01-10'), of('b')],
      [day('01-20'), of('c')],
      [day('01-05'), of('d')],
    ),
  ).toEqual([
    [
      'calls',
      ['a', day('01-01'), day('01-10')],
      ['b', day('01-10'), day('01-20')],
      ['d', day('01-20'), day('02-01')],
    ],
  ]);
});
