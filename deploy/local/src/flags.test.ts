import { FlagError, parseFlags } from './flags';

test('without flags the gateway listens on port 3000 and data is in the default folder', () => {
  expect(parseFlags([], '/repository/.data')).toEqual({
    json: false,
    processes: false,
    watch: false,
    port: 3000,
    dataDir: '/repository/.data',
  });
});

test('watching sources runs services in processes of their own', () => {
  expect(parseFlags(['--watch'], '/home/.data')).toMatchObject({ processes: true, watch: true });
});

test('flags select output format, processes, port and folder', () => {
  const args = ['--json', '--processes', '--port', '0', '--data=/elsewhere'];
  expect(parseFlags(args, '/repository/.data')).toEqual({
    json: true,
    processes: true,
    watch: false,
    port: 0,
    dataDir: '/elsewhere',
  });
});

test.each([
  ['an unknown flag', ['--prot', '3000'], /--prot/],
  ['a word without a flag', ['json'], /json/],
  ['a flag without its value', ['--port'], /--port/],
  ['a value where none belongs', ['--json=yes'], /--json/],
  ['a port that is no number', ['--port', '3e3'], /whole number/],
  ['a port that is negative', ['--port=-1'], /whole number/],
  ['a port beyond the last', ['--port', '65536'], /whole number/],
  ['an empty port', ['--port='], /whole number/],
  ['an empty folder', ['--data='], /folder/],
])('%s is refused with what is wrong', (_name, args, message) => {
  expect(() => parseFlags(args, '.data')).toThrow(FlagError);
  expect(() => parseFlags(args, '.data')).toThrow(message);
});
