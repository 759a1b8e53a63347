import { invariantText, problemCount, resultText, stepText } from './recovery';

test.each([
  [{ step: 'fence', counts: { 'catalog.purged': 0 } }, 'Nothing to do'],
  [{ step: 'number', counts: {} }, 'INV-WH5C2-000001, CN-WH5C2-000001, …'],
  [{ step: 'announce', counts: {} }, 'restoreCode WH5C2'],
  [
    { step: 'provider', counts: { 'checkout.recorded': 2, 'checkout.asked': 3, 'a.b': 0 } },
    'checkout recorded 2, checkout asked 3',
  ],
  [{ step: 'check', counts: { findings: 0, unmatchedCharges: 0 } }, 'Nothing found'],
  [
    { step: 'check', counts: { findings: 1, unmatchedCharges: 2 } },
    '1 finding, 2 unmatched charges',
  ],
])('the step %j has the result %s', (step, text) => {
  expect(resultText(step, 'WH5C2')).toBe(text);
});

test('the problems of a report are those that its check has counted', () => {
  const check = { step: 'check', counts: { findings: 250, unmatchedCharges: 1 } };
  expect(problemCount({ steps: [{ step: 'fence', counts: {} }, check] })).toBe(251);
  expect(problemCount({ steps: [] })).toBe(0);
});

test('unknown steps and findings keep their names', () => {
  expect(stepText('provider')).toBe('Charges are compared with the payment provider');
  expect(stepText('polish')).toBe('polish');
  expect(invariantText('I60')).toBe('Number held twice');
  expect(invariantText('I99')).toBe('I99');
});
