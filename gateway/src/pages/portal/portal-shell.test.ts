import { doneNotice } from './portal-shell';

test('tells what was done', () => {
  expect(String(doneNotice('kept'))).toContain('Your subscription goes on.');
});

test.each([undefined, '', 'nonsense', 'constructor', '__proto__', 'toString', ['kept'], {}])(
  'tells nothing of %j',
  (done) => {
    expect(doneNotice(done)).toBeUndefined();
  },
);
