import { FlagError, parseFlags } from './flags';

const defaults = { dataDir: '/data', liveKey: undefined };

test('without flags the usual shop is created in the system of npm start', () => {
  expect(parseFlags([], defaults)).toEqual({
    url: 'http://127.0.0.1:3000',
    key: undefined,
    dataDir: '/data',
    sandboxKey: undefined,
    seed: '1',
    customers: 200,
    months: 13,
  });
});

test('a key on the command line takes precedence over the environment variable', () => {
  const flags = ['--key', 'a', '--url', 'https://billing.example/'];
  expect(parseFlags(flags, { ...defaults, liveKey: 'b' })).toMatchObject({
    key: 'a',
    url: 'https://billing.example',
  });
});

test.each([
  [['--customers', '0']],
  [['--customers', '1.5']],
  [['--customers', '1000000']],
  [['--months', '37']],
  [['--unknown']],
  [['word']],
])('%j is refused', (flags) => {
  expect(() => parseFlags(flags, defaults)).toThrow(FlagError);
});
