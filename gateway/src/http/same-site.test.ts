import { refuseOtherSites, type RequestOrigin, requireOwnOrigin } from './same-site';

const host = 'pay.example';
const given = (origin: Partial<RequestOrigin>) => () => {
  refuseOtherSites({ fetchSite: undefined, origin: undefined, host, ...origin });
};

test.each([
  {},
  { fetchSite: 'same-origin', origin: 'null' },
  { fetchSite: 'none' },
  { origin: 'null' },
  { origin: 'https://pay.example' },
  // A proxy may change the host; the header of the browser is reliable.
  { fetchSite: 'same-origin', origin: 'https://outside.example' },
])('a form from %j is our own', (origin) => {
  expect(given(origin)).not.toThrow();
});

test.each([
  { fetchSite: 'cross-site' },
  { fetchSite: 'same-site' },
  { fetchSite: 'cross-site', origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: 'https://pay.example.evil.example' },
  { origin: 'nonsense' },
])('a form from %j is foreign', (origin) => {
  expect(given(origin)).toThrow('another site');
});

test('a form without an origin is foreign if our own pages send their origin', () => {
  const from = (origin: string | undefined) => () => {
    refuseOtherSites({ fetchSite: undefined, origin, host }, { isNamed: true });
  };
  expect(from('null')).toThrow('another site');
  expect(from('https://pay.example')).not.toThrow();
  expect(from(undefined)).not.toThrow();
});

describe('a request authorized by a cookie', () => {
  const required = (origin: Partial<RequestOrigin>, referrer?: string) => () => {
    requireOwnOrigin({ fetchSite: undefined, origin: undefined, host, ...origin }, { referrer });
  };

  test.each([
    [{ fetchSite: 'same-origin' }, undefined],
    [{ origin: 'https://pay.example' }, undefined],
    [{}, 'https://pay.example/dashboard'],
  ])('is accepted for %j from the page %s', (origin, referrer) => {
    expect(required(origin, referrer)).not.toThrow();
  });

  test.each([
    [{}, undefined],
    [{}, 'https://evil.example/pay.example'],
    [{}, 'nonsense'],
    [{ origin: 'null' }, 'https://pay.example/dashboard'],
    [{ origin: 'https://evil.example' }, 'https://pay.example/dashboard'],
    [{ fetchSite: 'none' }, 'https://pay.example/dashboard'],
    [{ fetchSite: 'same-site' }, undefined],
    [{ fetchSite: 'cross-site', origin: 'https://pay.example' }, undefined],
  ])('is refused for %j from the page %s', (origin, referrer) => {
    expect(required(origin, referrer)).toThrow('another site');
  });
});
