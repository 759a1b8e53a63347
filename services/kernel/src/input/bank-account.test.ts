import fc from 'fast-check';
import { bankAccountOf, bankAccountProblems } from './bank-account';

const holder = 'Ada Ltd';

describe('a bank account', () => {
  test.each([
    'DE89370400440532013000',
    'de89 3704 0044 0532 0130 00',
    'GB29NWBK60161331926819',
    'FR1420041010050500013M02606',
    'NO9386011117947',
    'CH9300762011623852957',
    'MT84MALT011000012345MTLCAST001S',
  ])('has the IBAN %s', (iban) => {
    expect(bankAccountProblems({ holder, iban })).toEqual([]);
  });

  test.each([
    ['a wrong digit', 'DE89370400440532013001'],
    ['a digit too few', 'DE8937040044053201300'],
    ['the length of another country', 'NO89370400440532013000'],
    ['an unknown country', 'US89370400440532013000'],
    ['a separator', 'DE89-3704-0044-0532-0130-00'],
    ['nothing', ''],
  ])('has no IBAN with %s', (_name, iban) => {
    expect(bankAccountProblems({ holder, iban })).toEqual(['iban: Invalid IBAN']);
  });

  test.each(['COBADEFF', 'cobadeffxxx', 'COBA DE FF'])('has the BIC %s', (bic) => {
    expect(bankAccountProblems({ holder, iban: 'NO9386011117947', bic })).toEqual([]);
  });

  test.each(['', 'COBADEF', 'COBADEFFXX', 'COBA1EFF'])('has no BIC %j', (bic) => {
    const problems = bankAccountProblems({ holder, iban: 'NO9386011117947', bic });
    expect(problems).toEqual(['bic: Invalid BIC']);
  });

  test('has a holder', () => {
    const problems = bankAccountProblems({ holder: '', iban: 'NO9386011117947', bic: null });
    expect(problems).toEqual(['holder: Required']);
  });

  test('is stored in upper case without spaces', () => {
    const sent = { holder, iban: 'no93 8601 1117 947', bic: 'dnba nokk' };
    expect(bankAccountOf(sent)).toEqual({ holder, iban: 'NO9386011117947', bic: 'DNBANOKK' });
    expect(bankAccountOf({ holder, iban: 'NO9386011117947' }).bic).toBeNull();
  });

  test('has no IBAN in which any one digit differs', () => {
    const iban = fc.constantFrom(
      'DE89370400440532013000',
      'NO9386011117947',
      'CH9300762011623852957',
    );
    fc.assert(
      fc.property(iban, fc.nat(), fc.integer({ min: 1, max: 9 }), (valid, place, by) => {
        // The country comes first.
        const index = 2 + (place % (valid.length - 2));
        const digit = (Number(valid[index]) + by) % 10;
        const wrong = `${valid.slice(0, index)}${String(digit)}${valid.slice(index + 1)}`;
        expect(bankAccountProblems({ holder, iban: wrong })).toEqual(['iban: Invalid IBAN']);
      }),
    );
  });

  test('of any text is checked without an error', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[A-Z]{2}\d{2}[A-Z0-9 ]{0,30}$/u));
    fc.assert(
      fc.property(text, text, (iban, bic) => {
        expect(bankAccountProblems({ holder, iban, bic }).length).toBeLessThanOrEqual(2);
      }),
    );
  });
});
