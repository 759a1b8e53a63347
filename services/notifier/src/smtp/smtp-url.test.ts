import { isLoopback, readSmtpUrl } from './smtp-url';

test.each([
  [
    'smtp://mail.example',
    { host: 'mail.example', port: 587, isSecure: false, credentials: undefined },
  ],
  [
    'smtps://me%40x:p%2Fw@mail.example:2465',
    {
      host: 'mail.example',
      port: 2465,
      isSecure: true,
      credentials: { user: 'me@x', password: 'p/w' },
    },
  ],
  ['smtp://[::1]:2525', { host: '::1', port: 2525, isSecure: false, credentials: undefined }],
])('%s names a mail server', (text, server) => {
  expect(readSmtpUrl(text)).toEqual(server);
});

test.each([
  'http://x',
  'mail.example',
  'smtp://',
  'smtp://x/path',
  'smtp://x?a=b',
  'smtp://me:10%@x',
  'smtp://a%b@x',
])('%s names none', (text) => {
  expect(readSmtpUrl(text)).toBeUndefined();
});

test('loopback is this machine alone', () => {
  expect(['localhost', '127.0.0.1', '::1'].every(isLoopback)).toBe(true);
  expect(['127.example', '10.0.0.1', 'mail.example'].some(isLoopback)).toBe(false);
});
