import { changeOrganization, checkName, createOrganization } from './organization';

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

describe('a change of an organization', () => {
  const { state: organization } = createOrganization({ id: 'a', name: 'Acme' });

  test('renames it, and keeps what is absent', () => {
    const { state } = changeOrganization(organization, { name: ' Acme Ltd ' });
    expect(state).toEqual({ ...organization, name: 'Acme Ltd' });
    const ruled = changeOrganization(state, { requireSecondFactor: true });
    const signInRules = { requireSecondFactor: true, providerOnly: false };
    expect(ruled.state).toEqual({ ...state, signInRules });
  });

  test('to the same values writes nothing', () => {
    const same = { name: 'Acme', providerOnly: false };
    expect(changeOrganization(organization, same).state).toBe(organization);
  });

  test('is refused whole if the name is not valid', () => {
    const change = () => changeOrganization(organization, { name: '', providerOnly: true });
    expect(change).toThrow(expect.objectContaining({ fields: { name: ['Required'] } }));
  });
});
