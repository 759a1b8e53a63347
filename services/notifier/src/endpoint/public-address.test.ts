import { isAllowedAddress, isAllowedHost } from './public-address';

const publicOnly = { allowLoopback: false };
const withLoopback = { allowLoopback: true };

function hostOf(url: string): string {
  return new URL(url).hostname;
}

describe('an address', () => {
  test.each([
    ['public IPv4', '93.184.216.34'],
    ['public IPv4 next to a private block', '172.32.0.1'],
    ['public IPv4 next to a host agent', '168.63.129.17'],
    ['public IPv6', '2606:2800:220:1:248:1893:25c8:1946'],
  ])('that is %s is allowed: %s', (_name, address) => {
    expect(isAllowedAddress(address, publicOnly)).toBe(true);
  });

  test.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['loopback', '::1'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['unique local', 'fd00::1'],
    ['link-local', '169.254.169.254'],
    ['of a host agent', '168.63.129.16'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['CGNAT', '100.64.0.1'],
    ['CGNAT', '100.127.255.255'],
    ['unspecified', '0.0.0.0'],
    ['"this network"', '0.1.2.3'],
    ['unspecified', '::'],
    ['broadcast', '255.255.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['reserved', '240.0.0.1'],
    ['protocol assignments', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['documentation', '2001:db8::1'],
    ['benchmarking', '198.18.0.1'],
    ['6to4 relay', '192.88.99.1'],
    ['v4-mapped loopback', '::ffff:127.0.0.1'],
    ['v4-mapped public', '::ffff:93.184.216.34'],
    ['v4-compatible', '::7f00:1'],
    ['NAT64 of loopback', '64:ff9b::7f00:1'],
    ['NAT64 of public', '64:ff9b::5db8:d822'],
    ['local NAT64', '64:ff9b:1::1'],
    ['v4-translated', '::ffff:0:7f00:1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378::1'],
    ['discard', '100::1'],
    ['segment routing', '5f00::1'],
    ['not handed out', '4000::1'],
    ['no address', 'example.com'],
    ['nothing', ''],
  ])('that is %s is refused: %s', (_name, address) => {
    expect(isAllowedAddress(address, publicOnly)).toBe(false);
  });

  test.each(['127.0.0.1', '::1'])(
    'that is loopback is allowed where that is configured: %s',
    (address) => {
      expect(isAllowedAddress(address, withLoopback)).toBe(true);
    },
  );

  test.each([
    '10.0.0.1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '169.254.169.254',
    '168.63.129.16',
  ])('that is not public is refused even where loopback is allowed: %s', (address) => {
    expect(isAllowedAddress(address, withLoopback)).toBe(false);
  });
});

describe('the host of a URL', () => {
  test.each(['https://example.com', 'https://93.184.216.34', 'http://[2606:2800:220:1::1]:8443'])(
    'may be registered: %s',
    (url) => {
      expect(isAllowedHost(hostOf(url), publicOnly)).toBe(true);
    },
  );

  test.each([
    ['a decimal spelling of loopback', 'http://2130706433/'],
    ['a hexadecimal spelling of loopback', 'http://0x7f000001/'],
    ['hexadecimal parts', 'http://0x7f.0.0.0x1/'],
    ['an octal spelling of loopback', 'http://0177.0.0.1/'],
    ['a short spelling of loopback', 'http://127.1/'],
    ['full-width digits', 'http://１２７.０.０.１/'],
    ['a full-width name', 'http://ｌｏｃａｌｈｏｓｔ/'],
    ['circled letters', 'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/'],
    ['ideographic full stops', 'http://127。0。0。1/'],
    ['the unspecified address', 'http://0.0.0.0/'],
    ['the unspecified address as a number', 'http://0/'],
    ['the unspecified IPv6 address', 'http://[::]/'],
    ['an address of a carrier', 'http://100.64.0.1/'],
    ['an octal spelling with more digits', 'http://00000177.1/'],
    ['loopback behind user information', 'http://example.com@127.0.0.1/'],
    ['a v4-mapped literal in its mixed form', 'http://[::ffff:127.0.0.1]/'],
    ['a NAT64 literal in its mixed form', 'http://[64:ff9b::127.0.0.1]/'],
    ['a 6to4 literal', 'http://[2002:7f00:1::]/'],
    ['an address with a final dot', 'http://127.0.0.1./'],
    ['the host agent of a cloud', 'http://168.63.129.16/'],
    ['the host agent as a number', 'http://2822734096/'],
    ['a v4-mapped literal', 'http://[::ffff:7f00:1]/'],
    ['a NAT64 literal', 'http://[64:ff9b::7f00:1]/'],
    ['a private literal', 'http://192.168.0.1:8080/'],
    ['localhost', 'http://localhost:3000/'],
    ['localhost in capitals', 'http://LOCALHOST/'],
    ['localhost with a final dot', 'http://localhost./'],
    ['a name below localhost', 'http://hooks.localhost/'],
    ['a name below localdomain', 'http://localhost.localdomain/'],
  ])('may not be %s', (_name, url) => {
    expect(isAllowedHost(hostOf(url), publicOnly)).toBe(false);
  });

  test.each(['http://localhost:3000/', 'http://127.0.0.1:3000/', 'http://[::1]:3000/'])(
    'may be loopback where that is allowed: %s',
    (url) => {
      expect(isAllowedHost(hostOf(url), withLoopback)).toBe(true);
    },
  );

  test('may be a name that merely contains localhost', () => {
    expect(isAllowedHost('localhost.example.com', publicOnly)).toBe(true);
  });
});
