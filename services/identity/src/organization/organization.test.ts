import { checkName } from './organization';

describe('the name of an organization', () => {
  test('is stored without surrounding blanks', () => {
    expect(checkName(' Acme Ltd ')).toBe('Acme Ltd');
  });

  test.each([
    ['empty', '', ['Required']],
    ['blank', '  ', ['Required']],
    ['too long', 'x'.repeat(201), ['Must be at most 200 characters']],
  ])('is refused when %s', (_case, name, messages) => {
    expect(() => checkName(name)).toThrow(expect.objectContaining({ fields: { name: messages } }));
  });
});
