import { routes } from '@billing/gateway/routes';
import type { ApiClient } from '../support/api-client';
import { ensureSchemathesis, runSchemathesis } from './schemathesis';
import { isNightly } from '../support/rounds';
import { warningsIn } from '../support/service-log';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

// Examples per operation and phase. The live run also covers all variants of each field; a short
// round those of every twelfth operation, each day others.
const rounds = isNightly
  ? { requestsMin: 10_000, shares: 1, live: 56, sandbox: 72, next: 15 }
  : { requestsMin: 300, shares: 12, live: 1, sandbox: 1, next: 2 };
// For a run that hangs. The number of requests is fixed: a slower machine only takes longer.
const timeoutMs = 40 * 60_000;

const dayMs = 24 * 60 * 60 * 1_000;

const program = ensureSchemathesis();
const testWithPython = program === undefined ? test.skip : test;

interface FuzzingRun {
  readonly seed: number;
  readonly phases: string;
  readonly examplesMax: number;
  /** Ids of operations that are left out. */
  readonly without?: readonly string[];
}

let system: OwnTestSystem;

beforeAll(async () => {
  system = await startTestSystem({ ownProcess: true });
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
  'generated requests, valid and invalid, to every route get described answers only (needs Python)',
  async () => {
    let made = 0;
    const run = async (api: ApiClient, { seed, phases, examplesMax, without = [] }: FuzzingRun) => {
      made += await findNothing(api, [
        `--phases=${phases}`,
        `--max-examples=${String(examplesMax)}`,
        `--seed=${String(seed)}`,
        // The first call would revoke the key of the test itself, whose id is in the list.
        ...[...new Set(['revokeApiKey', ...without])].map((id) => `--exclude-operation-id=${id}`),
      ]);
    };
    // Every night other requests; a seed repeats them.
    const today = Math.floor(Date.now() / dayMs);
    const seedOfToday = isNightly ? today : 1 + (today % rounds.shares);
    const firstSeed = Number(process.env.SCHEMATHESIS_SEED ?? seedOfToday);
    const without = routes
      .filter((_route, index) => (index + firstSeed) % rounds.shares !== 0)
      .map(({ operation }) => operation.id);
    // One process of the tool uses one core; separate environments keep the two runs independent.
    await Promise.all([
      run(system.live, {
        seed: firstSeed,
        phases: 'examples,coverage,fuzzing',
        examplesMax: rounds.live,
        without,
      }),
      run(system.sandbox, {
        seed: firstSeed + 1,
        phases: 'examples,fuzzing',
        examplesMax: rounds.sandbox,
      }),
    ]);
    for (let seed = firstSeed + 2; made < rounds.requestsMin; seed += 2) {
      const next = { phases: 'fuzzing', examplesMax: rounds.next };
      await Promise.all([
        run(system.live, { ...next, seed }),
        run(system.sandbox, { ...next, seed: seed + 1 }),
      ]);
    }
    process.stderr.write(`${String(made)} generated requests, seed ${String(firstSeed)}\n`);
    expect(made).toBeGreaterThanOrEqual(rounds.requestsMin);
  },
  timeoutMs,
);

testWithPython(
  'generated revocations of keys get described answers only (needs Python)',
  async () => {
    const args = ['--include-operation-id=revokeApiKey', '--max-examples=20', '--seed=1'];
    expect(await findNothing(system.live, args)).toBeGreaterThan(20);
  },
  timeoutMs,
);
