import type { ApiClient } from '../support/api-client';
import { ensureSchemathesis, runSchemathesis } from './schemathesis';
import { warningsIn } from '../support/service-log';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const requestsMin = 10_000;
// Examples per operation: both concurrent runs take the same time and reach the required number
// together; the live one also covers all variants of each field.
const liveRound = { phases: 'examples,coverage,fuzzing', examplesMax: 56 };
const sandboxRound = { phases: 'fuzzing', examplesMax: 72 };
// The number of generated requests depends on the responses.
const missingRound = { phases: 'fuzzing', examplesMax: 15 };
// About four minutes on an idle machine. A round has no time limit, so that a slower machine only
// takes longer.
const timeoutMs = 20 * 60_000;

const program = ensureSchemathesis();
const testWithPython = program === undefined ? test.skip : test;

let system: OwnTestSystem;

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

/** Returns the number of requests; no response may violate the document. */
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
        // This call would revoke the key of the test itself, whose id is in the list.
        '--exclude-operation-id=revokeApiKey',
      ]);
    };
    // One process of the tool uses one core; separate environments keep the two runs independent.
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
