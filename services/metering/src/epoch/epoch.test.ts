import { epochText, untilOf } from './epoch';
import { fromSortableNumber } from './sortable-number';

test('an epoch is over when it is past, and all slots but the parked have passed it', () => {
  expect(untilOf(7, [])).toBe(6);
  expect(untilOf(7, [{ epoch: 9 }, { epoch: null }])).toBe(6);
  expect(untilOf(7, [{ epoch: 5 }, { epoch: 6 }])).toBe(4);
  expect(untilOf(7, [{ epoch: 0 }])).toBe(-1);
});

test('texts of epochs sort as the epochs', () => {
  const epochs = [0, 1, 35, 36, 1_000, 10_000_000];
  const texts = epochs.map(epochText);
  expect(texts.toSorted()).toEqual(texts);
  expect(texts.map(fromSortableNumber)).toEqual(epochs);
  expect(() => fromSortableNumber('0.1')).toThrow();
});
