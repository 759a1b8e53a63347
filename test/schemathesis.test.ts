import { ensureSchemathesis, runSchemathesis } from './schemathesis';
import { startTestSystem, type TestSystem } from './test-system';

const requestsMin = 5_000;
const roundSeconds = 60;
// A machine that has other things to do takes longer for as many.
const roundsMax = 4;
const timeoutMs = 300_000;

const program = ensureSchemathesis();
const testWithPython = program === undefined ? test.skip : test;

let system: TestSystem;

beforeAll(async () => {
  system = await startTestSystem();
});

afterAll(async () => {
  await system.stop();
});

async function newLiveKey(): Promise<string> {
  const { key } = await system.live.expect(201, system.live.post('/api-keys', { name: 'load' }));
  return key;
}

/** How many requests were made; none of the answers may be one that the document does not describe. */
async function findNothing(args: readonly string[]): Promise<number> {
  const key = await newLiveKey();
  const url = system.gatewayUrl;
  const { isClean, output, generated } = await runSchemathesis(program ?? '', { url, key, args });
  if (!isClean) throw new Error(output.slice(-20_000));
  return generated;
}

testWithPython(
  'thousands of right and wrong requests to every route get described answers only (needs Python)',
  async () => {
    let made = 0;
    for (let round = 1; made < requestsMin && round <= roundsMax; round += 1) {
      made += await findNothing([
        '--phases=examples,coverage,fuzzing',
        `--max-time=${String(roundSeconds)}`,
        '--max-examples=20',
        `--seed=${String(round)}`,
        // It would revoke the very key that it works with, whose id it finds in the list.
        '--exclude-operation-id=revokeApiKey',
      ]);
    }
    expect(made).toBeGreaterThanOrEqual(requestsMin);
  },
  timeoutMs,
);

testWithPython(
  'so does the revocation of keys (needs Python)',
  async () => {
    const args = ['--include-operation-id=revokeApiKey', '--max-examples=50', '--seed=1'];
    expect(await findNothing(args)).toBeGreaterThan(50);
  },
  timeoutMs,
);
