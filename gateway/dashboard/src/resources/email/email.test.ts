import { reasonText } from './email';

test.each([
  [null, '–'],
  ['smtp_550', 'Mail server answered 550'],
  ['suppressed', 'Address is suppressed'],
  ['of_a_later_release', 'of_a_later_release'],
])('the reason %s is shown as %s', (reason, text) => {
  expect(reasonText({ reason })).toBe(text);
});
