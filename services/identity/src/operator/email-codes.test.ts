import { EmailCodes } from './email-codes';

const codes = new EmailCodes(['a pepper']);
const change = { operatorId: 'ada', email: 'ada@example.com', generation: 1 };
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 5, 12, minutes));
const code = codes.codeOf(change, at(59));

test('a code is valid for an hour at least, however it is typed', () => {
  expect(code).toMatch(/^[A-Z2-7]{8}$/);
  for (const typed of [code, ` ${code.toLowerCase()} `, `${code.slice(0, 4)}-${code.slice(4)}`]) {
    expect(codes.isCode(typed, change, at(119))).toBe(true);
  }
  expect(codes.isCode(code, change, at(180))).toBe(false);
});

test.each([
  ['another operator', { ...change, operatorId: 'bob' }],
  ['another address', { ...change, email: 'bob@example.com' }],
  ['a later session', { ...change, generation: 2 }],
])('a code proves nothing about %s', (_case, other) => {
  expect(codes.isCode(code, other, at(59))).toBe(false);
});

test('a code is valid while its pepper is replaced', () => {
  expect(new EmailCodes(['a new pepper', 'a pepper']).isCode(code, change, at(59))).toBe(true);
  expect(new EmailCodes(['a new pepper']).isCode(code, change, at(59))).toBe(false);
});

test.each(['', 'AAAA', 'AAAAAAAAA', '\u00e9AAAAAAA'])('%p is no code', (typed) => {
  expect(codes.isCode(typed, change, at(59))).toBe(false);
});
