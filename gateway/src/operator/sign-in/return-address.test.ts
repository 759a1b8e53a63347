import { returnAddress } from './return-address';

const siteUrl = 'https://billing.example';
const front = '/dashboard';

test.each([
  ['/dashboard', front],
  ['/dashboard/customers?page=2#top', '/dashboard/customers?page=2#top'],
  ['/dashboard/customers/../invoices', '/dashboard/invoices'],
  ['https://billing.example/dashboard/invoices', '/dashboard/invoices'],
  ['/dashboard/say "hi" <b>', '/dashboard/say%20%22hi%22%20%3Cb%3E'],
  ['/dashboard/\r\nSet-Cookie: a=b', '/dashboard/Set-Cookie:%20a=b'],
])('%j is a page of the dashboard', (wanted, expected) => {
  expect(returnAddress(wanted, siteUrl)).toBe(expected);
});

test.each([
  undefined,
  ['/dashboard/a', '/dashboard/b'],
  '',
  '/',
  '/dashboards',
  '/portal',
  '/v1/customers',
  '/dashboard/../portal',
  '/dashboard/%2e%2e/portal',
  '/dashboard/api/session',
  '/dashboard/sign-in',
  '/dashboard/sign-in/provider?returnTo=/dashboard',
  '/dashboard/invitation',
  '/dashboard/reset',
  'https://evil.example/dashboard',
  '//evil.example/dashboard',
  '/\\evil.example/dashboard',
  '\\\\evil.example/dashboard',
  '\t//evil.example/dashboard',
  'https:evil.example/dashboard',
  'https://billing.example@evil.example/dashboard',
  'https://billing.example.evil.example/dashboard',
  'https://billing.example:444/dashboard',
  'http://billing.example/dashboard',
  'javascript:alert(1)//dashboard',
  'data:text/html,/dashboard',
  'https://[/dashboard',
  `/dashboard/${'x'.repeat(1_000)}`,
  `/dashboard/${'"'.repeat(900)}`,
])('%j is not a page of the dashboard and is replaced by the front page', (wanted) => {
  expect(returnAddress(wanted, siteUrl)).toBe(front);
});

test('a double slash inside the path does not lead to another site', () => {
  const address = returnAddress('/dashboard//evil.example', siteUrl);
  expect(new URL(address, siteUrl).origin).toBe(siteUrl);
});
