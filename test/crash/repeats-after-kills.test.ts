import { sleep } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import type { Answer } from '../support/api-client';
import { isNightly } from '../support/rounds';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const rounds = isNightly ? 8 : 4;
const callers = 50;
// Delay of the kill after the first request: from before the first write to after the last
// response.
const killAfterMs = (round: number) => ((round - 1) * 64) / rounds;

describe('fifty identical POSTs with one Idempotency-Key', () => {
  let system: OwnTestSystem;

  beforeAll(async () => {
    system = await startTestSystem({ processes: true });
  });

  afterAll(async () => {
    await system.stop();
  });

  test('create one resource, whenever the service is killed between the write and the response', async () => {
    const { sandbox } = system;
    let answeredBeforeKill = 0;
    let answeredAfterKill = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const email = `round-${String(round)}@example.com`;
      const post = () =>
        sandbox.post('/customers', { email }, { 'Idempotency-Key': `round-${String(round)}` });
      const first = Array.from({ length: callers }, post);
      await sleep(killAfterMs(round));
      const { customer } = system.pids();
      if (customer === undefined) throw new Error('The service does not run');
      process.kill(customer, 'SIGKILL');
      const answers = await Promise.all(first);
      const made = answers.filter(({ status }) => status === 201);
      for (const { status } of answers) expect([201, 409, 503, 504]).toContain(status);

      const { body } = await answered(post);
      expect(new Set([...made.map((answer) => answer.body.id as string), body.id]).size).toBe(1);
      const { total } = await sandbox.expect(200, sandbox.get(`/customers?email=${email}`));
      expect(total).toBe(1);
      if (made.length > 0) answeredBeforeKill += 1;
      else answeredAfterKill += 1;
    }
    process.stderr.write(
      `answered before the kill: ${String(answeredBeforeKill)}, only after it: ${String(answeredAfterKill)}\n`,
    );
  });
});

/** Retries a request until its response is final. */
function answered(post: () => Promise<Answer>): Promise<Answer> {
  return eventually(
    async () => {
      const answer = await post();
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer;
    },
    { everyMs: 100 },
  );
}
