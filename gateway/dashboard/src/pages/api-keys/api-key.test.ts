import { creatorText } from './api-key';

const operators = [{ id: 'ada', email: 'ada@example.com' }];

test.each([
  ['SYSTEM', null, 'System'],
  ['OPERATOR', 'ada', 'ada@example.com'],
  ['OPERATOR', 'gone', 'Former operator'],
  ['KEY', 'k1', 'API key k1'],
] as const)('the creator %s %s of a key reads as %s', (type, id, text) => {
  expect(creatorText({ type, id }, operators)).toBe(text);
});
