import { isAddressIn, isAddressOrRange } from './address-list';

test.each([
  ['127.0.0.1', ['loopback'], true],
  ['::1', ['loopback'], true],
  ['::ffff:127.0.0.1', ['loopback'], true],
  ['10.1.2.3', ['loopback'], false],
  ['10.1.2.3', ['192.0.2.1', '10.0.0.0/8'], true],
  ['11.1.2.3', ['10.0.0.0/8'], false],
  ['192.0.2.1', ['192.0.2.1'], true],
  ['2001:db8::7', ['2001:db8::/32'], true],
  ['2001:db8::7', ['10.0.0.0/8'], false],
  ['fe80::1', ['linklocal'], true],
  ['127.0.0.1', [], false],
  ['nonsense', ['loopback'], false],
  [undefined, ['loopback'], false],
] as const)('the address %s in %j: %s', (address, ranges, expected) => {
  expect(isAddressIn(address, ranges)).toBe(expected);
});

test.each([
  ['loopback', true],
  ['10.0.0.0/8', true],
  ['::1', true],
  ['somewhere', false],
  ['', false],
])('%j as an address or a range: %s', (text, expected) => {
  expect(isAddressOrRange(text)).toBe(expected);
});
