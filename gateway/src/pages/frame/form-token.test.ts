import { formTokenOf, refuseForeignForm } from './form-token';

const secret = 's'.repeat(43);

test('the form token does not reveal the secret', () => {
  expect(formTokenOf(secret)).toMatch(/^[\w-]{43}$/);
  expect(formTokenOf(secret)).not.toBe(secret);
});

test('a form without the token or with another token is refused', () => {
  const form = (token: string) => new Map([['form_token', token]]);
  const refused = (sent: Map<string, string>) => () => {
    refuseForeignForm(sent, formTokenOf(secret));
  };
  expect(refused(form(formTokenOf(secret)))).not.toThrow();
  expect(refused(form(formTokenOf('other')))).toThrow('Invalid form token');
  expect(refused(new Map())).toThrow('Invalid form token');
});
