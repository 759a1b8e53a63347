import { doneNotice } from './shell';

test('the notice of an action says what was done', () => {
  expect(doneNotice('kept')?.for({ locale: 'en' })).toContain(
    'Your subscription will renew as usual.',
  );
});

test.each([undefined, '', 'nonsense', 'constructor', '__proto__', 'toString', ['kept'], {}])(
  'there is no notice for %j',
  (done) => {
    expect(doneNotice(done)).toBeUndefined();
  },
);
