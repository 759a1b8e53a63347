import { webAddressProblems } from './web-address';

const notAbsolute = 'Must be an absolute http or https URL';
const userInside = 'Must not contain user information';

test.each([
  'https://shop.example',
  'https://shop.example/thanks?session={SESSION_ID}',
  'http://localhost:3000',
  'HTTP://shop.example:8080/a?b#c',
  'HTTPS://shop.example/ü',
  `https://shop.example/${'a'.repeat(2_027)}`,
])('%s is a valid redirect target', (text) => {
  expect(webAddressProblems(text)).toEqual([]);
});

test.each([
  ['', notAbsolute],
  ['/thanks', notAbsolute],
  ['//shop.example', notAbsolute],
  ['shop.example', notAbsolute],
  ['javascript:alert(1)', notAbsolute],
  ['data:text/html,x', notAbsolute],
  ['ftp://shop.example', notAbsolute],
  ['https:shop.example', notAbsolute],
  ['https:/shop.example', notAbsolute],
  ['https://', notAbsolute],
  [' https://shop.example', notAbsolute],
  ['https://shop.example/a b', notAbsolute],
  ['https://shop.example/\r\nSet-Cookie: a=b', notAbsolute],
  ['https://shop.example/\u0000', notAbsolute],
  ['https://shop.example/\u007f', notAbsolute],
  ['https://shop.example/\u0085', notAbsolute],
  ['https:\\\\shop.example', notAbsolute],
  ['https://user@shop.example', userInside],
  ['https://:password@shop.example', userInside],
  [`https://shop.example/${'a'.repeat(2_028)}`, 'Must be at most 2048 characters'],
])('%j is no valid redirect target', (text, problem) => {
  expect(webAddressProblems(text)).toEqual([problem]);
});
