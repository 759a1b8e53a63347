import { shardedById } from '@billing/chassis/collection-layout';
import { exitStatuses } from '@billing/chassis/start-refusal';
import { shardCluster } from './shard-cluster';

test('a server that is no mongos is refused', async () => {
  const log = jest.fn();
  const uri = process.env.MONGODB_URI ?? '';
  const layouts = { things: shardedById() };
  const services = [{ database: 'shard_test', layouts }];
  const now = new Date('2026-11-23T09:00:00Z');
  await expect(shardCluster(uri, { services, now, log })).rejects.toMatchObject({
    message: '--uri: is not the address of a mongos',
    exitStatus: exitStatuses.configuration,
  });
  expect(log).not.toHaveBeenCalled();
});
