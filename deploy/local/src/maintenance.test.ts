import { readFlagValues } from './maintenance';

const usage =
  'Usage: npm run thing -- --to <folder>\n  --to   folder\n  --json one line\n  --data folder';
const { argv } = process;

afterEach(() => {
  process.argv = argv;
  jest.restoreAllMocks();
});

function read(...flags: string[]) {
  process.argv = [...argv.slice(0, 2), ...flags];
  return readFlagValues({ to: { type: 'string' } }, usage);
}

test('wrong usage is refused with the reason and the first line of the usage', () => {
  expect(read('--to=a')).toEqual({ to: 'a' });
  expect(() => read('--to=')).toThrow(
    expect.objectContaining({
      exitStatus: 2,
      message:
        '--to must not be empty\nUsage: npm run thing -- --to <folder>\n--help explains the flags',
    }),
  );
  expect(() => read('--other')).toThrow(/^Unknown option '--other'/);
});

test('--help prints the whole usage and ends the process with 0', () => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('ended');
  });
  expect(() => read('--to=a', '--help')).toThrow('ended');
  expect(exit).toHaveBeenCalledWith(0);
  expect(write).toHaveBeenCalledWith(`${usage}\n`);
});
