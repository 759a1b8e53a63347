import { maskedFields, toUpdateMask } from './update-mask';

const fields = { name: 'Ada', postalCode: null, line1: undefined };

test('a mask gives the named fields, whatever their values, and no others', () => {
  expect(maskedFields(fields, toUpdateMask(['postalCode', 'line1']))).toStrictEqual({
    postalCode: null,
    line1: undefined,
  });
});

test.each([[undefined], [[]]])('the mask %j names nothing', (mask) => {
  expect(maskedFields(fields, mask)).toEqual({});
});

test('a mask is written in proto names', () => {
  expect(toUpdateMask(['name', 'postalCode'])).toEqual(['name', 'postal_code']);
});

test.each([['external_id'], ['*'], ['constructor'], ['__proto__'], ['address.line1'], ['']])(
  'the path %j to nothing that may be changed is refused',
  (path) => {
    expect(() => maskedFields(fields, ['name', path])).toThrow(
      expect.objectContaining({ kind: 'invalid_input' }),
    );
  },
);

test('a refusal stands under the name in REST', () => {
  expect(() => maskedFields(fields, ['external_id'])).toThrow(
    expect.objectContaining({ fields: { externalId: ['Cannot be changed'] } }),
  );
});
