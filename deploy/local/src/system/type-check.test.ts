import { TypeCheck } from './type-check';

/** A compiler whose runs end when the test says so. */
function newCheck() {
  const runs: { folders: readonly string[]; end: (said: string) => void }[] = [];
  const lines: string[] = [];
  const check = new TypeCheck({
    root: '/',
    log: (line) => lines.push(line),
    compile: (folders) => new Promise((end) => runs.push({ folders, end })),
  });
  return { check, runs, lines };
}

test('compiles what changed, and prints errors', async () => {
  const { check, runs, lines } = newCheck();
  const checked = check.check(['services/catalog']);
  runs[0]?.end('a.ts(1,1): error TS2322\n');
  await checked;
  expect(runs.map(({ folders }) => folders)).toEqual([['services/catalog']]);
  expect(lines).toEqual(['Type errors:\na.ts(1,1): error TS2322']);
});

test('compiles again what changed during a run', async () => {
  const { check, runs, lines } = newCheck();
  const checked = check.check(['services/catalog']);
  void check.check(['services/catalog', 'gateway']);
  void check.check(['gateway']);
  expect(runs).toHaveLength(1);
  runs[0]?.end('');
  await new Promise(setImmediate);
  runs[1]?.end('');
  await checked;
  expect(runs.map(({ folders }) => folders)).toEqual([
    ['services/catalog'],
    ['services/catalog', 'gateway'],
  ]);
  expect(lines).toEqual(['No type errors', 'No type errors']);
});
