import { checkShardKeys } from './shard-key-check';

const problems = checkShardKeys();

afterAll(() => {
  expect(problems()).toEqual([]);
});
