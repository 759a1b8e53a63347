import type { ApiClient } from './api-client';
import { ensureSchemathesis, runSchemathesis } from './schemathesis';
import { warningsIn } from './service-log';
import { startTestSystem, type TestSystem } from './test-system';

const requestsMin = 10_000;
// Of each operation in each round. A round costs some seconds by itself, and the last one goes over the number.
const examplesMax = 40;
// Two minutes on a machine with two cores that has nothing else to do. There is no limit of time in a round, so that a slower one only
// takes longer.
const timeoutMs = 20 * 60_000;

const program = ensureSchemathesis();
const testWithPython = program === undefined ? test.skip : test;

let system: TestSystem;

beforeAll(async () => {
  system = await startTestSystem();
});

afterAll(async () => {
  await system.stop();
});

async function newKey(api: ApiClient): Promise<string> {
  const { key } = await api.expect(201, api.post('/api-keys', { name: 'load' }));
  return key;
}

/** How many requests were made; none of the answers may be one that the document does not describe. */
async function findNothing(api: ApiClient, args: readonly string[]): Promise<number> {
  const key = await newKey(api);
  const url = system.gatewayUrl;
  const { isClean, output, generated } = await runSchemathesis(program ?? '', { url, key, args });
  if (!isClean) throw new Error([output.slice(-20_000), ...(await warningsIn(system))].join('\n'));
  return generated;
}

testWithPython(
  'ten thousand right and wrong requests to every route get described answers only (needs Python)',
  async () => {
    let made = 0;
    // One process of the tool keeps one core busy; in environments of their own they do not get in each other's way.
    const work = async (api: ApiClient, firstSeed: number, phases: string) => {
      for (let seed = firstSeed; made < requestsMin; seed += 2) {
        made += await findNothing(api, [
          `--phases=${seed === firstSeed ? phases : 'fuzzing'}`,
          `--max-examples=${String(examplesMax)}`,
          `--seed=${String(seed)}`,
          // It would revoke the very key that it works with, whose id it finds in the list.
          '--exclude-operation-id=revokeApiKey',
        ]);
      }
    };
    await Promise.all([
      work(system.live, 1, 'examples,coverage,fuzzing'),
      work(system.sandbox, 2, 'fuzzing'),
    ]);
    expect(made).toBeGreaterThanOrEqual(requestsMin);
  },
  timeoutMs,
);

testWithPython(
  'so does the revocation of keys (needs Python)',
  async () => {
    const args = ['--include-operation-id=revokeApiKey', '--max-examples=50', '--seed=1'];
    expect(await findNothing(system.live, args)).toBeGreaterThan(50);
  },
  timeoutMs,
);
