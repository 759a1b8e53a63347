import type { ApiClient } from '../support/api-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
});

const change = (body: object) => api.request('PATCH', '/branding', { body });

const defaults = {
  ...{ displayName: null, accentColor: '#2447C9', supportEmail: null, supportUrl: null },
  ...{ termsUrl: null, privacyUrl: null, defaultLocale: 'en', createdAt: null, updatedAt: null },
  colors: {
    ...{ accent: '#2447C9', onAccent: '#FFFFFF' },
    ...{ linkOnLight: '#2447C9', linkOnDark: '#7187DC' },
  },
  portalSignInUrl: expect.stringMatching(/\/portal\/sign-in\/[\w-]{36}$/),
};

test('the branding has defaults before the first change, and is changed by field', async () => {
  expect(await api.expect(200, api.get('/branding'))).toEqual(defaults);
  const changes = { displayName: ' Acme ', accentColor: '#ffd400', defaultLocale: 'de-ch' };
  const changed = await api.expect(200, change(changes));
  expect(changed).toEqual({
    ...defaults,
    ...{ displayName: 'Acme', accentColor: '#FFD400', defaultLocale: 'de-CH' },
    colors: {
      ...{ accent: '#FFD400', onAccent: '#000000' },
      ...{ linkOnLight: '#806A00', linkOnDark: '#FFD400' },
    },
    ...{ createdAt: startsAt, updatedAt: startsAt },
  });
  expect(await api.expect(200, api.get('/branding'))).toEqual(changed);
  const cleared = await api.expect(200, change({ displayName: null }));
  expect(cleared).toMatchObject({ displayName: null, accentColor: '#FFD400' });
});

test('the branding is refused for all invalid fields at once', async () => {
  const answer = await api.expect(
    400,
    change({
      ...{ displayName: 'a\nb', accentColor: 'red', supportEmail: 'x', defaultLocale: 'zh-TW' },
      ...{ termsUrl: '/terms', colors: {}, portalSignInUrl: 'x', createdAt: startsAt },
    }),
  );
  expect(answer).toEqual({
    error: {
      displayName: ['Must not contain line breaks'],
      accentColor: ['Must be a colour such as #2447C9'],
      supportEmail: ['Invalid email'],
      defaultLocale: ['Unsupported locale'],
      termsUrl: ['Must be an absolute http or https URL'],
      colors: ['Cannot be changed'],
      portalSignInUrl: ['Cannot be changed'],
      createdAt: ['Cannot be changed'],
    },
  });
  const missing = await api.expect(400, change({ accentColor: null, defaultLocale: null }));
  expect(Object.keys(missing.error)).toEqual(['accentColor', 'defaultLocale']);
});

test('a new sandbox has the default branding and inherits nothing', async () => {
  const other = await system.live.manualSandbox(startsAt);
  expect(await other.expect(200, other.get('/branding'))).toEqual(defaults);
});
