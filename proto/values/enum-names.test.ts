import { CreditSource, creditSourceToJSON } from '../gen/billing/metering/v1/metering';
import { enumNames } from './enum-names';

const sources = enumNames(CreditSource, 'CREDIT_SOURCE_');

it('a table of names names values as rules and JSON do, and finds values by name', () => {
  expect(sources.nameOf(CreditSource.CREDIT_SOURCE_PAID)).toBe('PAID');
  expect(sources.valueOf('PROMOTIONAL')).toBe(CreditSource.CREDIT_SOURCE_PROMOTIONAL);
  expect(creditSourceToJSON(sources.valueOf('PAID'))).toBe('CREDIT_SOURCE_PAID');
});

it('a table of names has zero for no name and no name for zero', () => {
  expect(sources.valueOf(undefined)).toBe(CreditSource.CREDIT_SOURCE_UNSPECIFIED);
  expect(sources.sentName(0)).toBeUndefined();
  expect(sources.knownName(0)).toBeUndefined();
  expect(() => sources.nameOf(0)).toThrow('CREDIT_SOURCE_0 is not known here');
});

it.each([99, CreditSource.UNRECOGNIZED])(
  'has no name for the value %d of a later version',
  (value) => {
    expect(sources.sentName(value)).toBe('UNKNOWN');
    expect(sources.knownName(value)).toBeUndefined();
    expect(() => sources.nameOf(value)).toThrow('is not known here');
  },
);

it('a table of names refuses an invalid name that passes the types', () => {
  expect(() => sources.valueOf('GIFT' as 'PAID')).toThrow('CREDIT_SOURCE_GIFT is not known here');
});
