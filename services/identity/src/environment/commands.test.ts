import { type CommandDelivery, isUnfinishedPass } from '@billing/chassis/aggregate-collection';
import { testContext } from '@billing/chassis/testing';
import { deletionCommand } from './commands';

const delivery: CommandDelivery = { context: testContext(), aggregateId: 'sandbox', sequence: 1 };
const done = { deleteEnvironment: () => Promise.resolve({ isDone: true }) };
const unfinished = { deleteEnvironment: () => Promise.resolve({ isDone: false }) };
const broken = { deleteEnvironment: () => Promise.reject(new Error('Broken')) };

async function failureOf(
  systems: Parameters<typeof deletionCommand>[1],
  { isDone }: { isDone: boolean },
): Promise<unknown> {
  const service = { deletion: { delete: () => Promise.resolve(isDone) } };
  const command = deletionCommand(service as never, systems);
  return command({} as never, delivery).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('one pass of the deletion of an environment', () => {
  test('ends without a failure while a service has more to delete', async () => {
    expect(isUnfinishedPass(await failureOf([done, unfinished], { isDone: true }))).toBe(true);
    expect(isUnfinishedPass(await failureOf([done], { isDone: false }))).toBe(true);
    expect(await failureOf([done], { isDone: true })).toBeUndefined();
  });

  test('fails where a service fails, also while another has more to delete', async () => {
    const failure = await failureOf([unfinished, broken], { isDone: true });
    expect(failure).toMatchObject({ message: 'Broken' });
  });
});
