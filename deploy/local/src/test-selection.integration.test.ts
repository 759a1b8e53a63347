import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const bootstrap = join(__dirname, '../run.mjs');
/** Standard output and error of `npm test -- ...wanted`, as that command runs it. */
async function testsOf(...wanted: string[]): Promise<string> {
  const args = [bootstrap, 'test', ...wanted];
  // The shared systems of the tests that run this one are not the inner command's to end.
  const { SHARED_SYSTEMS_FOLDER: _shared, ...env } = process.env;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  return stdout + stderr;
}

describe('npm test with arguments', () => {
  test('runs the files that match, without checks, a build or databases', async () => {
    const output = await testsOf('kernel/src/money.test');
    expect(output).toMatch(/Test Suites: 1 passed, 1 total/);
    expect(output).toMatch(/^\d+ passed, 0 failed$/m);
    expect(output).not.toMatch(/Checking|Building|MongoDB/);
  });

  test('runs the test of a name in the files that contain it', async () => {
    const output = await testsOf('kernel/src/money.test', 'keeps the currency');
    expect(output).toMatch(/^1 passed, 0 failed$/m);
  });

  test('refuses a name that no file and no test has', async () => {
    const name = ['no', 'such', 'test'].join(' ');
    await expect(testsOf(name)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`No test matches "${name}"`) as string,
    });
  });

  test('takes the number of workers, and refuses other texts', async () => {
    const output = await testsOf('kernel/src/money.test', '--workers', '1');
    expect(output).toMatch(/^\d+ passed, 0 failed$/m);
    await expect(testsOf('kernel/src/money.test', '--workers', 'all')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--workers is "all"; use --workers 2') as string,
    });
  });

  test('shows what each suite cost', async () => {
    const output = await testsOf('kernel/src/money.test', 'catalog/src/product.test');
    expect(output).toMatch(/^suite +tests +seconds +CPU seconds$/m);
    expect(output).toMatch(/^services\/kernel +\d+ +\d+ +\d+$/m);
  });
});
