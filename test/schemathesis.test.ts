import type { ApiClient } from './api-client';
import { ensureSchemathesis, runSchemathesis } from './schemathesis';
import { warningsIn } from './service-log';
import { startTestSystem, type TestSystem } from './test-system';

const requestsMin = 10_000;
// Of each operation, so that the two that run side by side take the same time and make the number together: the live one goes through
// all that each field may be besides.
const liveRound = { phases: 'examples,coverage,fuzzing', examplesMax: 56 };
const sandboxRound = { phases: 'fuzzing', examplesMax: 72 };
// How many are generated depends on what is answered.
const missingRound = { phases: 'fuzzing', examplesMax: 15 };
// Four minutes at most where nobody else is at work. There is no limit of time in a round, so that a slower machine only takes longer.
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
    const run = async (api: ApiClient, seed: number, round: typeof liveRound) => {
      made += await findNothing(api, [
        `--phases=${round.phases}`,
        `--max-examples=${String(round.examplesMax)}`,
        `--seed=${String(seed)}`,
        // It would revoke the very key that it works with, whose id it finds in the list.
        '--exclude-operation-id=revokeApiKey',
      ]);
    };
    // One process of the tool keeps one core busy; in environments of their own they do not get in each other's way.
    await Promise.all([run(system.live, 1, liveRound), run(system.sandbox, 2, sandboxRound)]);
    for (let seed = 3; made < requestsMin; seed += 2) {
      const both = [
        run(system.live, seed, missingRound),
        run(system.sandbox, seed + 1, missingRound),
      ];
      await Promise.all(both);
    }
    process.stderr.write(`${String(made)} requests\n`);
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
