import { parseEmailAddress } from './email-address';

const label63 = 'd'.repeat(63);
/** Valid address of the given length. */
function addressOfLength(length: number): string {
  const local = 'l'.repeat(64);
  const domain = `${label63}.${label63}.com`;
  const rest = length - `${local}@.${domain}`.length;
  return `${local}@${'r'.repeat(rest)}.${domain}`;
}

describe('an email address is valid:', () => {
  test.each([
    ['a plain one', 'ada@example.com'],
    ['with dots, a tag and capitals', 'Ada.King+billing@Example.co.uk'],
    ['with every special character', "!#$%&'*+/=?^_`{|}~-@example.com"],
    ['of one-letter parts', 'a@b.co'],
    ['with digits and hyphens in the domain', 'a@1-2.3.example'],
    ['of an international domain in ASCII form', 'a@xn--bcher-kva.xn--p1ai'],
    ['with the longest local part', `${'l'.repeat(64)}@example.com`],
    ['with the longest label', `a@${label63}.com`],
    ['the longest', addressOfLength(254)],
  ])('%s', (_case, address) => {
    expect(parseEmailAddress(address)).toBe(address);
  });

  test('one with surrounding space, which is removed', () => {
    expect(parseEmailAddress(' \tada@example.com\r\n')).toBe('ada@example.com');
  });

  test('one of the maximum length, regardless of surrounding space', () => {
    const longest = addressOfLength(254);
    expect(parseEmailAddress(` ${longest} `)).toBe(longest);
  });
});

describe('an email address is invalid:', () => {
  test.each([
    ['space alone', '  '],
    ['no @', 'ada.example.com'],
    ['nothing before the @', '@example.com'],
    ['nothing after the @', 'ada@'],
    ['two @', 'ada@king@example.com'],
    ['a domain without a dot', 'ada@localhost'],
    ['a dot at the start', '.ada@example.com'],
    ['a dot at the end of the local part', 'ada.@example.com'],
    ['two dots in a row', 'ada..king@example.com'],
    ['two dots in the domain', 'ada@example..com'],
    ['a dot at the end of the domain', 'ada@example.com.'],
    ['a hyphen at the start of a label', 'ada@-example.com'],
    ['a hyphen at the end of a label', 'ada@example-.com'],
    ['a top-level domain of one letter', 'ada@example.c'],
    ['a numeric top-level domain', 'ada@127.0.0.1'],
    ['an address literal', 'ada@[127.0.0.1]'],
    ['a blank inside', 'ada king@example.com'],
    ['a line break inside', 'ada@example.com\nbcc: eve@example.com'],
    ['a display name', 'Ada <ada@example.com>'],
    ['letters beyond ASCII', 'ädä@example.com'],
    ['a local part one character too long', `${'l'.repeat(65)}@example.com`],
    ['a label one character too long', `a@${'d'.repeat(64)}.com`],
    ['an empty one', ''],
    ['one character too long', addressOfLength(255)],
    ['a huge one', `${'a.'.repeat(1_000_000)}@example.com`],
  ])('%s', (_case, address) => {
    expect(() => parseEmailAddress(address)).toThrow(
      expect.objectContaining({ kind: 'invalid_input', fields: { email: ['Invalid email'] } }),
    );
  });
});
