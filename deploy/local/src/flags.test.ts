import { FlagError, parseFlags } from './flags';

const none = {
  inspect: undefined,
  url: undefined,
  listen: undefined,
  dataDir: undefined,
  archiveDir: undefined,
};
const switches = { json: false, processes: false, watch: false, undoFinal: false };

test('without flags everything is left to the environment', () => {
  expect(parseFlags([])).toEqual({ ...none, ...switches });
});

test('watching sources runs services in processes of their own', () => {
  expect(parseFlags(['--watch'])).toMatchObject({ processes: true, watch: true });
});

test('a service that runs from its sources can be debugged', () => {
  expect(parseFlags(['--watch', '--inspect', 'checkout']).inspect).toBe('checkout');
});

test('flags select output format, processes, addresses and folders', () => {
  const args = ['--json', '--processes', '--port', '0', '--data=/elsewhere', '--archive=/wal'];
  expect(parseFlags([...args, '--url', 'https://pay.example.com'])).toEqual({
    json: true,
    processes: true,
    watch: false,
    inspect: undefined,
    url: 'https://pay.example.com',
    listen: '127.0.0.1:0',
    dataDir: '/elsewhere',
    archiveDir: '/wal',
    undoFinal: false,
  });
});

test('data that was moved is used again only on demand', () => {
  expect(parseFlags(['--undo-final']).undoFinal).toBe(true);
});

test.each(['0.0.0.0:80', 'localhost:65535', '[::1]:3000', '[2001:db8::7]:0'])(
  'the gateway may listen on %s',
  (listen) => {
    expect(parseFlags(['--listen', listen]).listen).toBe(listen);
  },
);

test.each([
  ['an unknown flag', ['--prot', '3000'], /--prot/],
  ['a word without a flag', ['json'], /json/],
  ['a flag without its value', ['--port'], /--port/],
  ['a value where none belongs', ['--json=yes'], /--json/],
  ['a port that is no number', ['--port', '3e3'], /whole number/],
  ['a port that is negative', ['--port=-1'], /whole number/],
  ['a port beyond the last', ['--port', '65536'], /whole number/],
  ['an empty port', ['--port='], /whole number/],
  ['an unknown service', ['--watch', '--inspect', 'billing'], /one of identity, catalog, customer/],
  ['a debugger of built services', ['--inspect', 'checkout'], /--inspect needs --watch/],
  ['an empty folder', ['--data='], /folder/],
  ['an empty archive', ['--archive='], /--archive must name a folder/],
  ['an address without a port', ['--listen', '127.0.0.1'], /host:port or \[v6\]:port/],
  ['an IPv6 address without brackets', ['--listen', '::1:3000'], /host:port or \[v6\]:port/],
  ['an address with a port beyond the last', ['--listen', 'a:65536'], /host:port/],
  ['a port and an address', ['--port', '1', '--listen', 'a:1'], /exclude each other/],
])('%s is refused with what is wrong', (_name, args, message) => {
  expect(() => parseFlags(args)).toThrow(FlagError);
  expect(() => parseFlags(args)).toThrow(message);
});
