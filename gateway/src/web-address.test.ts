import { isWebAddress } from './web-address';

test.each([
  'https://shop.example/thanks?session={SESSION_ID}',
  'http://localhost:3000',
  'HTTPS://shop.example/ü',
])('%s is where a browser may be sent', (text) => {
  expect(isWebAddress(text)).toBe(true);
});

test.each([
  '',
  '/thanks',
  '//shop.example',
  'shop.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://shop.example',
  'https:/shop.example',
  'https://',
  'https://user@shop.example',
  'https://user:password@shop.example',
  ' https://shop.example',
  'https://shop.example/a b',
  'https://shop.example/\r\nSet-Cookie: a=b',
  'https:\\\\shop.example',
])('%j is not', (text) => {
  expect(isWebAddress(text)).toBe(false);
});
