import { ApiProblem } from '../../api/problem';
import { codeRefusal } from './code-refusal';

const problem = (code: string) =>
  new ApiProblem('Discount not found', { status: 404, code, fields: {}, requestId: 'id' });

test.each([
  ['discount_not_found', 'No discount has this code'],
  ['discount_inactive', 'The discount is inactive'],
  ['discount_not_started', 'The discount is not valid yet'],
  ['discount_expired', 'The discount has ended'],
  ['discount_exhausted', 'The discount has been redeemed as often as its limit allows'],
  ['discount_wrong_product', 'The discount is for other products'],
])('the code %s is explained: %s', (code, message) => {
  expect(codeRefusal(problem(code))).toMatchObject({ message, details: { code } });
});

test('another error stays as it is', () => {
  for (const error of [problem('unavailable'), new Error('Other')]) {
    expect(codeRefusal(error)).toBe(error);
  }
});
