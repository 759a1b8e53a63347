import { actorText, changesText } from './audit-text';

test.each([
  [{ type: 'OPERATOR', id: 'o', email: 'ada@example.com' }, 'ada@example.com'],
  [{ type: 'API_KEY', id: '0190f3c4-0000', email: null }, 'API key 0190f3c4'],
  [{ type: 'SYSTEM', id: 'first-owner', email: null }, 'System (first-owner)'],
] as const)('an audit entry of %j reads as its actor %s', (actor, text) => {
  expect(actorText(actor)).toBe(text);
});

test.each([
  [{}, '–'],
  [{ active: { from: true, to: false } }, 'active: true → false'],
  [{ name: { to: 'Basic' }, email: {} }, 'name: "Basic", email'],
])('changes %j read as %s', (changes, text) => {
  expect(changesText(changes)).toBe(text);
});
