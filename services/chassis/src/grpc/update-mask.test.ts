import { maskedFields, toUpdateMask } from './update-mask';

const fields = { name: 'Ada', postalCode: null, line1: undefined };

test('a mask selects the named fields with any values, and no others', () => {
  expect(maskedFields(fields, toUpdateMask(['postalCode', 'line1']))).toStrictEqual({
    postalCode: null,
    line1: undefined,
  });
});

test.each([[undefined], [[]]])('the mask %j selects nothing', (mask) => {
  expect(maskedFields(fields, mask)).toEqual({});
});

test('a mask uses proto names', () => {
  expect(toUpdateMask(['name', 'postalCode'])).toEqual(['name', 'postal_code']);
});

test.each([['external_id'], ['*'], ['constructor'], ['__proto__'], ['address.line1'], ['']])(
  'the path %j to a field that may not be changed is refused',
  (path) => {
    expect(() => maskedFields(fields, ['name', path])).toThrow(
      expect.objectContaining({ kind: 'invalid_input' }),
    );
  },
);

test("a refusal uses the field's name in REST", () => {
  expect(() => maskedFields(fields, ['external_id'])).toThrow(
    expect.objectContaining({ fields: { externalId: ['Cannot be changed'] } }),
  );
});
