import { fromDocumentOverLimit, toDocumentOverLimit } from './over-limit-document';

const state = {
  overLimit: { bill: 2, retryAt: new Date('2026-03-01'), retriesLeft: 19, closing: null },
  unbilled: [{ key: 'period:1', through: 1, tries: 2 }],
};

test('bills over the limit are stored under the names that release 0.1.0 reads', () => {
  const { retriesLeft: triesLeft, ...bills } = state.overLimit;
  expect(toDocumentOverLimit(state)).toEqual({
    held: { ...bills, triesLeft },
    unbilled: state.unbilled,
  });
});

test('bills over the limit are read as they were stored', () => {
  expect(fromDocumentOverLimit(toDocumentOverLimit(state))).toEqual(state);
  expect(fromDocumentOverLimit({})).toEqual({ overLimit: null, unbilled: [] });
});
