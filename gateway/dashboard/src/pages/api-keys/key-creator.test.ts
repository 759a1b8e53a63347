import { creatorText } from './key-creator';

const operators = [{ id: 'ada', email: 'ada@example.com' }];

test.each([
  ['SYSTEM', null, 'the system'],
  ['OPERATOR', 'ada', 'ada@example.com'],
  ['OPERATOR', 'gone', 'an operator'],
  ['KEY', 'k1', 'key k1'],
] as const)('a key of %s %s is made by %s', (type, id, text) => {
  expect(creatorText({ type, id }, operators)).toBe(text);
});
