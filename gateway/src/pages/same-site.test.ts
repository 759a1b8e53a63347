import { refuseOtherSites, type RequestOrigin } from './same-site';

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
  // A proxy may rename the host; the browser itself knows best.
  { fetchSite: 'same-origin', origin: 'https://outside.example' },
])('%j is our own form', (origin) => {
  expect(given(origin)).not.toThrow();
});

test.each([
  { fetchSite: 'cross-site' },
  { fetchSite: 'same-site' },
  { fetchSite: 'cross-site', origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: 'https://pay.example.evil.example' },
  { origin: 'nonsense' },
])('%j is not', (origin) => {
  expect(given(origin)).toThrow('another site');
});

test('where our own pages tell where they are, a page that does not is another’s', () => {
  const from = (origin: string | undefined) => () => {
    refuseOtherSites({ fetchSite: undefined, origin, host }, { isNamed: true });
  };
  expect(from('null')).toThrow('another site');
  expect(from('https://pay.example')).not.toThrow();
  expect(from(undefined)).not.toThrow();
});
