import { formTokenOf, refuseForeignForm } from './form-token';

const secret = 's'.repeat(43);

test('a form’s token tells nothing of the secret', () => {
  expect(formTokenOf(secret)).toMatch(/^[\w-]{43}$/);
  expect(formTokenOf(secret)).not.toBe(secret);
});

test('a form without it, or with another’s, is refused', () => {
  const form = (token: string) => new Map([['form_token', token]]);
  const refused = (sent: Map<string, string>) => () => {
    refuseForeignForm(sent, formTokenOf(secret));
  };
  expect(refused(form(formTokenOf(secret)))).not.toThrow();
  expect(refused(form(formTokenOf('other')))).toThrow('Invalid form token');
  expect(refused(new Map())).toThrow('Invalid form token');
});
